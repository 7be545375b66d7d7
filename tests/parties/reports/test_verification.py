"""A saved result is verified as it was saved, and refused with the reason after any change."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from ppaurora.parties.errors import DocumentRefused, RemoteProtocolError
from ppaurora.parties.reports.result import combine
from ppaurora.parties.reports.saved import MOST_LETTERS_OF_RESULT, SavedResult
from ppaurora.parties.reports.verification import UNSIGNED, verified
from tests.parties.evidence.session import part
from tests.parties.sample import study

STUDY = study(metrics=("auroc", "auroc_ci"))
VALUES = (8250, 8250, 7900, 8600)
RESULT = combine(STUDY, part(STUDY, 0, VALUES), part(STUDY, 1, VALUES))


def test_a_result_is_verified_as_it_was_saved() -> None:
    proof = verified(RESULT.to_json(), STUDY)
    assert {text: str(value) for text, value in proof.values.items()} == {
        text: str(value) for text, value in RESULT.values.items()
    }


def test_a_result_is_read_up_to_the_size_that_a_file_may_have() -> None:
    filled_up = RESULT.to_json().ljust(MOST_LETTERS_OF_RESULT)
    assert verified(filled_up, STUDY).agreed == RESULT.agreed
    assert SavedResult.from_json(filled_up).session == RESULT.session.hex()
    with pytest.raises(DocumentRefused):
        verified(filled_up + " ", STUDY)


def leaves(content: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each text, number and truth value of a document."""
    if isinstance(content, dict):
        return [one for name, inner in content.items() for one in leaves(inner, (*way, name))]
    if isinstance(content, list):
        return [one for at, inner in enumerate(content) for one in leaves(inner, (*way, at))]
    return [way]


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool) or value is None:
        return value is not True
    if isinstance(value, int | float):
        return value + 1
    return value[:-1] + ("1" if value[-1:] != "1" else "2")


@pytest.mark.parametrize(
    "way", [way for way in leaves(RESULT.content) if way[0] not in UNSIGNED], ids=str
)
def test_any_change_of_what_is_signed_is_refused(way: tuple[Any, ...]) -> None:
    content = copy.deepcopy(RESULT.content)
    place: Any = content
    for step in way[:-1]:
        place = place[step]
    place[way[-1]] = changed(place[way[-1]])
    with pytest.raises(RemoteProtocolError):
        verified(json.dumps(content), STUDY)


@pytest.mark.parametrize("name", sorted(RESULT.content.keys() - {*UNSIGNED}))
def test_anything_left_out_is_refused(name: str) -> None:
    content = {key: value for key, value in RESULT.content.items() if key != name}
    with pytest.raises(RemoteProtocolError):
        verified(json.dumps(content), STUDY)


def test_anything_added_is_refused() -> None:
    for content in (
        {**RESULT.content, "conclusion": "excellent"},
        {**RESULT.content, "values": {**RESULT.content["values"], "aupr": "0.99"}},
    ):
        with pytest.raises(RemoteProtocolError, match="have not signed"):
            verified(json.dumps(content), STUDY)


def test_the_reason_says_what_is_wrong() -> None:
    content = copy.deepcopy(RESULT.content)
    content["values"]["auroc"]["value"] = "0.9250"
    with pytest.raises(RemoteProtocolError, match=r"values\.auroc"):
        verified(json.dumps(content), STUDY)
    with pytest.raises(RemoteProtocolError, match="no signatures"):
        verified(json.dumps({k: v for k, v in content.items() if k != "evidence"}), STUDY)
    with pytest.raises(RemoteProtocolError, match="another study"):
        verified(RESULT.to_json(), study(metrics=("auroc",)))
