"""Ends of fields and records by the definition of RFC 4180, whatever the bytes between."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.sources.text import records
from ppaurora.parties.sources.text.records import (
    delimiters,
    inside_quotes,
    line_of,
    misplaced_quote,
    record_ends,
)
from ppaurora.parties.sources.text.text_file import TextFile
from tests.parties.sources.writing import text_file

texts = st.text('ab,;"\r\n', max_size=40)


def array(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(text.encode(), np.uint8)


def marked(mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[int]:
    return np.flatnonzero(mask).tolist()


@given(texts)
def test_ends_and_delimiters_are_those_outside_quotes(text: str) -> None:
    inside, ends, commas = False, [], []
    for place, letter in enumerate(text):
        inside ^= letter == '"'
        if not inside and letter == ",":
            commas.append(place)
        if not inside and (letter == "\n" or (letter == "\r" and text[place + 1 :][:1] != "\n")):
            ends.append(place)
    mask = inside_quotes(array(text))
    assert (mask is None) == ('"' not in text)
    assert marked(record_ends(array(text), mask, last=True)) == ends
    assert marked(delimiters(array(text), mask, ",")) == commas


def test_a_return_at_the_end_waits_for_what_follows() -> None:
    assert marked(record_ends(array("a\r"), None, last=False)) == []
    assert marked(record_ends(array("a\r"), None, last=True)) == [1]
    assert marked(record_ends(array("a\rb\r\n"), None, last=False)) == [1, 4]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"a","b""c",""\n"d"\r\n"e"', None),
        ('"""a""",b', None),
        ('a"b', 1),
        ('a,"b"c', 4),
        ('a, "b"', 3),
        ('"a" ,b', 2),
        ('a"",b', 1),
        ('"a";b', 2),
    ],
)
def test_the_first_misplaced_quote_is_found(text: str, place: int | None) -> None:
    assert misplaced_quote(array(text), ",") == place


def test_lines_are_counted_over_every_border_of_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a\r\nb\rc\nd\r\r\n\n\n\re"
    file = TextFile(text_file(tmp_path, text))
    whole = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for block in range(1, len(text) + 2):
        monkeypatch.setattr(records, "BLOCK_BYTES", block)
        assert line_of(file, len(text)) == whole
        assert [line_of(file, text.index(letter)) for letter in "abcde"] == [1, 2, 3, 4, 9]
