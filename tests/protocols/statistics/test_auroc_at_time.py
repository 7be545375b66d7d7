"""AUC(t): against all weighed pairs of cases and controls, and another program."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.statistics.test_c_index import gbsg2
from tests.protocols.statistics.test_censoring_weights import Row, agree, studies
from tests.protocols.statistics.test_censoring_weights import check as compare
from tests.protocols.studies import Study, run_all

__all__ = ["run_all"]
TEXT = "auroc_at_time:at={times}"
RESOLUTIONS = ("decimals:1", "bins:4", "bins:16")
SAMPLE, ALL = 6, 500
Weighed = list[tuple[Row, Fraction]]
# scikit-survival 0.28.0, cumulative_dynamic_auc of the risk in hundredths; its weights take the
# estimate at the time of an event, and timeROC and this program before it
GBSG2 = {365: 0.76728484, 730: 0.73913867, 1095: 0.74298459, 1825: 0.74953519}


def number(study: Study, cases: Weighed, controls: Weighed) -> Fraction | None:
    """Weighed pairs in order, ties counted half, over all of them."""
    won = total = Fraction(0)
    for one, weight in cases:
        for other, beside in controls:
            total += weight * beside
            order = 2 * (one[0] > other[0]) + (one[0] == other[0])
            won += weight * beside * order / 2
    return won / total if total else None


def drawn(count: int, seed: int) -> list[Study]:
    return studies(count, seed, TEXT, *RESOLUTIONS)


def check(study: Study, results: dict[str, str]) -> int:
    return compare(study, results, number)


def test_a_few_studies_have_the_value_of_their_weighed_pairs() -> None:
    assert agree(drawn(SAMPLE, 1), number) > SAMPLE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_five_hundred_studies_have_the_value_of_their_weighed_pairs(seed: int) -> None:
    assert agree(drawn(ALL // 20, seed), number) > ALL // 20


def test_a_published_model_has_the_values_of_another_program() -> None:
    at = "/".join(map(str, GBSG2))
    options = Options(
        metrics=(f"auroc_at_time:at={at}",),
        resolution="decimals:2",
        time_width="5",
        time_horizon="1825",
    )
    text = gbsg2(options, "risk")
    for part, wanted in zip(text.split("; "), GBSG2.values(), strict=True):
        assert abs(float(part.rpartition(" ")[2]) - wanted) < 0.002


def test_scores_that_are_not_counted_are_refused() -> None:
    with pytest.raises(OptionRefused, match="too many to count"):
        Options(metrics=("auroc_at_time",), time_edges=("1",))


def test_eight_owners_take_few_hops() -> None:
    options = Options(
        metrics=("auroc_at_time",), resolution="bins:100", time_width="90", time_horizon="1800"
    )
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [125_000] * 8)
    assert (cost.hops, cost.payload) == COST


COST = (158, 4320824)


def test_the_ledger_says_what_is_told() -> None:
    options = Options(metrics=("auroc_at_time:at=30",), time_edges=("30",), resolution="bins:9")
    assert ledger(options, [1000] * 4).learns.receivers == (
        "auroc_at_time:at=30: for each time the released decimals, and whether the number is "
        "undefined: nobody has the event by the time, or is followed for longer",
    )
