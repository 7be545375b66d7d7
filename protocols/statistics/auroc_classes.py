"""The AUROC of each class against the rest, by its own scores.

A(c) = U_c / 2·P_c·(n - P_c) (`ppaurora.protocols.ranking.classes`), ties counted half, as
scikit-learn's `roc_auc_score(multi_class="ovr", average=None)`. A class that is missing, or that
all samples are in, has none.

Nobody learns anything. Seven hops for the products, and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, undefined, wide_divide, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.classes import PooledClasses, RankedClasses, ordered_pairs
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.of_classes import OfClasses, largest_pairs

COLUMNS = ("class", "auroc")


@dataclass(frozen=True, slots=True)
class AurocClasses(OfClasses):
    """Each class's AUROC against the rest."""

    name: ClassVar[str] = "auroc_classes"
    short: ClassVar[str] = "AUROC of each class"
    title: ClassVar[str] = "AUROC of each of several classes against the rest, by its own scores"
    known_as: ClassVar[str] = 'scikit-learn roc_auc_score(multi_class="ovr", average=None)'
    kind: ClassVar[ValueKind] = ValueKind.TABLE

    def private(self, party: Party, data: RankedClasses, decimals: int) -> Shared:
        N, D = against_the_rest(party, data)
        wide = widen(party, concatenate([N, D]))
        k, bound = self.k, largest_pairs(data.n)
        return wide_divide(party, wide[:k], wide[k:] * 2, digits=decimals, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        divided = wide_divide.cost(digits=decimals, bound=largest_pairs(n)).of(self.k)
        return multiply.cost().of(self.k) + widen.cost().of(2 * self.k) + divided

    def plaintext_words(self, data: PooledClasses, decimals: int) -> Sequence[int]:
        every = range(self.k)
        areas = (data.area(a, [b for b in every if b != a]) for a in every)
        return [
            undefined(decimals) if one is None else half_up(one * 10**decimals) for one in areas
        ]

    def words(self, decimals: int) -> int:
        return self.k

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(COLUMNS, undefined=self.undefined)
        rows = tuple(zip(self.classes, cells, strict=True))
        return Table(COLUMNS, rows, undefined=self.undefined if None in cells else "")

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def label_digits(self, decimals: int) -> int:
        return self.k * decimals


def against_the_rest(party: Party, data: RankedClasses) -> tuple[Shared, Shared]:
    """U_c and P_c·(n - P_c) of each class. One hop."""
    k = len(data.sizes)
    pairs = ordered_pairs(k)
    won = [[place for place, (first, _) in enumerate(pairs) if first == a] for a in range(k)]
    U = concatenate(data.U[own[0] : own[-1] + 1].sum() for own in won)
    return U, multiply(party, data.sizes, -data.sizes + data.n)
