"""A study that compares models names the columns of the others, and no other study does."""

from __future__ import annotations

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.parties.sample import study

PAIRED = {"metrics": ("auroc_difference", "auroc")}
RIVAL = ("rival",)


def parse(**changes: object) -> Study:
    return Study.parse(study_text(study(**changes)), "study.toml")


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse(**changes)
    assert caught.value.advice
    return str(caught.value)


def test_the_second_column_is_part_of_the_study_and_of_its_hash() -> None:
    asked = study(against=RIVAL, **PAIRED)
    assert parse(against=RIVAL, **PAIRED) == asked
    other = parse(against=("other",), **PAIRED)
    assert other.hash != asked.hash
    assert asked.content()["scores"]["against"] == ["rival"]  # type: ignore[index,call-overload]


def test_a_study_of_sixteen_models_reads_back_in_its_order() -> None:
    names = tuple(f"model {place}" for place in range(15, 0, -1))
    found = parse(against=names, metrics=("auroc_models", "auroc_equal:by=receiver"))
    assert found.options.against == names
    assert [one.columns for one in found.extra] == [names]


@pytest.mark.parametrize(
    ("against", "told"),
    [
        (tuple(f"m{place}" for place in range(16)), "must be at most 15 columns"),
        (("old", " old "), "must be different names of columns"),
        (("",), "must be different names of columns"),
        (("score",), "must be different names of columns"),
    ],
)
def test_models_that_cannot_be_told_apart_are_refused(against: tuple[str, ...], told: str) -> None:
    with pytest.raises(OptionRefused, match=told):
        Options(metrics=("auroc_models",), against=against)


@pytest.mark.parametrize("text", ["auroc_difference", "auroc_differs"])
def test_what_compares_two_models_says_what_to_ask_of_more(text: str) -> None:
    with pytest.raises(OptionRefused, match="compares 2 models at most") as caught:
        Options(metrics=(text,), against=("old", "new"))
    assert "Ask for auroc_" in caught.value.advice


def test_the_servers_test_of_five_models_is_refused_for_the_receivers() -> None:
    Options(metrics=("auroc_equal",), against=tuple("abc"))
    with pytest.raises(OptionRefused, match="for up to 4 models") as caught:
        Options(metrics=("auroc_equal",), against=tuple("abcd"))
    assert "auroc_equal:by=receiver" in caught.value.advice


def test_the_form_of_one_name_is_refused_with_the_line_that_takes_its_place() -> None:
    text = study_text(study(against=RIVAL, **PAIRED))
    assert 'against = ["rival"]' in text
    with pytest.raises(ConfigurationError, match=r"scores\.against must be a list") as caught:
        Study.parse(text.replace('["rival"]', '"rival"'), "study.toml")
    assert caught.value.advice == 'Write against = ["rival"].'


def test_a_study_of_one_score_says_nothing_of_a_second_one() -> None:
    assert "against" not in str(study().content())
    assert parse().extra == ()


def test_a_second_column_that_nothing_compares_is_refused() -> None:
    told = refused(against=RIVAL)
    assert "scores.against names scores of other models, but no metric compares models" in told


def test_a_comparison_without_a_second_column_is_refused() -> None:
    told = refused(metrics=("auroc_differs",))
    assert "scores.against is missing: a metric compares the scores of several models" in told
    assert "--against COLUMN" in told


@pytest.mark.parametrize(
    "rule",
    [Rule(least_owners=2, most_samples=2_496_766), Rule(least_owners=2, least_samples=2_496_766)],
    ids=["most", "least"],
)
def test_more_samples_than_can_be_compared_are_refused_when_the_study_is_checked(
    rule: Rule,
) -> None:
    told = refused(against=RIVAL, rule=rule, **PAIRED)
    assert "2496766 samples in all are more than the 2496765 for which auroc_difference" in told
    assert parse(rule=rule).rule == rule
