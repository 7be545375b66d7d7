"""Recall and precision at the highest scores, against a list sorted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

PLACES = (1, 3, 20, 1000)
ASKED = [("recall_at_top:k=1/3/20/1000", "precision_at_top:k=1/3/20/1000")]


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        rows = sorted(
            zip(study.scores, study.labels, strict=True), key=lambda row: (-row[0], -row[1])
        )
        recalls, precisions = [], []
        for k in PLACES:
            first = [label for _, label in rows[:k]]
            P = sum(study.labels)
            decimals = study.options.decimals
            precisions.append(pooled.rounded(Fraction(sum(first), len(first)), decimals))
            recalls.append(pooled.rounded(Fraction(sum(first), P), decimals) if P else "")
        for text, name, values in (
            (ASKED[0][0], "recall", recalls),
            (ASKED[0][1], "precision", precisions),
        ):
            told = "; ".join(
                f"k {k}, {name} {value}" for k, value in zip(PLACES, values, strict=True)
            )
            expected = told if values[0] else "undefined: there are no positives"
            assert outcome.results[text] == expected


def test_drawn_studies_have_the_shares_of_the_sorted_list() -> None:
    check_all(one_of_each_size(drawn_studies, 9, ASKED, 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_shares_of_the_sorted_list() -> None:
    check_all(drawn_studies(500, 10, ASKED, 15))


def test_ties_count_in_favour_and_beyond_the_list_all_samples_count() -> None:
    study = Study(
        (Owner([0.5, 0.5, 0.5, 0.1], [0, 1, 0, 1]),),
        Options(metrics=("precision_at_top:k=1/2/9",), decimals=2, least_cell=1),
    )
    assert run(study).results == {
        "precision_at_top:k=1/2/9": "k 1, precision 1.00; k 2, precision 0.50; k 9, precision 0.50"
    }


def test_the_ledger_says_that_counts_are_told() -> None:
    one = statistic("precision_at_top:k=10/5000")
    assert "number of positives among the k highest scores" in one.leaks(3)
    [warned] = one.warnings((9000,), 3)
    assert "among the 10 highest scores exactly" in warned
    assert statistic("precision_at_top:k=5000").warnings((9000,), 3) == ()


@pytest.mark.parametrize("text", ["recall_at_top", "recall_at_top:k=0", "precision_at_top:k=5/5"])
def test_places_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(OptionRefused):
        statistic(text)
