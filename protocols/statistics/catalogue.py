"""The metrics: what each is called, what it needs, what it leaks, and which function computes it.

A study asks for several; the sort, the ties and the scan then run once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.ranking.labels import Groups, Labels
from ppaurora.protocols.statistics import aupr, auroc

NO_CLASS = "a class is missing"
NO_POSITIVES = "there are no positives"
ONE_HUNDREDTH = 100


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of the sorted list.

    `ratio` runs on the labels and, where `needs_ties`, on the groups of tied scores, scanned both
    ways where `needs_next`. `holds` says whether n samples can be computed to so many decimals.
    """

    name: str
    title: str
    scikit_learn: str
    needs_ties: bool
    needs_next: bool
    undefined: str
    leaks: str
    ratio: Callable[[Party, Labels, Groups | None], Ratio]
    holds: Callable[[int, int], bool]

    def most_samples(self, decimals: int) -> int:
        """The largest number of samples that `holds`, by bisection."""
        low, high = 0, 1 << 31
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.holds(middle, decimals) else (low, middle - 1)
        return low


def _grouped(groups: Groups | None) -> Groups:
    if groups is None:
        raise LocalProtocolError("this metric needs the groups of tied scores")
    return groups


def _fixed_point_holds(n: int, decimals: int, c: int) -> bool:
    """Whether the error of the reciprocals is at most a hundredth of the last decimal."""
    fixed = aupr.FixedPoint.fitting(n, c)
    return fixed is not None and fixed.error * ONE_HUNDREDTH * 10**decimals <= 1


_LEAKS = "the released decimals, and whether the metric is undefined: {}"

METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name="auroc",
            title="AUROC, ties counted half",
            scikit_learn="roc_auc_score",
            needs_ties=True,
            needs_next=False,
            undefined=NO_CLASS,
            leaks=_LEAKS.format(NO_CLASS),
            ratio=lambda party, labels, groups: auroc.auroc(party, labels, _grouped(groups)),
            holds=lambda n, decimals: 2 * auroc.most_pairs(n) <= largest_denominator(),
        ),
        Metric(
            name="auroc_no_ties",
            title="AUROC for scores without ties between the classes",
            scikit_learn="roc_auc_score, where no positive is tied with a negative",
            needs_ties=False,
            needs_next=False,
            undefined=NO_CLASS,
            leaks=_LEAKS.format(NO_CLASS),
            ratio=lambda party, labels, groups: auroc.auroc_no_ties(party, labels),
            holds=lambda n, decimals: auroc.most_pairs(n) <= largest_denominator(),
        ),
        Metric(
            name="aupr",
            title="area under the precision-recall curve, by trapezoids",
            scikit_learn="auc over precision_recall_curve",
            needs_ties=True,
            needs_next=True,
            undefined=NO_POSITIVES,
            leaks=_LEAKS.format(NO_POSITIVES),
            ratio=lambda party, labels, groups: aupr.aupr(party, labels, _grouped(groups)),
            holds=lambda n, decimals: _fixed_point_holds(n, decimals, 2),
        ),
        Metric(
            name="average_precision",
            title="average precision, by steps",
            scikit_learn="average_precision_score",
            needs_ties=True,
            needs_next=False,
            undefined=NO_POSITIVES,
            leaks=_LEAKS.format(NO_POSITIVES),
            ratio=lambda party, labels, groups: aupr.average_precision(
                party, labels, _grouped(groups)
            ),
            holds=lambda n, decimals: _fixed_point_holds(n, decimals, 1),
        ),
    )
}


def metrics_named(names: tuple[str, ...]) -> list[Metric]:
    """The metrics of these names, in this order."""
    return [METRICS[name] for name in names]
