"""Wilson's limits of a rate: the score interval of k among m samples.

Wilson, Probable inference, the law of succession, and statistical inference, Journal of the
American Statistical Association 22:209-212 (1927), as in statsmodels'
`proportion_confint(method="wilson")` and R's `prop.test(correct=FALSE)`. The limits are the two
solutions θ of (k/m - θ)² = z²·θ·(1 - θ)/m. Up to the lower one, and nowhere else below k/m,

    G(θ) = (k - m·θ)² - z²·m·θ·(1 - θ) >= 0,

and the upper one is 1 less the lower limit of m - k among m. G falls from k² at 0 to a value of at
most 0 at k/m, and is convex: it changes its sign once. Both are found digit by digit
(`ppaurora.protocols.arithmetic.root_search`).

Where k and m are released, their receivers compute the limits themselves (`beside_counts`), which
tells nothing more. Where only the rate is released the servers compute the limits of shared k and
m, and these tell m: (upper - lower)² is z²·(4·m·r·(1 - r) + z²) / (m + z²)², with the rate r.

How sure that is: nothing is rounded but z². A limit can be wrong by one unit of its last decimal
only if the exact one lies within 10^-(d + 8) of a rounding boundary, d being the released decimals.

Nobody learns anything. 16 hops for four decimals, 288 kB a rate.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_zero, undefined, wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.normal import precise_square
from ppaurora.protocols.arithmetic.root_search import (
    Search,
    lowest_roots,
    lowest_roots_cost,
    search_fits,
)
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.area_limits import GUARD_DIGITS
from ppaurora.protocols.release.values import decimal_text

DEGREE, CLEAR_DIGITS = 2, 60
LEVEL = "the confidence level of Wilson's limits beside each rate"
WILSONS = "Wilson, Journal of the American Statistical Association 1927"


def tail_of(level: Fraction) -> Fraction:
    """The chance that a normal variable exceeds z."""
    return (1 - level) / 2


def wilson(party: Party, k: Shared, m: Shared, level: Fraction, decimals: int) -> Shared:
    """The lower limits of all k/m and then the upper ones; `undefined` where m is 0."""
    T, Z = precise_square(tail_of(level), decimals + GUARD_DIGITS)
    rates = len(k)
    wide = widen(party, concatenate([k, m - k, m]))
    successes, trials = wide[: 2 * rates], wide[2 * rates :]
    trials = concatenate_wide([trials, trials])
    kk, km, mm = wide_products(party, [successes, trials], [(0, 0), (0, 1), (1, 1)])
    G = [kk * T, km * (-2 * T) - trials * Z, mm * T + trials * Z]
    search = Search(G, [successes, -trials])
    lowest, none = side_by_side(
        party,
        [
            lambda own: lowest_roots(own, search, decimals=decimals),
            lambda own: is_zero(own, m),
        ],
    )
    # without a sample both are found to be 0
    scale, nothing = 10**decimals, undefined(decimals)
    lower = lowest[:rates] + none * nothing
    upper = scale - lowest[rates:] + none * (nothing - scale)
    limits: Shared = concatenate([lower, upper])
    return limits


def wilson_cost(rates: int, decimals: int) -> Cost:
    """The cost of `wilson` for so many rates."""
    found = lowest_roots_cost(2 * rates, degree=DEGREE, decimals=decimals)
    squares = widen.cost().of(3 * rates) + wide_products.cost(factors=2, pairs=3).of(2 * rates)
    return squares + (found | is_zero.cost().of(rates))


def wilson_fits(n: int, rates: int, level: Fraction, decimals: int) -> bool:
    """True if the arithmetic allows rates of n samples to so many decimals."""
    T, Z = precise_square(tail_of(level), decimals + GUARD_DIGITS)
    # θ lies between 0 and 1.1, where |G'| is at most
    steepest = 3 * T * n * n + 2 * Z * n
    return search_fits(steepest, degree=DEGREE, decimals=decimals, numbers=2 * rates)


def wilson_in_clear(k: int, m: int, level: Fraction) -> tuple[Fraction, Fraction]:
    """The limits to 50 decimals or more.

    >>> [round(float(limit), 6) for limit in wilson_in_clear(8, 10, Fraction("0.95"))]
    [0.490162, 0.943318]
    """
    T, Z = precise_square(tail_of(level), CLEAR_DIGITS)
    # (2k + z² ± sqrt(z⁴ + 4z²·k·(m - k)/m)) / 2(m + z²)
    square = Fraction(Z * Z, T * T) + Fraction(4 * Z * k * (m - k), T * m)
    root = Fraction(isqrt(int(square * 100**CLEAR_DIGITS)), 10**CLEAR_DIGITS)
    middle, whole = 2 * k + Fraction(Z, T), 2 * (m + Fraction(Z, T))
    return max(Fraction(0), (middle - root) / whole), min(Fraction(1), (middle + root) / whole)


def beside_counts(k: int, m: int, level: Fraction, decimals: int) -> tuple[str, str] | None:
    """The limits of a rate of released counts as texts; None where there are no samples.

    >>> beside_counts(8, 10, Fraction("0.95"), 4)
    ('0.4902', '0.9433')
    """
    if not m:
        return None
    lower, upper = (half_up(10**decimals * one) for one in wilson_in_clear(k, m, level))
    return decimal_text(lower, decimals), decimal_text(upper, decimals)


def with_limits(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The names of rates, each before those of its limits.

    >>> with_limits(("ppv",))
    ('ppv', 'ppv_lower', 'ppv_upper')
    """
    return tuple(f"{name}{end}" for name in columns for end in ("", LOWER, UPPER))


LOWER, UPPER = "_lower", "_upper"
"""The ends of the names of columns that have the limits of another one."""
