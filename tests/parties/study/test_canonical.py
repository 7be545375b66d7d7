"""The canonical form: fixed for good, so that a study made today keeps its hash tomorrow."""

from __future__ import annotations

import pytest

from ppaurora.parties.study.canonical import canonical_text, differences
from ppaurora.parties.study.study import Rule, Scores, Study
from tests.parties.sample import study

OTHER = study(
    metrics=("average_precision",),
    decimals=6,
    merge="delta",
    delta=3,
    ties="helper",
    range=("any",),
    direction="lower",
    scores=Scores(positive="sick", negative="well"),
    rule=Rule(
        least_owners=3,
        least_samples=500,
        start="request",
        keep_days=10.5,
        least_list=50,
        most_share=0.7,
        most_samples=100_000,
    ),
)


@pytest.mark.parametrize(
    ("known", "hashed"),
    [
        (study(), "b53abf5f9e2369651ab463848a78db49707ce4e86faaac4b03679533ca4acfba"),
        (
            study(merge="network"),
            "40db24db9b012ab2e8ce2cfcb491634a1afe8194bfa253e6c4d1133737070c98",
        ),
        (OTHER, "6d3918af05ca348ac5f55f39dbee526878a05d289100fc5569f01fe5d2987602"),
    ],
)
def test_a_known_study_keeps_its_hash(known: Study, hashed: str) -> None:
    assert known.hash.hex() == hashed


def test_the_order_of_keys_leaves_the_canonical_text_alone() -> None:
    content = study().content()
    assert canonical_text(dict(reversed(content.items()))) == canonical_text(content)


def test_differences_are_full_names() -> None:
    named = differences(study().content(), OTHER.content())
    assert named == [
        "metrics.decimals",
        "metrics.names",
        "protocol.delta",
        "protocol.merge",
        "protocol.ties",
        "rule.keep_days",
        "rule.least_list",
        "rule.least_owners",
        "rule.least_samples",
        "rule.most_samples",
        "rule.most_share",
        "rule.start",
        "scores.direction",
        "scores.negative",
        "scores.positive",
        "scores.range",
    ]
    assert differences({"a": 1}, {"b": {"c": 1}}) == ["a", "b"]
