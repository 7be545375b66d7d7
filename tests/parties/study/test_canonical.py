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
        (study(), "9d76ff060bcb4e9ce6d5f4f7dd43b2a9213a197fc11597de56ffe560d0c46c37"),
        (
            study(merge="network"),
            "58805dda5cdd46d853a14953cfbc703ca882ae394aeecd06d9e7451591a46796",
        ),
        (OTHER, "3bc405add8d4dc36ee70312fccf84c9cd3831217d2297192fb4c18c5f26ee9d4"),
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
