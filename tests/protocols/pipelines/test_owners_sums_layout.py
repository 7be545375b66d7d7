"""The layout of owners' sums is computed once for equal studies, and is each study's own."""

from __future__ import annotations

from fractions import Fraction

from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.grid.layout import Layout
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import OwnersSums

METRICS = ("net_benefit:at=0.1/0.2", "confusion:at=0.2/0.7", "brier")


def layout(**changes: object) -> Layout:
    options = Options(**{"metrics": METRICS, **changes})  # type: ignore[arg-type]
    assert isinstance(options.pipeline, OwnersSums)
    return options.pipeline.layout


def test_equal_studies_have_one_layout_in_a_process() -> None:
    assert layout() is layout()


def test_each_threshold_of_several_statistics_has_its_place_among_all() -> None:
    made = layout()
    assert made.grid == Thresholds((Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)))
    # cells above 0.7, 0.2 and 0.1
    assert made.cuts.shown == (1, 2, 3)


def test_whatever_changes_the_layout_makes_another_one() -> None:
    lower, fewer = layout(direction="lower"), layout(metrics=METRICS[1:])
    assert lower.grid.direction == "lower"
    assert len(fewer.grid) == 3
    assert layout(least_cell=7).cuts.least == 7
    assert layout(resolution="float32").grid == Thresholds(
        (Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)), single=True
    )
