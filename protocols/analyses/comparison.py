"""Comparison of two models on the same samples."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class ModelComparison(Analysis):
    """The difference of two AUROCs with its interval, and the first model by itself."""

    name: ClassVar[str] = "comparison"
    title: ClassVar[str] = "which of two models is better on the same samples"
    needs: ClassVar[str] = "a second score of each sample: --against COLUMN"
    tells: ClassVar[str] = (
        "two areas, their difference and how sure it is; with the number of samples these tell the "
        "smaller class count roughly"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12e, 23a: comparison with another model",
        "STARD-AI: comparison of index tests",
    )

    @staticmethod
    def metrics(scale: Scale) -> tuple[str, ...]:
        return ("auroc_difference", "auroc_ci", "average_precision")
