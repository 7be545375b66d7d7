"""The AUROC with differential privacy: noise that nobody knows, of a public scale.

[Thesis, 5.4, Theorem 5.1, erratum 9]: replacing one sample changes the AUROC by at most
1/min(P, N), which is secret. With a public b, the least class count that the study expects,

    f = 1/2 + (AUROC - 1/2)·min(1, min(P, N)/b)

changes by at most 3/(2b): the weight x/b times the change 1/x, and one half times the change 1/b of
the weight. It is the AUROC where both classes reach b, and shrunk towards 1/2 where they do not. It
is defined for every data set, as nothing but the noisy value may be told, not even that a class is
missing. With W = Σ (1 - y_j)·(TP_j + B_j) - P·N, m = min(P, N, b) and z = [P·N = 0],

    f = (P·N·b + W·m + z) / (2·P·N·b + 2·z),

m and z by one lookup of P. f is rounded to the study's decimals, a whole number v; what is released
is v plus two-sided geometric noise (`ppaurora.protocols.release.noise`) for the sensitivity
ceil(3·10^d/2b), and the receiver cuts it off at 0 and 1. Two hops and four a decimal, beside which
the six of the noise take none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, inner_product, largest_denominator, lookup, multiply
from ppaurora.mpc.primitives.lookup import LARGEST_TABLE, address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.noise import LARGEST_EPSILON, GeometricNoise
from ppaurora.protocols.release.privacy import Privacy, noisy_text
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.parameters import number, whole
from ppaurora.protocols.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True)
class PrivateAuroc(Statistic[Ranked, Pooled]):
    """AUROC plus noise."""

    name: ClassVar[str] = "auroc_dp"
    title: ClassVar[str] = (
        "AUROC with differential privacy: noise of scale 1.5/(least_class·epsilon), shrunk towards "
        "1/2 where a class has fewer samples than least_class"
    )
    known_as: ClassVar[str] = "Thesis 5.4, with a public scale"
    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = "there are no samples"
    epsilon: Fraction = number(
        "the privacy loss of this number", most=str(LARGEST_EPSILON), least="0.001"
    )
    least_class: int = whole("the least class count that is expected", least=1)

    def privacy(self, decimals: int) -> Privacy:
        return Privacy(self.epsilon, self._noise(decimals).delta)

    def _noise(self, decimals: int) -> GeometricNoise:
        sensitivity = ceil(Fraction(3 * 10**decimals, 2 * self.least_class))
        return GeometricNoise(self.epsilon, sensitivity)

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        value, noise = side_by_side(
            party,
            [
                lambda own: self._value(own, data, decimals),
                lambda own: self._noise(decimals).drawn(own),
            ],
        )
        return value + noise

    def _value(self, party: Party, data: Ranked, decimals: int) -> Shared:
        labels, PN, b = data.labels, data.groups.PN, self.least_class
        U2, counts = side_by_side(
            party,
            [
                lambda own: inner_product(own, 1 - labels.y, labels.TP + data.groups.B),
                lambda own: _counts_of(own, labels.P, data.n, b),
            ],
        )
        m, z = counts[:1], counts[1:]
        N = PN * b + multiply(party, U2 - PN, m) + z
        D = PN * (2 * b) + z * 2
        return divide(party, N, D, digits=decimals, bound=self._largest(data.n))

    def _largest(self, n: int) -> int:
        return max(2, 2 * most_pairs(n) * self.least_class)

    def cost(self, n: int, decimals: int) -> Spent:
        counts = lookup.cost(bits=address_bits(n + 1)).of(1)
        value = (
            (inner_product.cost().of(n) | counts)
            + multiply.cost().of(1)
            + divide.cost(digits=decimals, bound=self._largest(n)).of(1)
        )
        return value | self._noise(decimals).cost()

    def in_clear(self, data: Pooled, decimals: int) -> Sequence[int]:
        """The value before the noise."""
        half, smaller = Fraction(1, 2), min(data.P, data.N)
        if not smaller:
            return [half_up(half * 10**decimals)]
        U2 = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
        area = Fraction(U2, 2 * data.P * data.N)
        weight = min(Fraction(1), Fraction(smaller, self.least_class))
        return [half_up((half + (area - half) * weight) * 10**decimals)]

    def words(self, decimals: int) -> int:
        return 1

    def released(self, words: Sequence[int], decimals: int) -> Released:
        return Scalar(noisy_text(self.text, words[0], decimals, self._noise(decimals).largest))

    def nothing(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def holds(self, n: int, decimals: int) -> bool:
        fits = self._largest(n) <= largest_denominator() and n < LARGEST_TABLE
        return fits and self._noise(decimals).largest < 1 << 61

    def leaks(self, decimals: int) -> str:
        return f"the noisy value, {self.privacy(decimals)}, and nothing else"


def _counts_of(party: Party, P: Shared, n: int, b: int) -> Shared:
    """min(P, N, b) and [P·N = 0], by one lookup."""
    positives = np.arange(n + 1)
    smaller = np.minimum(positives, n - positives)
    return concatenate(lookup(party, P, [np.minimum(smaller, b), smaller == 0]))
