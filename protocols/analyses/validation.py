"""External validation of one model: discrimination, calibration, and usefulness at thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class Validation(Analysis):
    """AUROC with its interval, average precision, curves, calibration, Brier, decision curve."""

    name: ClassVar[str] = "validation"
    title: ClassVar[str] = "how good is this model here: discrimination, calibration, net benefit"
    tells: ClassVar[str] = (
        "how many samples of each class there are, exactly, and rates at thresholds; a threshold "
        "with fewer than five samples of a class beside it is withheld"
    )
    instead: ClassVar[Mapping[str, str]] = {
        "class_counts": "",
        "spiegelhalter_z": "",
        "calibration_slope": "calibration_slope:bins=100",
        "calibration_in_the_large": "calibration_in_the_large:bins=100",
    }
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12e, 23a: discrimination, calibration and clinical utility, with intervals",
        "STARD-AI: sensitivity and specificity at stated thresholds, and the ROC curve",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        found = ["auroc_ci", "average_precision", "class_counts"]
        if scale.bounded:
            found += ["roc_curve:points=20", "pr_curve:points=20"]
        if scale.probabilities:
            found += [
                "calibration:bins=10",
                "calibration_slope",
                "calibration_in_the_large",
                "spiegelhalter_z",
                "observed_expected",
                "brier",
                "net_benefit:at=0.05/0.1/0.15/0.2/0.25/0.3/0.4/0.5",
            ]
        return tuple(found)
