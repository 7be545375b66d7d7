"""The AUROC with differential privacy: noise that nobody knows.

[Thesis, 5.4, Theorem 5.1, erratum 9]: replacing one sample changes the AUROC by at most
1/min(P, N), which is secret. With a public b, the least class count that the study expects,

    f = 1/2 + (AUROC - 1/2)·min(1, min(P, N)/b)

changes by at most 3/(2b): the weight x/b times the change 1/x, and one half times the change 1/b of
the weight. It is the AUROC where both classes reach b, and shrunk towards 1/2 where they do not;
with b = 1, as for `mechanism=smooth`, it is the AUROC, and 1/2 where a class is missing. Ties count
half.

The pipeline's classes are exchanged, its y is 1 for a negative. With W = P·N - Σ (1 - y_j)·(TP_j +
B_j), m = min(P, N, b) and z = [P·N = 0],

    f = (P·N·b + W·m + z) / (2·P·N·b + 2·z),

m and z by one lookup of P. f is rounded to a whole number of decimals. Two hops and four for every
two decimals, beside which those of the noise take few.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, inner_product, largest_denominator, lookup, multiply
from ppaurora.mpc.primitives.lookup import address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.sensitivity import Table, of_auroc
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.noisy_number import NoisyNumber


@dataclass(frozen=True, slots=True)
class PrivateAuroc(NoisyNumber):
    """The AUROC with differential privacy: the exact number plus noise."""

    name: ClassVar[str] = "auroc_dp"
    short: ClassVar[str] = "AUROC with noise"
    title: ClassVar[str] = (
        "AUROC with differential privacy: noise of scale 1.5/(least_class·epsilon), shrunk towards "
        "1/2 where a class has fewer samples than least_class; or, with mechanism=smooth or "
        "cauchy, noise whose scale follows both class counts, which `ppaurora study check` tells "
        "for the study's least sizes"
    )
    known_as: ClassVar[str] = "Thesis 5.4, with a public scale or, smooth, as printed"
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})

    def shrunk(self, party: Party, data: Ranked, digits: int, b: int) -> Shared:
        labels, PN = data.labels, data.groups.PN
        U2, counts = side_by_side(
            party,
            [
                lambda own: inner_product(own, 1 - labels.y, labels.TP + data.groups.B),
                lambda own: _counts_of(own, labels.P, data.n, b),
            ],
        )
        m, z = counts[:1], counts[1:]
        N = PN * b + multiply(party, PN - U2, m) + z
        D = PN * (2 * b) + z * 2
        return divide(party, N, D, digits=digits, bound=_largest(data.n, b))

    def shrunk_cost(self, n: int, digits: int, b: int) -> Cost:
        counts = lookup.cost(bits=address_bits(n + 1)).of(1)
        return (
            (inner_product.cost().of(n) | counts)
            + multiply.cost().of(1)
            + divide.cost(digits=digits, bound=_largest(n, b)).of(1)
        )

    def shrunk_fits(self, n: int, digits: int, b: int) -> bool:
        return _largest(n, b) <= largest_denominator()

    def exact(self, data: Pooled, b: int) -> Fraction:
        half, smaller = Fraction(1, 2), min(data.P, data.N)
        if not smaller:
            return half
        U2 = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
        area = Fraction(U2, 2 * data.P * data.N)
        return half + (area - half) * min(Fraction(1), Fraction(smaller, b))

    def public_sensitivity(self, b: int) -> Fraction:
        return Fraction(3, 2 * b)

    @property
    def local_sensitivity(self) -> Table:
        return of_auroc


def _largest(n: int, b: int) -> int:
    return max(2, 2 * most_pairs(n) * b)


def _counts_of(party: Party, P: Shared, n: int, b: int) -> Shared:
    """min(P, N, b) and [P·N = 0], by one lookup."""
    positives = np.arange(n + 1)
    smaller = np.minimum(positives, n - positives)
    return concatenate(lookup(party, P, [np.minimum(smaller, b), smaller == 0]))
