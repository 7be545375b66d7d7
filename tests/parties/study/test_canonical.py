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
    scores=Scores("lower", "sick", "well"),
    rule=Rule(3, 500, "request", 10.5),
)


@pytest.mark.parametrize(
    ("known", "hashed"),
    [
        (study(), "7eb382a2a9dce0ae5fdbc978f24124ea621691a121ada6a64108dfdd9c500e3e"),
        (OTHER, "f5f7753856e2f76f4eb5a65405a9019982d3b810296f0abfe19f19bacdc035dc"),
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
        "rule.least_owners",
        "rule.least_samples",
        "rule.start",
        "scores.code",
        "scores.direction",
        "scores.negative",
        "scores.positive",
    ]
    assert differences({"a": 1}, {"b": {"c": 1}}) == ["a", "b"]
