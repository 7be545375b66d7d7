"""A study that compares two scores names the second column, and no other study does."""

from __future__ import annotations

import pytest

from ppaurora.parties.columns.second_score import SecondScore
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from tests.parties.sample import study

PAIRED = {"metrics": ("auroc_difference", "auroc")}
RIVAL = (SecondScore(column="rival"),)


def parse(**changes: object) -> Study:
    return Study.parse(study_text(study(**changes)), "study.toml")


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse(**changes)
    assert caught.value.advice
    return str(caught.value)


def test_the_second_column_is_part_of_the_study_and_of_its_hash() -> None:
    asked = study(extra=RIVAL, **PAIRED)
    assert parse(extra=RIVAL, **PAIRED) == asked
    other = parse(extra=(SecondScore(column="other"),), **PAIRED)
    assert other.hash != asked.hash
    assert asked.content()["scores"]["against"] == "rival"  # type: ignore[index,call-overload]


def test_a_study_of_one_score_says_nothing_of_a_second_one() -> None:
    assert "against" not in str(study().content())
    assert parse().extra == ()


def test_a_second_column_that_nothing_compares_is_refused() -> None:
    told = refused(extra=RIVAL)
    assert "scores.against names a second column of scores, but no metric compares two" in told


def test_a_comparison_without_a_second_column_is_refused() -> None:
    told = refused(metrics=("auroc_differs",))
    assert "scores.against is missing: a metric compares two columns of scores" in told
    assert "--against COLUMN" in told


@pytest.mark.parametrize(
    "rule",
    [Rule(least_owners=2, most_samples=2_496_766), Rule(least_owners=2, least_samples=2_496_766)],
    ids=["most", "least"],
)
def test_more_samples_than_can_be_compared_are_refused_when_the_study_is_checked(
    rule: Rule,
) -> None:
    told = refused(extra=RIVAL, rule=rule, **PAIRED)
    assert "2496766 samples in all are more than the 2496765 for which auroc_difference" in told
    assert parse(rule=rule).rule == rule
