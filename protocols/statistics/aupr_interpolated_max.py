"""The area under the precision-recall curve interpolated through the largest precisions.

[Thesis, section 4.3, Thm 4.1 and 4.2, erratum 3], through the largest of the precisions that each
recall has, which is that of the place j where the recall is reached. From the place j0 with T0
positives to j1 with p more of them, with u = p/(j1 - j0),

    P·area = Σ u·(p + (T0 - j0·u)·ln(j1/j0)),

from the first recall reached on, as printed: 0 for one recall. Unlike those through the mean and
the median it needs no more of the curve than is known in shares.

j0 and its logarithm travel by one more scan. u is found for every sample by a division to b bits,
which is most of the cost: 8 kB a sample for four decimals, and the reason for the bound.

How sure that is: the value is wrong, by one unit of its last decimal, only if the exact one lies
within 3·10^-e of a rounding boundary, e being five more than the released decimals, which are at
most eight. A u that is off by half a unit moves a term by at most 4·(j1 - j0) times that, since
j0·ln(j1/j0) <= j1 - j0; all terms together by 2·n/2^b, and the area, of at least two positives, by
half of it. Logarithms that are off by two units of their 58 bits move a term by at most j0·2^-57,
and the area by at most n·2^-57.

Nobody learns anything. 119 hops for four decimals of 1,000 samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    carry,
    divide,
    is_negative,
    multiply,
    products,
    wide_divide,
    wide_multiply,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.logarithms import logarithms
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.curve_areas import interpolated
from ppaurora.protocols.statistics.estimates import OneNumber
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Topic

MOST_SAMPLES, MOST_DECIMALS = 20_000, 8
GUARD_DIGITS = 5
LOG_BITS = 58
BASE_BITS = 2
BASE = 1 << BASE_BITS


def digits_of_u(n: int, decimals: int) -> int:
    """Digits in base 4 of u, b bits: n/2^b is at most 10^-e."""
    bits = int(n * 10 ** (decimals + GUARD_DIGITS)).bit_length()
    return -(-bits // BASE_BITS)


@dataclass(frozen=True, slots=True)
class InterpolatedMax(OneNumber[Ranked, Pooled]):
    """Through the largest precision at each recall."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "aupr_interpolated_max"
    title: ClassVar[str] = (
        "area under the precision-recall curve through the largest precision at each recall, from "
        "the first recall reached on; 0 where all positives are tied"
    )
    known_as: ClassVar[str] = "interpolated max estimator of the AUCPR"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = NO_POSITIVES

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        n, P = data.n, data.labels.P
        digits = digits_of_u(n, decimals)
        b = BASE_BITS * digits
        p, j0, T0, ln, g = _steps(party, data)
        u = divide(party, p, g, digits=digits, bound=n, base=BASE)
        wide = widen(party, concatenate([u, p, j0, T0, ln]))
        U, gained, place, before, L = (wide[k * n : (k + 1) * n] for k in range(5))
        # u·(p + (T0 - j0·u)·L), with b, b and 58 bits behind the point
        beside = wide_multiply(party, before * (1 << b) - wide_multiply(party, place, U), L)
        terms = wide_multiply(party, U, gained * (1 << b + LOG_BITS) + beside)
        whole = widen(party, P) * (1 << 2 * b + LOG_BITS)
        return wide_divide(party, terms.sum(), whole, digits=decimals, bound=_largest(n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        digits = digits_of_u(n, decimals)
        product = wide_multiply.cost().of(n)
        return (
            _steps_cost(n)
            + divide.cost(digits=digits, base=BASE, bound=n).of(n)
            + widen.cost().of(5 * n)
            + product
            + product
            + product
            + widen.cost().of(1)
            + wide_divide.cost(digits=decimals, bound=_largest(n, decimals)).of(1)
        )

    def scaled(self, data: Pooled, scale: int) -> int | None:
        if not data.P:
            return None
        points = [(j, t) for _, t, _, j in data.steps]
        return half_up(scale * Fraction(interpolated(points, max)))

    def fits(self, n: int, decimals: int) -> bool:
        return n <= (MOST_SAMPLES if decimals <= MOST_DECIMALS else 0)

    def label_digits(self, decimals: int) -> int:
        return decimals


def _largest(n: int, decimals: int) -> int:
    """The denominator is at most this."""
    return n << 2 * BASE_BITS * digits_of_u(n, decimals) + LOG_BITS


def _steps(party: Party, data: Ranked) -> list[Shared]:
    """p, j0, T0, ln(j1/j0) and j1 - j0 where a recall but the first is reached; else 0, and 1."""
    groups, n = data.groups, data.n
    j = np.arange(1, n + 1)
    ln = np.array(logarithms(n, LOG_BITS), np.int64)
    # U is more than B at a boundary only
    flags = is_negative(party, concatenate([groups.B - groups.U, -groups.B]))
    reached, after_first = flags[:n], flags[n:]
    places, logs = carry(party, reached, [reached * j, reached * ln])
    none = Shared.zeros(party.role, 1)
    j0, ln0 = (concatenate([none, column[:-1]]) for column in (places, logs))
    step = multiply(party, reached, after_first)
    p, at_j0, T0, at_ln0 = products(
        party, [step, groups.U - groups.B, j0, groups.B, ln0], [(0, 1), (0, 2), (0, 3), (0, 4)]
    )
    return [p, at_j0, T0, step * ln - at_ln0, step * j - at_j0 + (1 - step)]


def _steps_cost(n: int) -> Cost:
    """The cost of `_steps` for n samples."""
    flags = is_negative.cost().of(2 * n)
    chosen = multiply.cost().of(n) + products.cost(factors=5, pairs=4).of(n)
    return flags + carry.cost(columns=2).of(n) + chosen
