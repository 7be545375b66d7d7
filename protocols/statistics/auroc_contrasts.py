"""The differences of all pairs of several models' AUROCs, with intervals and z.

One row for each pair: the AUROC of one model less that of another named behind it, by
`ppaurora.protocols.statistics.contrasts`, which says how exact that is. Each interval and each z
is that of its pair alone: nothing is corrected for how many there are.

Nobody learns anything. 50 hops for four decimals, 60 of 16 models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.ranking.covariance import Pair, pairs_of
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, two_sided_p
from ppaurora.protocols.statistics.contrasts import Contrasts

COLUMNS = ("model", "against", "difference", "lower", "upper", "z", "p")


@dataclass(frozen=True, slots=True)
class AurocContrasts(Contrasts):
    """Each difference of two models with its limits, z and p."""

    name: ClassVar[str] = "auroc_contrasts"
    short: ClassVar[str] = "Differences of AUROCs"
    title: ClassVar[str] = (
        "differences of the AUROCs of all pairs of models on the same samples, with confidence "
        "intervals and z by DeLong's method, each pair by itself"
    )
    known_as: ClassVar[str] = "SAS PROC LOGISTIC ROCCONTRAST, pROC roc.test of each pair"
    kind: ClassVar[ValueKind] = ValueKind.TABLE

    @property
    def pairs(self) -> Sequence[Pair]:
        return pairs_of(self.k)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        found = self.read(words, decimals)
        if found is None:
            return Table(COLUMNS, undefined=self.undefined)
        return Table(
            COLUMNS,
            tuple(
                (
                    self.models[first],
                    self.models[second],
                    *(one.value, one.lower, one.upper, one.z, two_sided_p(one.z)),
                )
                for (first, second), one in zip(self.pairs, found, strict=True)
            ),
        )

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)
