"""Average precision with differential privacy, pessimistic in ties: noise that nobody knows.

[Thesis, 5.5]: the negatives come first among tied scores, so that with y_j = 1 for a positive

    AP = 1/P · Σ_j y_j·TP_j/j

needs no groups of ties. It is not what scikit-learn gives where scores are tied. With a public b,
the least number of positives that the study expects,

    g = AP·min(1, P/b) = Σ_j y_j·TP_j/j / max(P, b)

changes by at most H_b/b when one sample is replaced, H harmonic, and does so for some data
(`ppaurora.protocols.release.sensitivity`). It is the AP where there are b positives or more, shrunk
towards 0 where there are fewer, and 0 where there are none; b = 1, as for `mechanism=smooth`, gives
the AP. max(P, b) is a lookup of P.

The pipeline's classes are exchanged, its TP counts negatives: y_j·TP_j here is (1 - y_j)·(j - TP_j)
there. The fixed point of `ppaurora.protocols.arithmetic.reciprocals` moves g by less than 2^-64,
which is added to its sensitivity. One hop, 4 a limb and 4 for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_divisor, lookup, multiply, whole_quotient
from ppaurora.mpc.primitives.lookup import address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.reciprocals import Reciprocals
from ppaurora.protocols.arithmetic.rounding import exact_sum
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.sensitivity import (
    UNIT,
    Table,
    of_average_precision,
    of_average_precision_as_printed,
    shrunk_average_precision,
)
from ppaurora.protocols.statistics.noisy_number import FLOOR, SMOOTH, NoisyNumber
from ppaurora.protocols.statistics.parameters import OPTION, choice

SHARP, PRINTED = "sharp", "printed"


@dataclass(frozen=True, slots=True)
class PrivateAveragePrecision(NoisyNumber):
    """Average precision plus noise."""

    name: ClassVar[str] = "average_precision_dp"
    short: ClassVar[str] = "Average precision with noise"
    title: ClassVar[str] = (
        "average precision with differential privacy, negatives first in ties: noise of scale "
        "H/(least_class·epsilon), H = 1 + 1/2 + ... + 1/least_class, shrunk towards 0 where there "
        "are fewer positives than least_class; or, with mechanism=smooth or cauchy, by the smooth "
        "sensitivity"
    )
    known_as: ClassVar[str] = "Thesis 5.5, with a public scale or, smooth and printed, as printed"
    sensitivity: str = choice(
        "for mechanism=smooth or cauchy, the sharp bound or Eq. 5.20", SHARP, (SHARP, PRINTED)
    )

    def __post_init__(self) -> None:
        NoisyNumber.__post_init__(self)
        if self.mechanism == FLOOR and self.sensitivity == PRINTED:
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} with mechanism={FLOOR} and sensitivity={PRINTED}, but that "
                "mechanism is not printed",
                advice=f"Leave sensitivity out, or choose mechanism={SMOOTH}.",
            )

    def shrunk(self, party: Party, data: Ranked, digits: int, b: int) -> Shared:
        n, P = data.n, data.N
        weights = Reciprocals.fitting(n, 1, digits)
        if weights is None:
            raise LocalProtocolError(f"no weights for {n} samples and {digits} decimals")
        y = 1 - data.labels.y
        TP = np.arange(1, n + 1) - data.labels.TP
        products, M = side_by_side(
            party,
            [
                lambda own: multiply(own, concatenate([y, P]), concatenate([TP, P])),
                lambda own: lookup(own, P, [np.maximum(np.arange(n + 1), b)])[0],
            ],
        )
        # round_half_up(10^d·Y/M) = floor((floor(2·10^d·Y) + M) / 2M)
        Y2 = weights.whole_sum(party, products[:n], products[n:])
        return whole_quotient(party, Y2 + M, M * 2, digits=digits, bound=2 * max(n, b))

    def shrunk_cost(self, n: int, digits: int, b: int) -> Cost:
        weights = Reciprocals.fitting(n, 1, digits)
        chain = Cost() if weights is None else weights.cost()
        first = multiply.cost().of(n + 1) | lookup.cost(bits=address_bits(n + 1)).of(1)
        division = whole_quotient.cost(digits=digits, bound=2 * max(n, b)).of(1)
        return first + chain + division

    def shrunk_fits(self, n: int, digits: int, b: int) -> bool:
        fits = 2 * max(n, b) <= largest_divisor(digits)
        return n == 0 or (fits and Reciprocals.fitting(n, 1, digits) is not None)

    def exact(self, data: Pooled, b: int) -> Fraction:
        # the k-th positive of a group stands behind all its negatives
        terms = ((s + k, j - (t - s) + k) for s, t, _, j in data.steps for k in range(1, t - s + 1))
        return exact_sum(terms) / max(data.P, b)

    def public_sensitivity(self, b: int) -> Fraction:
        return Fraction(shrunk_average_precision(b) + 1, UNIT)

    @property
    def local_sensitivity(self) -> Table:
        bound = (
            of_average_precision if self.sensitivity == SHARP else of_average_precision_as_printed
        )
        return lambda n: [entry + 1 for entry in bound(n)]
