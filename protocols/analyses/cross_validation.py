"""Cross-validation of a model that was trained over several hospitals."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class CrossValidation(Analysis):
    """The means over folds with their intervals."""

    name: ClassVar[str] = "cross-validation"
    title: ClassVar[str] = "how good is a model that several hospitals trained, by folds"
    needs: ClassVar[str] = "folds by the patients' identifiers: --folds 5 --fold-by COLUMN"
    tells: ClassVar[str] = (
        "means over the folds, and how many samples of each hospital are in each fold; of a fold "
        "of few samples that can tell of a patient"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12d, 23a: internal validation across sites, without leakage between folds",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        return ("auroc_folds", "average_precision_folds")
