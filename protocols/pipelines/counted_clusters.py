"""The pipeline of counted clusters: owners' sums whose bootstrap replicates are of whole clusters.

An upload is that of owners' sums, word for word as long, and is checked as that is
(`ppaurora.protocols.grid.layout`): which samples are of one cluster only its owner knows, who draws
from it (`ppaurora.protocols.grid.resampling`). Nobody else learns how many clusters there are, or
how large one is, beyond the study's public largest one. Clusters of one owner are not joined with
those of another, whatever their identifiers say: a patient whom two owners have is drawn by each
for itself.

Rows are needed, not counts: how often a cell has samples does not say of whom they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ppaurora.mpc.words import Words
from ppaurora.protocols.pipelines.clusters import CLUSTER
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class CountedClusters(OwnersSums):
    """Counts between thresholds, sums over each owner's own rows, and replicates of clusters."""

    name: ClassVar[str] = "counted clusters"
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (OwnersSums,)
    columns: ClassVar[tuple[str, ...]] = (CLUSTER,)
    of_groups: ClassVar[bool] = False

    @property
    def sound(self) -> str:
        return (
            "made of counts that add up to the stated number of samples, with replicates of about "
            "as many"
        )

    @property
    def counting_grid(self) -> None:
        return None

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        column, clusters = keys
        return self.layout.upload(column, secret, left_out, clusters)
