"""Monitoring of one model in use: is it still as good, and as well calibrated, as it was."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale

THRESHOLDS = "0.1/0.2/0.5"
"""Thresholds of probabilities where a study names none of its own."""


class Monitoring(Analysis):
    """AUROC with its interval, prevalence, calibration in the large, sensitivity, specificity."""

    name: ClassVar[str] = "monitoring"
    title: ClassVar[str] = "is a model in use still as good as it was, release by release"
    needs: ClassVar[str] = "a schedule, for more than one release: --every month --first 2026-01"
    tells: ClassVar[str] = (
        "how many samples of each class there are, exactly, with the counts at thresholds, and by "
        "two releases how these change; a threshold with fewer than five samples of a class beside "
        "it is withheld"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "EU MDR 83 to 86, EU AI Act 72: performance in use, after the device is on the market",
        "TRIPOD+AI 12e, 23a: discrimination and calibration, with intervals",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        found = ["auroc_ci", "class_counts"]
        if scale.probabilities:
            found += [
                "observed_expected",
                "calibration_in_the_large",
                f"confusion:at={THRESHOLDS}",
            ]
        return tuple(found)
