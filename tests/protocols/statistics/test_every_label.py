"""Numbers that a receiver makes of every point of the curve, and warnings about them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ppaurora.mpc.errors import BoundExceeded, RemoteProtocolError
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import check_bounds
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.curve_areas import hull, interpolated_mean, interpolated_median
from ppaurora.protocols.release.curve_areas import rounded as decimal
from ppaurora.protocols.release.values import Table
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import dealt_out, drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

TABLE_4_1 = [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
AREAS = {
    "aupr_interpolated_mean": interpolated_mean,
    "aupr_interpolated_median": interpolated_median,
    "aupr_hull": hull,
}
DISCLOSING = ("labels_by_rank", *AREAS)
MOST = 300


def points_of(scores: list[float], labels: list[int]) -> list[tuple[int, int]]:
    """Samples and positives down to each score."""
    ends, j, t = [], 0, 0
    for positives, negatives in pooled.groups(scores, labels):
        j, t = j + positives + negatives, t + positives
        ends.append((j, t))
    return ends


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        points = points_of(study.scores, study.labels)
        for text, found in outcome.results.items():
            name = text.partition(":")[0]
            if name == "labels_by_rank":
                assert found == "; ".join(f"samples {j}, positives {t}" for j, t in points)
            elif not any(study.labels):
                assert found == "undefined: there are no positives"
            else:
                assert found == decimal(AREAS[name](points), study.options.decimals)


ASKED = [tuple(f"{name}:samples={MOST}" for name in DISCLOSING)]


def test_drawn_studies_have_the_areas_of_their_points() -> None:
    check_all(one_of_each_size(drawn_studies, 51, ASKED, 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_areas_of_their_points() -> None:
    check_all(drawn_studies(400, 52, ASKED, 15))
    check_all(dealt_out(drawn_studies(120, 53, ASKED, 15), 54))


def test_the_table_of_the_thesis_has_every_value() -> None:
    values = {
        "auroc": "0.706667",
        "average_precision": "0.558824",
        "aupr": "0.521078",
        "aupr_lower_trapezoid": "0.321078",
        "aupr_upper_trapezoid": "0.383333",
        "aupr_interpolated_mean:samples=20": "0.333334",
        "aupr_interpolated_median:samples=20": "0.320083",
        "aupr_hull:samples=20": "0.643480",
    }
    scores = [1 - place / 20 for place in range(20)]
    study = Study(
        (Owner(scores, TABLE_4_1),), Options(metrics=tuple(values), decimals=6, least_cell=1)
    )
    assert run(study).results == values


def test_all_labels_are_told_and_the_texts_say_so() -> None:
    """Without ties the table is the list of labels: that is what the ledger has to say."""
    text = "labels_by_rank:samples=50"
    scores = [1 - place / 20 for place in range(20)]
    one = statistic(text)
    study = Study((Owner(scores, TABLE_4_1),), Options(metrics=(text,), least_cell=1))
    assert run(study).results[text].startswith("samples 1, positives 1; samples 2, positives 1;")
    words = [place + 1 for _, place in points_of(scores, TABLE_4_1)] + [0] * 30
    table = one.decode(words, 4)
    assert isinstance(table, Table)
    positives = [0, *(int(str(row[1])) for row in table.rows or ())]
    assert [after - before for before, after in pairwise(positives)] == TABLE_4_1


@pytest.mark.parametrize("name", DISCLOSING)
def test_the_ledger_warns_loudly(name: str) -> None:
    text = f"{name}:samples=200"
    told = ledger(Options(metrics=(text,), least_cell=1), [60, 60, 60])
    assert "THE LABEL OF EVERY SAMPLE in the order of the scores" in told.learns.receivers[0]
    assert any("every one of the 180 samples" in one for one in told.warnings)
    assert "DISCLOSES EVERY LABEL" in statistic(text).title
    assert statistic(text).readings() == {f"rank {place}" for place in range(1, 201)}


@pytest.mark.parametrize("name", DISCLOSING)
def test_how_many_labels_may_be_disclosed_has_to_be_said_and_is_kept(name: str) -> None:
    with pytest.raises(OptionRefused, match="without samples"):
        statistic(name)
    with pytest.raises(OptionRefused, match="samples"):
        statistic(f"{name}:samples=8193")
    with pytest.raises(BoundExceeded, match="more than the 40"):
        check_bounds(Options(metrics=(f"{name}:samples=40",), least_cell=1), [20, 21])


@pytest.mark.parametrize("words", [[0, 0, 0], [5, 0, 0], [2, 1, 0], [1, 4, 0], [2**40, 0, 0]])
def test_words_of_no_ranking_are_refused(words: list[int]) -> None:
    for name in DISCLOSING:
        with pytest.raises(RemoteProtocolError, match="do not make a result"):
            statistic(f"{name}:samples=3").decode(words, 4)
