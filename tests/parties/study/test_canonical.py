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
    code="real",
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
        (study(), "647490cb8b4645c38441de32bb3e3451733b05015d6ae528170595b83d21afeb"),
        (
            study(merge="network"),
            "7b5f5454dda64f02647bd690c5d2ed1b390f5d423b853c905ca259ef16ed7d37",
        ),
        (OTHER, "d0943aaaa746be839e9fb9b2de8d54872a92a802df90e4f2c85674ed52dccd64"),
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
        "scores.code",
        "scores.direction",
        "scores.negative",
        "scores.positive",
    ]
    assert differences({"a": 1}, {"b": {"c": 1}}) == ["a", "b"]
