"""Observed over expected across hospitals: against its definition, row by row, in fifty digits."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.statistics import test_auroc_sites
from tests.protocols.statistics.test_auroc_sites import ALL, DIGITS, SAMPLE, hospitals, summarised
from tests.protocols.studies import Owner, Study, checked, run

TEXT = "observed_expected_sites"
ASKED = tuple(text.replace(test_auroc_sites.TEXT, TEXT) for text in test_auroc_sites.ASKED)
COLUMNS = ("observed_expected", *test_auroc_sites.COLUMNS[1:])
TOO_FEW = "undefined: fewer than five owners have both classes and scores that are not all 0"


def own_estimate(owner: Owner, higher: bool) -> tuple[Decimal, Decimal] | None:
    """ln O/E and its variance."""
    risks = [Fraction(float(score)) for score in owner.scores]
    expected = sum((f if higher else 1 - f for f in risks), Fraction(0))
    observed, n = sum(owner.labels), len(owner.labels)
    if observed in (0, n) or not expected:
        return None
    ratio = Decimal(expected.numerator) / expected.denominator
    return (observed / ratio).ln(), (1 - Decimal(observed) / n) / observed


def by_definition(study: Study) -> str:
    with localcontext() as context:
        context.prec = DIGITS
        found = [own_estimate(owner, study.direction == "higher") for owner in study.owners]
    text = summarised(study, found, lambda x: min(x.exp(), Decimal(100)), COLUMNS)
    return TOO_FEW if text is None else text


def studies(count: int, seed: int) -> list[Study]:
    """The hospitals of the AUROC across hospitals."""
    return [
        replace(one, options=replace(one.options, metrics=(ASKED[place % len(ASKED)],)))
        for place, one in enumerate(test_auroc_sites.studies(count, seed))
    ]


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the values with the definition; True if there are any."""
    [found] = results.values()
    assert found == by_definition(study), study
    return found != TOO_FEW


def agree(count: int, seed: int) -> int:
    """The number of studies with values; all have those of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_values_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 2


@pytest.mark.soak
def test_five_hundred_studies_have_the_values_of_their_rows() -> None:
    assert agree(ALL, 2) > ALL // 2


def test_hospitals_without_an_estimate_are_left_out_and_counted() -> None:
    options = Options(metrics=(TEXT,), decimals=6)
    without = (Owner([0.5, 0.6], [1, 1]), Owner([0.5], [0]), Owner([0.0] * 2, [1, 0]))
    [five] = run(Study(hospitals(5), options)).results.values()
    [eight] = run(Study((*hospitals(5), *without), options)).results.values()
    assert five.endswith("left_out 0")
    assert eight == five.replace("left_out 0", "left_out 3")
    assert run(Study((*hospitals(4), *without), options)).results == {TEXT: TOO_FEW}


def test_ratios_above_a_hundred_are_released_as_that() -> None:
    far = [Owner([0.0, 0.0, 0.00001], [1, 1, 0])] * 6
    [text] = run(Study(tuple(far), Options(metrics=(TEXT,), decimals=2))).results.values()
    assert text.startswith("observed_expected 100.00, lower 100.00, upper 100.00")


def test_both_summaries_of_one_study_share_their_hops() -> None:
    options = Options(metrics=("auroc_sites", TEXT, "observed_expected"))
    outcome = run(Study(hospitals(6), options))
    cost = total_cost(options, [40] * 6)
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)
    assert outcome.results[TEXT] == run(Study(hospitals(6), Options(metrics=(TEXT,)))).results[TEXT]


def test_the_ledger_says_that_an_error_tells_the_positives() -> None:
    [told] = ledger(Options(metrics=(TEXT,)), [1000] * 8).learns.receivers
    assert told.endswith(
        "the standard error of an owner tells how many of its samples are positive"
    )


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionRefused, match="takes scores as probabilities"):
        Options(metrics=(TEXT,), range=(0, 20))
