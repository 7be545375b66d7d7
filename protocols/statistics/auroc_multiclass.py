"""One AUROC of several classes: macro or weighted means against the rest, or Hand and Till's M.

With A(c) the AUROC of class c against the rest, A(a|b) that of the scores of a between classes a
and b, and P_c the size of class c (`ppaurora.protocols.ranking.classes`), of k classes and n
samples, `mean=`

    macro      Σ A(c) / k
    weighted   Σ P_c·A(c) / n = Σ U_c / 2·n·(n - P_c)
    pairs      2/(k·(k - 1))·Σ_(a<b) (A(a|b) + A(b|a))/2 = Σ_(a≠b) U_ab / 2·k·(k - 1)·P_a·P_b

as scikit-learn's `roc_auc_score` with multi_class="ovr" and average="macro" or "weighted", and with
"ovo" and "macro"; the last is Hand and Till's M [Hand and Till, Eq. 7]. Undefined where any class
is missing.

Every quotient is computed to eight or nine decimals more than are released and stays shared; the
sum is rounded half up. It can be wrong by one unit of its last decimal only if the exact one lies
within 10^-(d + 8) of a rounding boundary, d being the decimals.

Nobody learns anything. 43 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_wide_denominator,
    multiply,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_multiply,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.area_limits import BASE, places
from ppaurora.protocols.ranking.classes import PooledClasses, RankedClasses, ordered_pairs
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind, ratio_text
from ppaurora.protocols.statistics.auroc_classes import against_the_rest
from ppaurora.protocols.statistics.of_classes import OfClasses, largest_pairs
from ppaurora.protocols.statistics.parameters import choice

MACRO, WEIGHTED, PAIRS = "macro", "weighted", "pairs"


@dataclass(frozen=True, slots=True)
class AurocMulticlass(OfClasses):
    """A mean of the AUROCs of all classes."""

    name: ClassVar[str] = "auroc_multiclass"
    short: ClassVar[str] = "Multiclass AUROC"
    title: ClassVar[str] = (
        "AUROC of several classes: mean of each class against the rest, or Hand and Till's M"
    )
    known_as: ClassVar[str] = "scikit-learn roc_auc_score(multi_class=...), pROC multiclass.roc"
    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    mean: str = choice(
        "macro and weighted are of each class against the rest; pairs is Hand and Till's M",
        MACRO,
        (MACRO, WEIGHTED, PAIRS),
    )

    @property
    def source(self) -> str:
        return "Hand and Till, Machine Learning 2001" if self.mean == PAIRS else ""

    @property
    def _count(self) -> int:
        """The number of quotients, and what their sum is divided by."""
        return len(ordered_pairs(self.k)) if self.mean == PAIRS else self.k

    def private(self, party: Party, data: RankedClasses, decimals: int) -> Shared:
        there, found = side_by_side(
            party,
            [
                lambda own: widen(own, _all_there(own, data)),
                lambda own: self._sum(own, data, decimals),
            ],
        )
        # 0/0 where a class is missing
        scale = BASE ** places(decimals)
        sum_of_present = wide_multiply(party, found, there)
        bound = self._whole * scale
        return wide_divide(party, sum_of_present, there * bound, digits=decimals, bound=bound)

    @property
    def _whole(self) -> int:
        # weighted quotients are of n, and so is their sum
        return 1 if self.mean == WEIGHTED else self._count

    def _sum(self, party: Party, data: RankedClasses, decimals: int) -> WideShared:
        """The sum of all quotients, in units of 10^-e."""
        N, D = self._ratios(party, data)
        wide, m = widen(party, concatenate([N, D])), self._count
        return wide_divide_to_wide(
            party,
            wide[:m],
            wide[m:] * 2,
            digits=places(decimals),
            base=BASE,
            bound=self._largest(data.n),
        ).sum()

    def _largest(self, n: int) -> int:
        """The denominators of the quotients are at most this."""
        return 4 * largest_pairs(n) if self.mean == WEIGHTED else largest_pairs(n)

    def _ratios(self, party: Party, data: RankedClasses) -> tuple[Shared, Shared]:
        """Numerators, and half the denominators. One hop."""
        if self.mean == MACRO:
            return against_the_rest(party, data)
        if self.mean == WEIGHTED:
            U, _ = against_the_rest(party, data)
            return U, (-data.sizes + data.n) * data.n
        size = [data.sizes[place : place + 1] for place in range(self.k)]
        pairs = ordered_pairs(self.k)
        first, second = (concatenate(size[pair[side]] for pair in pairs) for side in (0, 1))
        return data.U, multiply(party, first, second)

    def cost(self, n: int, decimals: int) -> Cost:
        m, bound = self._count, self._largest(n)
        products = multiply.cost().of(m if self.mean == PAIRS else self.k)
        divided = wide_divide_to_wide.cost(digits=places(decimals), base=BASE, bound=bound).of(m)
        found = products + widen.cost().of(2 * m) + divided
        whole = self._whole * BASE ** places(decimals)
        last = wide_divide.cost(digits=decimals, bound=whole).of(1)
        there = _all_there_cost(self.k) + widen.cost().of(1)
        return (there | found) + wide_multiply.cost().of(1) + last

    def plaintext_words(self, data: PooledClasses, decimals: int) -> Sequence[int]:
        sizes, every = data.sizes, range(self.k)
        if not all(sizes):
            return [undefined(decimals)]
        if self.mean == PAIRS:
            areas = [data.area(a, [b]) or Fraction(0) for a, b in ordered_pairs(self.k)]
            return [half_up(sum(areas, Fraction(0)) / len(areas) * 10**decimals)]
        areas = [data.area(a, [b for b in every if b != a]) or Fraction(0) for a in every]
        weights = sizes if self.mean == WEIGHTED else [1] * self.k
        total = sum((one * weight for one, weight in zip(areas, weights, strict=True)), Fraction(0))
        return [half_up(total / sum(weights) * 10**decimals)]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value = ratio_text(self.text, words[0], decimals)
        return Scalar(undefined=self.undefined) if value is None else Scalar(value)

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        whole = self._whole * BASE ** places(decimals) <= largest_wide_denominator()
        divided = self._largest(n) <= largest_wide_denominator(BASE)
        return whole and divided and OfClasses.fits(self, n, decimals)


def _all_there(party: Party, data: RankedClasses) -> Shared:
    """1 if no class is missing, 0 otherwise."""
    missing = is_zero(party, data.sizes).sum()
    return is_zero(party, missing)


def _all_there_cost(classes: int) -> Cost:
    return is_zero.cost().of(classes) + is_zero.cost().of(1)
