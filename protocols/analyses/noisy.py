"""Release with differential privacy."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class Noisy(Analysis):
    """AUROC and average precision with noise that hides each sample."""

    name: ClassVar[str] = "noisy"
    title: ClassVar[str] = "how well scores tell the classes apart, with differential privacy"
    tells: ClassVar[str] = (
        "two numbers with noise: whatever else anybody knows, they change the odds about one "
        "sample by a factor of at most e² (ε = 2 together)"
    )
    answers: ClassVar[tuple[str, ...]] = ("TRIPOD+AI 12e, 23a: discrimination",)

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        smooth = "epsilon=1,mechanism=smooth,delta=0.000001"
        return (f"auroc_dp:{smooth}", f"average_precision_dp:{smooth}")
