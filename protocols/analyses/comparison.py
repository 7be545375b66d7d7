"""Comparison of models on the same samples."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale

TWO = 2
BY_SERVERS = 4
"""For so many models the servers compute the test that all AUROCs are equal, and tell only that."""


class ModelComparison(Analysis):
    """All AUROCs and their differences with intervals, and the test that they are equal."""

    name: ClassVar[str] = "comparison"
    title: ClassVar[str] = "which of several models is better on the same samples"
    needs: ClassVar[str] = "scores of other models for each sample: --against COLUMN for each"
    tells: ClassVar[str] = (
        "the areas of all models, their differences and how sure these are; with the number of "
        "samples these tell the smaller class count roughly; of more than four models also the "
        "covariance of the areas, which tells it closely"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12e, 23a: comparison with another model",
        "STARD-AI: comparison of index tests",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        if models <= TWO:
            return ("auroc_difference", "auroc_ci", "auroc_models", "average_precision")
        equal = "auroc_equal" if models <= BY_SERVERS else "auroc_equal:by=receiver"
        return ("auroc_models", "auroc_contrasts", equal, "average_precision")
