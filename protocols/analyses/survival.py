"""Validation of a model of the time to an event."""

from __future__ import annotations

from typing import ClassVar

from ppaurora.protocols.analyses.analysis import Analysis
from ppaurora.protocols.lists.scale import Resolution, Scale


class Survival(Analysis):
    """The order of events by scores, and how many have the event when."""

    name: ClassVar[str] = "survival"
    title: ClassVar[str] = "how well scores tell who has the event earlier, with censored times"
    needs: ClassVar[str] = (
        "the time of each sample and whether it ends with the event: --time COLUMN --event COLUMN, "
        "on a public grid of times (--time-edges, or --time-width and --time-horizon); for all but "
        "the curve scores that are counted in few cells (--resolution bins:100 or decimals:2)"
    )
    tells: ClassVar[str] = (
        "of all pairs of samples, in how many the scores have the right order, and so of those who "
        "had the event by each of four times and others; at these times how "
        "many had the event and how many are followed for longer, exactly, and the Kaplan-Meier "
        "curve; a time is withheld where the least cell is not reached"
    )
    answers: ClassVar[tuple[str, ...]] = ("TRIPOD+AI 12e, 23a: discrimination",)

    @staticmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        counted = scale.kind in (Resolution.BINS, Resolution.DECIMALS)
        scores = ("c_index", "auroc_at_time") if counted else ()
        return (*scores, "kaplan_meier")
