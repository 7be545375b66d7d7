"""A random-effects summary of estimates of several sites, which stay shared.

DerSimonian and Laird, Controlled Clinical Trials 7:177-188 (1986), with the interval of Hartung and
Knapp, Statistics in Medicine 20:3875-3889 (2001), and a prediction interval, as Debray et al., BMJ
356:i6460 (2017) have them for prediction models. Of k sites with estimates θ and variances v, with
w = 1/v, S1 = Σ w and S2 = Σ w²,

    Q  = Σ w·θ² - (Σ w·θ)²/S1,         τ² = max(0, (Q - (k - 1)) / (S1 - S2/S1)),
    w* = 1/(v + τ²),                   μ  = Σ w*·θ / Σ w*,
    V  = Σ w*·(θ - μ)² / Σ w*,         s² = V/(k - 1),
    interval     μ ± t_(k-1)·s,        prediction    μ ± t_(k-2)·√(τ² + s²),

t with so many degrees of freedom (metafor's predict takes k - 1 for both with its test="knha").
I² = max(0, (Q - (k - 1))/Q).

Nothing is divided before it has to be: with A = S1·Σ w·θ² - (Σ w·θ)² it is Q = A/S1, and

    τ² = max(0, A - (k - 1)·S1) / (S1² - S2),    I² = max(0, A - (k - 1)·S1)/A,    V = A*/(Σ w*)².

The weights w* are scaled, all alike, so that they lie between 2^-27 and 1. With t/√(k - 1) read
from public tables at the shared k, the limits take one root each, of V and of (k - 1)·τ² + V.

How exact: w is known to 2^-40 of itself, τ² and V to 2^-60, w* to 2^-40 of itself, μ to 2^-56 and a
root to 2^-42, or to 2^-30 where the number below it is less than 2^-40. Below k = 5 what is found
means nothing; `few` is 1 then.

Every number of the data stays below 2^255, whatever an owner shared that passed the check, for up
to 511 sites. Nobody learns anything; k stays shared. 198 hops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    lookup,
    wide_divide_to_wide,
    wide_is_negative,
    wide_negative_times,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.primitives.lookup import address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up_root
from ppaurora.protocols.arithmetic.student import scaled_student
from ppaurora.protocols.lists.site_estimate import (
    FARTHEST,
    FLOOR,
    LARGEST_WEIGHT_BITS,
    LOW_BITS,
    MOST_SITES,
    POINT_BITS,
    VARIANCE_BITS,
    WEIGHT_BITS,
)

LEAST_SITES = 5
FEW_BASE, MANY_BASE = 1 << 8, 1 << 6
"""A digit of one or two numbers, and of one for each site, is found by so many comparisons."""
SQUARE_BITS = 2 * POINT_BITS
"""Behind the point of a square of θ."""
SITES_BITS = MOST_SITES.bit_length()
SUM_BITS = LARGEST_WEIGHT_BITS + SITES_BITS
"""Σ w is below 2 to the power of this."""
BETWEEN_TENS, SPREAD_TENS = 13, 12
"""τ² is at most 2^13, V at most 2^12, as θ is within 64 of 0."""
BETWEEN_DIGITS = SPREAD_DIGITS = 9
BETWEEN_BITS = 8 * BETWEEN_DIGITS - BETWEEN_TENS
SPREAD_BITS = 8 * SPREAD_DIGITS - SPREAD_TENS
WEIGHT_DIGITS = LARGEST_WEIGHT_BITS // 6
MEAN_DIGITS = ROOT_DIGITS = 8
MEAN_BITS = 8 * MEAN_DIGITS - 7
"""μ + 64 is found as a part of 128."""
ROOT_TENS = 12
"""A root is below 2^12, as (k - 1)·τ² + V is below 2^23."""
ROOT_BITS = 8 * ROOT_DIGITS - ROOT_TENS
QUANTILE_BITS = 44
LIMIT_BITS = ROOT_BITS + QUANTILE_BITS
"""Behind the point of μ and the limits."""


@dataclass(frozen=True, slots=True)
class SiteEstimates:
    """The shared words of all sites' estimates, a vector for each of the five."""

    counted: Shared
    θ: Shared
    v: Shared
    high: Shared
    low: Shared


@dataclass(frozen=True, slots=True)
class Summary:
    """μ, both limits and both prediction limits in units of 2^-`LIMIT_BITS`; signed.

    `between` is τ² in units of 2^-`BETWEEN_BITS`; `beyond` over `about` is I². `sites` is k, and
    `few` 1 if it is below five.
    """

    limits: WideShared
    between: WideShared
    beyond: WideShared
    about: WideShared
    sites: Shared
    few: Shared


def summary(party: Party, data: SiteEstimates, tail: Fraction) -> Summary:
    """The summary with two-sided limits, either of which is exceeded with this probability."""
    sites = data.counted.sum()
    wide = widen(party, concatenate([data.counted, data.θ, data.v, data.high, data.low]))
    count = len(data.θ)
    c, θ, v, high, low = (wide[place * count : (place + 1) * count] for place in range(5))
    θ, v, w = θ - (FARTHEST << POINT_BITS), v + FLOOR, high * (1 << LOW_BITS) + low
    K = c.sum()
    programs: list[Callable[[Party], list[WideShared]]] = [
        lambda own: wide_products(own, [θ], [(0, 0)]),
        lambda own: [wide_is_negative(own, K - LEAST_SITES)],
        lambda own: [_quantiles(own, sites, count, tail)],
        lambda own: _between(own, θ, w, K),
    ]
    [square], [few], [quantiles], [between, beyond, about] = side_by_side(party, programs)
    mean, spread, K_between = _weighed(party, c, θ, square, v, K, between)
    # (k - 1)·τ² + V
    whole = K_between * (1 << SPREAD_BITS - BETWEEN_BITS) + spread
    roots = wide_root_to_wide(
        party,
        concatenate_wide([spread, whole]),
        WideShared.public(party.role, [_root_bound()] * 2),
        digits=ROOT_DIGITS,
        bound=_root_bound(),
        base=FEW_BASE,
    )
    [halves] = wide_products(party, [roots, quantiles], [(0, 1)])
    middle = mean * (1 << LIMIT_BITS - MEAN_BITS) - (FARTHEST << LIMIT_BITS)
    inner, outer = halves[:1], halves[1:]
    limits = [middle, middle - inner, middle + inner, middle - outer, middle + outer]
    return Summary(concatenate_wide(limits), between, beyond, about, sites, few.low())


def summary_cost(sites: int) -> Cost:
    """The cost of `summary` for so many sites."""
    square = wide_products.cost(factors=1, pairs=1).of(sites)
    beside = square | wide_is_negative.cost().of(1) | _quantiles_cost(sites) | _between_cost(sites)
    root = wide_root_to_wide.cost(digits=ROOT_DIGITS, base=FEW_BASE, bound=_root_bound()).of(2)
    products = wide_products.cost(factors=2, pairs=1).of(2)
    return widen.cost().of(5 * sites) + beside + _weighed_cost(sites) + root + products


def _root_bound() -> int:
    return 1 << SPREAD_BITS + 2 * ROOT_TENS


def _quantiles(party: Party, sites: Shared, count: int, tail: Fraction) -> WideShared:
    """t_(k-1)/√(k - 1) and t_(k-2)/√(k - 1), both 0 where k is below five."""
    tables = [np.zeros(count + 1, np.uint64)] * 2
    if sites.present:
        tables = [
            np.array([scaled_quantile_of(k, less, tail) for k in range(count + 1)], np.uint64)
            for less in (1, 2)
        ]
    return widen(party, concatenate(lookup(party, sites, tables)))


def scaled_quantile_of(k: int, less: int, tail: Fraction) -> int:
    """t of k - `less` degrees of freedom over √(k - 1), in units of 2^-44."""
    if k < LEAST_SITES:
        return 0
    digits = 40
    t = scaled_student(k - less, tail, digits)
    root = Fraction((t << QUANTILE_BITS) ** 2, (k - 1) * 10 ** (2 * digits))
    return half_up_root(root)


def _quantiles_cost(sites: int) -> Cost:
    return lookup.cost(bits=address_bits(sites + 1)).of(1) + widen.cost().of(2)


def _between(party: Party, θ: WideShared, w: WideShared, K: WideShared) -> list[WideShared]:
    """τ², and I² as a ratio."""
    wθ, ww = wide_products(party, [w, θ], [(0, 1), (0, 0)])
    [wθθ] = wide_products(party, [wθ, θ], [(0, 1)])
    S1, S2 = w.sum(), ww.sum()
    first, second, square, KS1 = wide_products(
        party, [S1, wθθ.sum(), wθ.sum(), K], [(0, 1), (2, 2), (0, 0), (3, 0)]
    )
    A = first - second
    excess = A - (KS1 - S1) * (1 << SQUARE_BITS + WEIGHT_BITS)
    _, below = wide_negative_times(party, excess, excess)
    above = excess - below
    between = wide_divide_to_wide(
        party,
        above,
        (square - S2) * (1 << SQUARE_BITS + BETWEEN_TENS),
        digits=BETWEEN_DIGITS,
        bound=1 << 2 * SUM_BITS + SQUARE_BITS + BETWEEN_TENS,
        base=FEW_BASE,
    )
    return [between, above, A]


def _between_cost(sites: int) -> Cost:
    bound = 1 << 2 * SUM_BITS + SQUARE_BITS + BETWEEN_TENS
    products = (
        wide_products.cost(factors=2, pairs=2).of(sites)
        + wide_products.cost(factors=2, pairs=1).of(sites)
        + wide_products.cost(factors=4, pairs=4).of(1)
    )
    division = wide_divide_to_wide.cost(digits=BETWEEN_DIGITS, base=FEW_BASE, bound=bound)
    return products + wide_negative_times.cost().of(1) + division.of(1)


def _weighed(
    party: Party,
    c: WideShared,
    θ: WideShared,
    square: WideShared,
    v: WideShared,
    K: WideShared,
    between: WideShared,
) -> tuple[WideShared, WideShared, WideShared]:
    """μ + 64, V, and (k - 1)·τ²."""
    count, finer = len(θ), 1 << BETWEEN_BITS - VARIANCE_BITS
    kept, K_between = side_by_side(
        party,
        [
            lambda own: wide_products(own, [c, between.repeat(count)], [(0, 1)])[0],
            lambda own: wide_products(own, [K, between], [(0, 1)])[0],
        ],
    )
    w = wide_divide_to_wide(
        party,
        c * (FLOOR * finer) + kept,
        v * finer + between.repeat(count),
        digits=WEIGHT_DIGITS,
        bound=_weight_bound(),
        base=MANY_BASE,
    )
    wθ, wθθ = wide_products(party, [w, θ, square], [(0, 1), (0, 2)])
    S1, Sθ = w.sum(), wθ.sum()
    first, second, squared = wide_products(party, [S1, wθθ.sum(), Sθ], [(0, 1), (2, 2), (0, 0)])
    mean, spread = side_by_side(
        party,
        [
            lambda own: wide_divide_to_wide(
                own,
                Sθ + S1 * (FARTHEST << POINT_BITS),
                S1 * (2 * FARTHEST << POINT_BITS),
                digits=MEAN_DIGITS,
                bound=_mean_bound(),
                base=FEW_BASE,
            ),
            lambda own: wide_divide_to_wide(
                own,
                first - second,
                squared * (1 << SQUARE_BITS + SPREAD_TENS),
                digits=SPREAD_DIGITS,
                bound=_spread_bound(),
                base=FEW_BASE,
            ),
        ],
    )
    return mean, spread, K_between - between


def _weighed_cost(sites: int) -> Cost:
    kept = wide_products.cost(factors=2, pairs=1)
    weights = wide_divide_to_wide.cost(
        digits=WEIGHT_DIGITS, base=MANY_BASE, bound=_weight_bound()
    ).of(sites)
    sums = wide_products.cost(factors=3, pairs=2).of(sites)
    products = wide_products.cost(factors=3, pairs=3).of(1)
    mean = wide_divide_to_wide.cost(digits=MEAN_DIGITS, base=FEW_BASE, bound=_mean_bound())
    spread = wide_divide_to_wide.cost(digits=SPREAD_DIGITS, base=FEW_BASE, bound=_spread_bound())
    divisions = mean.of(1) | spread.of(1)
    return (kept.of(sites) | kept.of(1)) + weights + sums + products + divisions


def _weight_bound() -> int:
    return 1 << 8 * BETWEEN_DIGITS + 1


def _mean_bound() -> int:
    return 2 * FARTHEST << POINT_BITS + SUM_BITS


def _spread_bound() -> int:
    return 1 << 2 * SUM_BITS + SQUARE_BITS + SPREAD_TENS
