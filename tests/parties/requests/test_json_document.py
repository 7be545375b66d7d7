"""Documents: what is written reads back the same, and nothing else is read at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.requests.json_document import MOST_LETTERS, json_object
from ppaurora.parties.requests.session_facts import SessionFacts
from ppaurora.parties.requests.status import Computing, Note, State, Status, UploadStatus

THEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
STATUS = Status(
    study="trial",
    hash="00" * 32,
    server="P0",
    state=State.COMPUTING,
    detail="",
    uploads=(UploadStatus("ann", 60, True, 32, 32, THEN),),
    progress=Computing("ab" * 16, "sort", 3, 6, 1.5, 0.0),
    last_problem="",
    notes=(Note(THEN, "ben withdrew its upload; its share was deleted"),),
)
FACTS = {
    "agreed": {
        "study": "00",
        "session": "11",
        "owners": [["ann", 30], ["ben", 20]],
        "refused": ["ben"],
        "samples": 30,
        "software": "1",
        "round_trip_us": 10_000,
        "megabits": 1000,
        "folds": [],
    },
    "server": {
        "links": {"P1": {"bytes": 10, "frames": 1, "bulk": True}},
        "hops": 5,
        "seconds": 0.25,
        "phases": [
            {
                "name": "sort",
                "seconds": 0.25,
                "cpu_seconds": 0.5,
                "hops": 5,
                "bytes_sent": 4,
                "bytes_received": 6,
            }
        ],
    },
    "statements": {"P0": {"text": "{}", "signature": "ab"}},
}

counts = st.integers(0, 2**63 - 1)
times = st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=0)
)
statuses = st.builds(
    Status,
    st.text(),
    st.text(),
    st.text(),
    st.sampled_from(State),
    st.text(),
    st.lists(
        st.builds(UploadStatus, st.text(), counts, st.booleans(), counts, counts, times), max_size=3
    ).map(tuple),
    st.none()
    | st.builds(
        Computing,
        st.text(),
        st.text(),
        counts,
        counts,
        st.floats(0, 1e9),
        st.floats(0, 1e9),
    ),
    st.text(),
    st.lists(st.builds(Note, times, st.text()), max_size=3).map(tuple),
)


@given(statuses)
def test_a_document_survives_the_journey(status: Status) -> None:
    assert Status.from_json(status.to_json()) == status


def test_facts_keep_their_pairs_and_mappings() -> None:
    facts = SessionFacts.from_json(json.dumps(FACTS))
    assert facts.agreed.owners == (("ann", 30), ("ben", 20))
    assert facts.server.links["P1"].bytes == 10
    assert facts.plain() == FACTS


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("study",), 1),
        (("study",), None),
        (("state",), "asleep"),
        (("state",), ["waiting"]),
        (("unknown",), ""),
        (("uploads",), {}),
        (("uploads",), None),
        (("uploads", 0, "stored"), 1),
        (("uploads", 0, "samples"), True),
        (("uploads", 0, "samples"), -1),
        (("uploads", 0, "samples"), 2**63),
        (("uploads", 0, "samples"), 60.0),
        (("uploads", 0, "at"), "2026-03-04T05:06:07"),
        (("uploads", 0, "at"), "yesterday"),
        (("at",), "0001-01-01T00:00:00+14:00"),
        (("notes", 0, "at"), "9999-12-31T23:59:59-14:00"),
        (("uploads", 0, "at"), 1.0),
        (("progress", "seconds"), 1),
        (("progress",), False),
        (("notes", 0), ["2026-03-04T05:06:07+00:00", "text"]),
    ],
)
def test_a_field_of_another_kind_is_refused(place: tuple[str | int, ...], value: object) -> None:
    content = json.loads(STATUS.to_json())
    inner = content
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(DocumentRefused, match="not what it should be"):
        Status.from_json(json.dumps(content))


@pytest.mark.parametrize("owner", [["ann"], ["ann", 30, 1], ["ann", "30"], "an"])
def test_a_pair_has_two_items_of_its_types(owner: object) -> None:
    content = {**FACTS, "agreed": {**FACTS["agreed"], "owners": [owner]}}
    with pytest.raises(DocumentRefused, match=r"SessionFacts\.agreed\.owners\[0\]"):
        SessionFacts.from_json(json.dumps(content))


def test_a_missing_field_is_refused() -> None:
    content = json.loads(STATUS.to_json())
    del content["detail"]
    with pytest.raises(DocumentRefused):
        Status.from_json(json.dumps(content))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1, "a": 1}',
        "[" * 100_000,
        '{"a":' * 100_000,
        " " * MOST_LETTERS + "{}",
    ],
)
def test_what_is_no_json_object_of_a_bounded_size_is_refused(text: str) -> None:
    with pytest.raises(DocumentRefused):
        json_object(text)


def test_a_number_that_overflows_is_refused() -> None:
    text = STATUS.to_json().replace('"seconds": 1.5', '"seconds": 1e999')
    assert text != STATUS.to_json()
    with pytest.raises(DocumentRefused):
        Status.from_json(text)


@pytest.mark.parametrize(
    ("state", "detail", "sentence"),
    [
        (State.WAITING, "1 of 3 owners are missing", "waiting: 1 of 3 owners are missing"),
        (State.STARTING, "", "about to be computed"),
        (State.UNSEALED, "", "computed, waiting for the other proxy"),
        (State.NOT_ANSWERING, "no route", "gives no status: no route"),
        (State.OVER, "all have it", "over: all have it"),
    ],
)
def test_a_state_is_a_word_for_programs_and_a_sentence_for_people(
    state: State, detail: str, sentence: str
) -> None:
    told = Status("trial", "", "P0", state, detail, (), None, "", ())
    assert told.sentence == sentence
    assert " " not in state.value
