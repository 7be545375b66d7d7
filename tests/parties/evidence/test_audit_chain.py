"""A chained log: whatever is done to its lines is found at the first that does not fit."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.errors import AuditBroken
from ppaurora.parties.evidence.audit_chain import FIRST, digest, entries, line


def chained(count: int) -> list[bytes]:
    lines, previous = [], FIRST
    for number in range(1, count + 1):
        lines.append(line(number, "2026-01-02T03:04:05+00:00", "stored", {"by": "ann"}, previous))
        previous = digest(lines[-1])
    return lines


LINES = chained(6)


def test_a_whole_log_is_read_in_order() -> None:
    found = list(entries(LINES))
    assert [one.number for one in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1].digest == digest(LINES[-1])
    assert dict(found[0].facts) == {"by": "ann"}
    assert list(entries([])) == []


@pytest.mark.parametrize("at", range(5))
def test_a_line_taken_out_repeated_or_exchanged_is_found(at: int) -> None:
    exchanged = [*LINES[:at], LINES[at + 1], LINES[at], *LINES[at + 2 :]]
    for other in (LINES[:at] + LINES[at + 1 :], LINES[: at + 1] + LINES[at:], exchanged):
        with pytest.raises(AuditBroken, match=f"Line {at + 1}|Line {at + 2}"):
            list(entries(other))


@given(st.integers(0, 5), st.data())
def test_any_other_byte_in_a_line_is_found_there_or_at_the_next(
    at: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(LINES[at]) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != LINES[at][place]))
    changed = LINES[at][:place] + bytes([other]) + LINES[at][place + 1 :]
    lines = [*LINES[:at], changed, *LINES[at + 1 :]]
    if at == 5:
        # nothing follows the last line: its digest, which a signed result holds, is another one
        with contextlib.suppress(AuditBroken):
            assert list(entries(lines))[-1].digest != digest(LINES[-1])
        return
    with pytest.raises(AuditBroken):
        list(entries(lines))


def test_what_is_no_line_of_a_log_is_told_by_its_number() -> None:
    for other in (b"{}\n", b"[]\n", b"\xff\n", b"", LINES[2][:-1]):
        with pytest.raises(AuditBroken, match="Line 3 of the log is none of this program's"):
            list(entries([*LINES[:2], other]))


@pytest.mark.parametrize("numbers", [(1, 3), (2, 3), (1, 1), (0, 1)])
def test_a_log_that_was_chained_anew_around_a_missing_line_is_found(
    numbers: tuple[int, ...],
) -> None:
    """Whoever may write the file can make digests; a number that is missing still shows."""
    lines, previous = [], FIRST
    for number in numbers:
        lines.append(line(number, "2026-01-02T03:04:05+00:00", "stored", {"by": "ann"}, previous))
        previous = digest(lines[-1])
    with pytest.raises(AuditBroken, match="says that it is line"):
        list(entries(lines))
