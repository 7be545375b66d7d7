"""The cluster of each sample, such as the patient of whom several samples are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.columns.group import plain_group
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.grid.resampling import largest_cluster
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.clusters import CLUSTER


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterBy(ExtraColumn):
    """The identifiers by which samples are in clusters; all rows of one are in one cluster.

    They stay with their owner, so that a patient whom two owners have is in two clusters. Case and
    blanks at the ends make no difference.

    >>> ClusterBy(column="patient").column
    'patient'
    """

    name: ClassVar[str] = CLUSTER
    heading: ClassVar[str] = "Clusters by"
    numeric: ClassVar[bool] = False
    analysis: ClassVar[str] = ""
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the clusters",
        "Name the column of the patients' identifiers (clusters.by, or --cluster-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names clusters of samples, and no metric is of clusters",
        "Ask for auroc_clusters or bootstrap:unit=cluster, or leave it out.",
    )

    column: str = option(
        "",
        "the column of clusters, such as patients of whom there are several samples",
        table="clusters",
        key="by",
        flag="cluster-by",
        applies=lambda by: bool(by.column),
    )

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        known = {text: plain_group(text) for text in set(map(str, values))}
        texts = [known[str(value)] for value in values]
        empty = Fault.found("cluster", "empty", np.array([not text for text in texts], np.bool_))
        if empty is not None:
            raise DataRefused(
                f'In column "{self.column}"',
                faults=[empty],
                advice="Give every row the identifier of its patient, or leave these rows out.",
            )
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        found = np.array([places[text] for text in texts], np.uint64)
        self._check_largest(found, largest_cluster(options.asked))
        return found

    def _check_largest(self, found: Words, largest: int | None) -> None:
        """Refuse clusters of more samples than the study's draws allow."""
        sizes = np.bincount(found.astype(np.intp), minlength=1)
        if largest is None or sizes.max() <= largest:
            return
        beyond = Fault.found(
            "cluster", f"of more than {largest} samples", sizes[found.astype(np.intp)] > largest
        )
        assert beyond is not None
        raise DataRefused(
            f'In column "{self.column}"',
            faults=[beyond],
            advice="The servers hold replicates of this study to the clusters that it allows. "
            "Agree on a study whose bootstrap says a larger one (largest=...), or correct the "
            "column if these rows are not of one patient.",
        )
