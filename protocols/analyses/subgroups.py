"""Performance of one model in each group of the samples, beside that in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class Subgroups(Analysis):
    """AUROC, calibration and Brier score of all samples and each group, and how groups differ."""

    name: ClassVar[str] = "subgroups"
    title: ClassVar[str] = "does the model do as well in each group of the samples"
    needs: ClassVar[str] = "a column of groups: --group-by COLUMN --group VALUE --group VALUE"
    tells: ClassVar[str] = (
        "discrimination and calibration of all samples and of each group, and how far they differ "
        "from those of the first group; how many samples each "
        "owner has of each group is told to everybody, unless lists are joined, and the numbers "
        "tell the class counts of a group roughly"
    )
    instead: ClassVar[Mapping[str, str]] = {"calibration_slope": "calibration_slope:bins=100"}
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12g, 23b: performance in key subgroups, fairness",
        "STARD-AI: diagnostic accuracy by subgroup",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        found = ["auroc_ci", "average_precision"]
        if scale.probabilities:
            found += ["calibration_slope", "observed_expected", "brier"]
        return (*found, *subgroup_gaps(scale))


def subgroup_gaps(scale: Scale) -> tuple[str, ...]:
    """The differences between groups: of AUROCs, and of probabilities of sensitivity and so on.

    Beside those of AUROCs stands the test that all of them are equal. The thresholds are usual ones
    of risks; a study names its own with `rates_groups:at=...`.
    """
    if not scale.probabilities:
        return ("auroc_groups", "auroc_groups_equal")
    return ("auroc_groups", "auroc_groups_equal", "rates_groups:at=0.2/0.5", "calibration_groups")
