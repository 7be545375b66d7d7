"""The AUROC of clustered samples with its confidence interval, several samples of one patient.

Obuchowski's standard error (`ppaurora.protocols.ranking.clustered`) on the plain scale, AUROC ±
z·SE cut off at 0 and 1, as `ppaurora.protocols.ranking.area_limits` takes it from DeLong's. The
AUROC is that of all samples. Clusters are those of one owner: a patient whom two owners have is in
two clusters, and the interval is then too narrow.

How sure that is: as there. Nobody learns anything. 54 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.clusters import Clusters
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.clustered import (
    FEW_CLUSTERS,
    ClusteredRows,
    PooledClusters,
    clustered,
    clustered_cost,
    holds_clusters,
    largest_clustered_denominator,
)
from ppaurora.protocols.ranking.delong import largest_area_denominator
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import number


@dataclass(frozen=True, slots=True)
class AurocClusters(OneInterval[ClusteredRows, PooledClusters]):
    """AUROC, lower and upper limit, by Obuchowski's variance."""

    name: ClassVar[str] = "auroc_clusters"
    short: ClassVar[str] = "AUROC, clustered"
    reference: ClassVar[str] = "Obuchowski, Biometrics 1997"
    title: ClassVar[str] = (
        "AUROC of clustered samples with its confidence interval by Obuchowski's method, the "
        "limits sure to eight further decimals and then rounded"
    )
    known_as: ClassVar[str] = "Obuchowski's funcs_clusteredROC.R"
    pipeline: ClassVar[type[Clusters]] = Clusters
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = FEW_CLUSTERS
    without_width: ClassVar[str] = (
        "Obuchowski's standard error is 0 to these decimals, as it always is where the classes are "
        "separated, however far off the AUROC may be"
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits on the plain scale."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: ClusteredRows, decimals: int) -> Shared:
        found = clustered(party, data)
        limits, whole = self.limits.around(party, found, data.n, decimals)
        N, D = concatenate_wide([found.area.N, limits]), concatenate_wide([found.area.D, whole])
        return wide_divide(party, N, D, digits=decimals, bound=_largest(data.n, decimals))

    def cost(self, n: int, decimals: int) -> Cost:
        rounding = wide_divide.cost(digits=decimals, bound=_largest(n, decimals)).of(3)
        return clustered_cost(n) + self.limits.around_cost(decimals) + rounding

    def plaintext_words(self, data: PooledClusters, decimals: int) -> Sequence[int]:
        found = data.placed()
        if found is None:
            return [undefined(decimals)] * self.words(decimals)
        values = (found.area, *self.limits.beside(found))
        return [half_up(value * 10**decimals) for value in values]

    def fits(self, n: int, decimals: int) -> bool:
        rooted = largest_root_denominator(places(decimals), BASE)
        divided = _largest(n, decimals) <= largest_wide_denominator(BASE)
        return holds_clusters(n) and divided and largest_clustered_denominator(n) <= rooted

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, which with the number of samples tell the smaller class count, "
            "or how samples are in clusters, roughly, and whether the metric is undefined: "
            f"{self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # the limits tell one number beside the area: an error, which nearly every set of labels of
        # the clusters changes
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


def _largest(n: int, decimals: int) -> int:
    """The denominators of the AUROC and of its limits are at most this."""
    rounded: int = BASE ** (2 * places(decimals))
    return max(largest_area_denominator(n), rounded)
