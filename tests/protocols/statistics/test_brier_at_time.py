"""The Brier score at t: against weighed squares row by row, and another program."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.statistics.test_c_index import gbsg2
from tests.protocols.statistics.test_censoring_weights import Row, agree, studies
from tests.protocols.statistics.test_censoring_weights import check as compare
from tests.protocols.studies import Study, run_all

__all__ = ["run_all"]
TEXT = "brier_at_time:at={times}"
SAMPLE, ALL = 6, 500
Weighed = list[tuple[Row, Fraction]]
GBSG2 = 0.20744177
"""scikit-survival 0.28.0, brier_score at 1825 days of the risk in hundredths."""


def number(study: Study, cases: Weighed, controls: Weighed) -> Fraction | None:
    """Weighed squares of what chances lack, over the number of samples."""
    if not controls:
        return None
    steps = 10**study.options.scale.number
    lost = sum((weight * (1 - chance(row, steps)) ** 2 for row, weight in cases), Fraction(0))
    lost += sum((weight * chance(row, steps) ** 2 for row, weight in controls), Fraction(0))
    return lost / len(study.labels)


def chance(row: Row, steps: int) -> Fraction:
    """The score behind a cell, of which the first is a chance of 1."""
    return 1 + Fraction(row[0]) / steps


def drawn(count: int, seed: int) -> list[Study]:
    return studies(count, seed, TEXT, "decimals:1", "decimals:2")


def check(study: Study, results: dict[str, str]) -> int:
    return compare(study, results, number)


def test_a_few_studies_have_the_value_of_their_weighed_squares() -> None:
    assert agree(drawn(SAMPLE, 1), number) > SAMPLE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_five_hundred_studies_have_the_value_of_their_weighed_squares(seed: int) -> None:
    assert agree(drawn(ALL // 20, seed), number) > ALL // 20


def test_a_published_model_has_the_value_of_another_program() -> None:
    options = Options(
        metrics=("brier_at_time:at=1825",),
        resolution="decimals:2",
        time_width="5",
        time_horizon="1825",
    )
    assert abs(float(gbsg2(options, "risk").rpartition(" ")[2]) - GBSG2) < 0.001


@pytest.mark.parametrize(
    "options", [{}, {"resolution": "bins:9"}, {"resolution": "decimals:1", "range": (0, 2)}]
)
def test_scores_that_are_no_chances_of_few_decimals_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(OptionRefused, match=r"squares chances|takes scores as prob") as refused:
        Options(metrics=("brier_at_time",), time_edges=("1",), **options)  # type: ignore[arg-type]
    assert refused.value.advice


def test_eight_owners_take_few_hops() -> None:
    options = Options(
        metrics=("brier_at_time:at=1800",),
        resolution="decimals:2",
        time_width="90",
        time_horizon="1800",
    )
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [125_000] * 8)
    assert (cost.hops, cost.payload) == COST


COST = (154, 3920448)
