"""Counters are declared: nothing that people name is ever a label."""

from __future__ import annotations

import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.parties.server.watching.counts import REFUSALS, REQUESTS, TALLIES, UPLOADS, Counts


def test_every_count_begins_at_zero_for_each_of_its_kinds() -> None:
    counts = Counts()
    for tally in TALLIES:
        assert counts.so_far(tally) == dict.fromkeys(tally.kinds, 0)


def test_counts_are_added_by_kind() -> None:
    counts = Counts()
    counts.add(UPLOADS)
    counts.add(REQUESTS, "AskStatus")
    counts.add(REQUESTS, "AskStatus", by=2)
    assert counts.so_far(UPLOADS) == {"": 1}
    assert counts.so_far(REQUESTS)["AskStatus"] == 3
    assert counts.so_far(REQUESTS)["Withdraw"] == 0


@pytest.mark.parametrize("tally", TALLIES)
def test_a_kind_that_is_not_declared_is_not_counted(tally: object) -> None:
    assert tally in TALLIES
    counts = Counts()
    with pytest.raises(LocalProtocolError) as caught:
        counts.add(tally, "ann's study")  # type: ignore[arg-type]
    assert "ann" not in str(caught.value)


def test_kinds_are_those_of_the_messages_and_of_the_refusals() -> None:
    assert {"BeginUpload", "AskStatus", "ProposeSession"} <= set(REQUESTS.kinds)
    assert {"stranger", "busy", "own-fault"} <= set(REFUSALS.kinds)
