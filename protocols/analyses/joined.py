"""Performance of a model whose scores and outcomes different owners hold."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Scale


class JoinedLists(Analysis):
    """AUROC and average precision of the rows that have both; an interval would tell how many."""

    name: ClassVar[str] = "joined"
    title: ClassVar[str] = "how good is a model whose scores and outcomes different owners hold"
    needs: ClassVar[str] = "identifiers by which rows are joined: --join-by COLUMN --least-join 20"
    tells: ClassVar[str] = (
        "discrimination over the rows that have a score at one owner and an outcome at another; "
        "nobody is told which rows these are, nor how many"
    )
    answers: ClassVar[tuple[str, ...]] = (
        "TRIPOD+AI 12e, 23a: discrimination, with outcomes from another source",
    )

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        return ("auroc", "average_precision")
