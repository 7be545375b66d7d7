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
        (study(), "580f600727e50dea0397dccdb09cb1ecc523cc99b5db18d4dcb65966371f715c"),
        (OTHER, "c9b0ff523e90ac10e5d8f995da642d18a3b6b18007e284ab843af5092bd750e2"),
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
