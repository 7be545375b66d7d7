"""A version of a study may add owners to the one before it, and change nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.study import ParticipantEntry, Rule, Study
from ppaurora.parties.study.versions import (
    added_owners,
    changes,
    check_only_adds_owners,
    why_not_follows,
)
from ppaurora.parties.study.writing import study_text
from tests.parties.sample import KEYS, study

OLD = study()
DORA = ParticipantEntry("dora", KEYS[6])


def following(**changed: object) -> Study:
    """The study with dora, and with these changes besides."""
    given = {"participants": (*OLD.participants, DORA), "follows": OLD.hash.hex(), **changed}
    return replace(OLD, **given)  # type: ignore[arg-type]


def test_a_version_that_adds_an_owner_may_follow() -> None:
    new = following()
    check_only_adds_owners(OLD, new)
    assert added_owners(OLD, new) == ["dora"]
    assert changes(OLD, new) == ["participant dora is added: uploads and receives"]


def test_a_study_that_follows_none_keeps_its_hash_and_one_that_does_keeps_it_in_its_file() -> None:
    assert "follows" not in OLD.content()
    new = following()
    assert new.hash != replace(new, follows="").hash
    assert Study.parse(study_text(new), "study.toml") == new
    assert Study.restore(new.canonical(), "accepted") == new


def test_the_hash_that_is_followed_is_one() -> None:
    text = study_text(following()).replace(OLD.hash.hex(), "ab")
    with pytest.raises(ConfigurationError, match="64 hexadecimal digits"):
        Study.parse(text, "study.toml")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"follows": "0" * 64}, '"follows" must be the hash of the version before'),
        ({"title": "another"}, "title may not change"),
        ({"id": "other"}, "id may not change"),
        ({"rule": Rule(least_owners=3)}, "rule.least_owners may not change"),
        ({"options": replace(OLD.options, decimals=6)}, "metrics.decimals may not change"),
        ({"options": replace(OLD.options, metrics=("auroc",))}, "metrics.names may not change"),
        (
            {"servers": (replace(OLD.servers[0], port=7300), *OLD.servers[1:])},
            "servers.P0.address may not change",
        ),
        ({"participants": OLD.participants}, "it adds no owner"),
        ({"participants": (*OLD.participants[1:], DORA)}, "participant ann may not be left out"),
        (
            {"participants": (*OLD.participants[:2], replace(OLD.participants[2], uploads=True))},
            "participant reader may not change",
        ),
        (
            {"participants": (*OLD.participants, replace(DORA, uploads=False))},
            "participant dora only receives, and may not be added",
        ),
    ],
)
def test_whatever_else_differs_is_told_by_its_option(
    changed: dict[str, object], reason: str
) -> None:
    new = following(**changed)
    assert any(one.startswith(reason) for one in why_not_follows(OLD, new))
    with pytest.raises(ConfigurationError, match="may only add owners"):
        check_only_adds_owners(OLD, new)


def test_a_difference_is_told_with_both_values() -> None:
    new = following(
        options=replace(OLD.options, decimals=6),
        participants=(replace(OLD.participants[0], receives=False), *OLD.participants[1:2]),
    )
    assert changes(OLD, new) == [
        "metrics.decimals: 4 becomes 6",
        "participant reader is left out",
        "participant ann: receives becomes False",
    ]
