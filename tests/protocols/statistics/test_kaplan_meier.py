"""The Kaplan-Meier curve: against its product over rows, other programs, and who subtracts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log, sqrt
from statistics import NormalDist

import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn_times import drawn_times
from tests.protocols.statistics.gbsg2 import columns
from tests.protocols.statistics.test_c_index import half_up, rows_of
from tests.protocols.studies import Owner, Study, checked, run

TEXT = "kaplan_meier:at={times}"
MOST = 5
SAMPLE, ALL = 6, 500
GBSG2 = {
    # lifelines 0.30.3 of all 686 patients: estimate and log-log limits
    365: (0.9155581042858468, 0.8916767781080729, 0.9343687147285821),
    730: (0.7462306262700644, 0.7108742429651514, 0.7779559364004358),
    1095: (0.6426203823795767, 0.603302479234841, 0.6791225853685323),
    1825: (0.49164487029400594, 0.4457972236661601, 0.535814188567471),
}


def definition(study: Study, end: Fraction) -> tuple[Fraction, Fraction | None, int, int]:
    """S, Greenwood's sum, followed for longer, and events: from one row after the other."""
    edges = study.options.times.edges
    rows = [
        (next(k for k, edge in enumerate([*edges, time]) if time <= edge), event)
        for _, time, event in rows_of(study)
    ]
    S, V = Fraction(1), Fraction(0)
    last = edges.index(end)
    for k in sorted({cell for cell, event in rows if event and cell <= last}):
        at_risk = sum(cell >= k for cell, _ in rows)
        died = sum(cell == k and event for cell, event in rows)
        S *= 1 - Fraction(died, at_risk)
        V += Fraction(died, at_risk * (at_risk - died)) if at_risk > died else 0
    left = sum(cell > last for cell, _ in rows)
    return S, V, left, sum(cell <= last and event for cell, event in rows)


def check(study: Study, results: dict[str, str]) -> int:
    """Compare each row with its definition; the number of rows with limits."""
    [(_, text)] = results.items()
    decimals, found = study.options.decimals, 0
    parts = text.split("; ")
    for end, part in zip(study.options.times.edges, parts, strict=False):
        S, V, left, events = definition(study, end)
        _, value, lower, upper, at_risk, died = (
            cell.rpartition(" ")[2] for cell in part.split(", ")
        )
        assert value == half_up(S, decimals), study
        assert (int(at_risk), int(died)) == (left, events), study
        assert (lower == "undefined") is (S in (0, 1)), study
        if lower != "undefined":
            assert V is not None
            wide = NormalDist().inv_cdf(0.975) * sqrt(V) / log(S)
            wanted = sorted(exp(log(S) * exp(sign * wide)) for sign in (1, -1))
            for limit, exact in zip((lower, upper), wanted, strict=True):
                assert abs(float(limit) - exact) < 0.51 * 10**-decimals + 1e-9, study
            found += 1
    return found


def studies(count: int, seed: int) -> list[Study]:
    return drawn_times(count, seed, [TEXT], resolutions=("full",), most_decimals=MOST, least_cell=1)


def agree(count: int, seed: int) -> int:
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_products_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_five_hundred_studies_have_the_products_of_their_rows(seed: int) -> None:
    assert agree(ALL // 20, seed) > ALL // 20


def gbsg2() -> tuple[Owner, ...]:
    """Three hospitals."""
    data, ends = columns(), (0, 100, 386, 686)
    return tuple(
        Owner(
            data["risk"][start:stop],
            [int(event) for event in data["event"][start:stop]],
            times=data["time"][start:stop],
        )
        for start, stop in pairwise(ends)
    )


def test_a_published_study_has_the_curve_of_another_program() -> None:
    at = "/".join(map(str, GBSG2))
    days = sorted({*map(int, columns()["time"]), *GBSG2})
    edges = tuple(str(day) for day in days if day <= max(GBSG2))
    options = Options(metrics=(f"kaplan_meier:at={at}",), time_edges=edges)
    [text] = run(Study(gbsg2(), options)).results.values()
    for part, numbers in zip(text.split("; "), GBSG2.values(), strict=True):
        told = [cell.rpartition(" ")[2] for cell in part.split(", ")]
        assert told[1:4] == [f"{number:.4f}" for number in numbers]


def test_a_time_with_few_events_beside_it_is_withheld() -> None:
    owners = tuple(
        Owner([0.5] * 40, [1] * 10 + [0] * 30, times=[10] * 8 + [20] * 2 + [15] * 10 + [40] * 20)
        for _ in range(2)
    )
    options = Options(metrics=("kaplan_meier:at=10/20",), time_edges=("10", "20", "30"))
    [text] = run(Study(owners, options)).results.values()
    first, second, why = text.split("; ")
    # between them one owner sees the other's two events; that in the middle comes first
    assert "withheld" in first
    assert second.startswith("time 20, survival 0.7")
    assert "1 to 4 events or censored samples between this time and another" in why


def test_a_time_that_is_no_end_of_a_cell_is_refused() -> None:
    with pytest.raises(OptionRefused, match="31 is no end of a cell"):
        Options(metrics=("kaplan_meier:at=30/31",), time_edges=("30", "60"))


def test_what_is_told_counts_as_told() -> None:
    def told(least: int, times: str = "30/60") -> Cells:
        edges = ("30", "60", "90")
        asked = (f"kaplan_meier:at={times}",)
        return Cells.of(Options(metrics=asked, time_edges=edges, least_cell=least))

    assert told(5).readings == {"events up to the times 30/60, least cell 5"}
    assert told(5, "30").readings - told(5).readings
    assert told(1, "30").readings < told(1).readings
    assert told(1).label_digits == 2 * 2 * 8


def test_eight_owners_take_few_hops() -> None:
    options = Options(
        metrics=("kaplan_meier:at=450/900/1350/1800",), time_width="90", time_horizon="1800"
    )
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [125_000] * 8)
    assert (cost.hops, cost.payload) == COST
    # without times it is of the quarters of the grid
    [one] = replace(options, metrics=("kaplan_meier",)).statistics
    assert one.words(4) == options.statistics[0].words(4)
    assert one.ends == options.statistics[0].ends


COST = (190, 7711920)


def test_the_ledger_says_what_is_told() -> None:
    options = Options(metrics=("kaplan_meier:at=30",), time_edges=("30",))
    [told] = ledger(options, [1000] * 4).learns.receivers
    assert "numbers of events until then and of samples followed for longer" in told
    assert "all owners but one together learn these counts of the last one's rows" in told
