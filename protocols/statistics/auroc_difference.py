"""The difference of two classifiers' AUROCs on the same samples, with its interval and z.

The AUROC of the first scores less that of the second ones, as pROC's paired `roc.test` has it; by
`ppaurora.protocols.statistics.contrasts`, which says how exact that is. A study of more models asks
for `auroc_contrasts`.

Nobody learns anything. 50 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.ranking.covariance import Pair
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.contrasts import Contrasts
from ppaurora.protocols.statistics.estimates import no_width

WITHOUT_WIDTH = (
    "DeLong's standard error is 0, as where both scores rank all samples alike or separate "
    "the classes, and z says nothing then; auroc_models has each AUROC with its interval"
)


@dataclass(frozen=True, slots=True)
class AurocDifference(Contrasts):
    """The difference, its lower and upper limit, and z."""

    name: ClassVar[str] = "auroc_difference"
    short: ClassVar[str] = "Difference of AUROCs"
    title: ClassVar[str] = (
        "difference of two AUROCs on the same samples, the first scores' less the second ones', "
        "with its confidence interval and z by DeLong's method"
    )
    known_as: ClassVar[str] = 'pROC roc.test(method = "delong", paired = TRUE)'
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    most_models: ClassVar[int] = 2
    instead: ClassVar[str] = "auroc_contrasts, which has the differences of all pairs"

    @property
    def pairs(self) -> Sequence[Pair]:
        return [(0, 1)]

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        found = self.read(words, decimals)
        if found is None:
            return Interval(undefined=self.undefined)
        [one] = found
        note = no_width(one.lower, one.upper, WITHOUT_WIDTH)
        return Interval(one.value, one.lower, one.upper, one.z, note=note)

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)
