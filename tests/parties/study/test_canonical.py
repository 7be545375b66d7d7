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
        (study(), "78a21d028082f3445e96ddab0825ac13b2619f8040468c6b8b701534703a2949"),
        (
            study(merge="network"),
            "af79999c20ea178714f2424dcace19151c801af7cb94dc717ccc23ce0690984d",
        ),
        (OTHER, "06a7f84682e9a84603d6367bc5d8e09b19b855ccb6f815ea57f8bf789055eec7"),
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
