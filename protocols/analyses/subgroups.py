"""Performance of one model in each group of the samples, beside that in all of them."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class Subgroups(Analysis):
    """AUROC with its interval, calibration and Brier score of all samples and of each group."""

    name: ClassVar[str] = "subgroups"
    title: ClassVar[str] = "does the model do as well in each group of the samples"
    needs: ClassVar[str] = "a column of groups: --group-by COLUMN --group VALUE --group VALUE"
    tells: ClassVar[str] = (
        "discrimination and calibration of all samples and of each group; how many samples each "
        "owner has of each group is told to everybody, and the numbers tell the class counts of a "
        "group roughly"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12g, 23b: performance in key subgroups, fairness",
        "STARD-AI: diagnostic accuracy by subgroup",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        found = ["auroc_ci", "average_precision"]
        if scale.probabilities:
            found += ["calibration_slope", "observed_expected", "brier"]
        return tuple(found)
