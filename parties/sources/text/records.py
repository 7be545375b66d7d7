"""The records of a delimited text, block by block: every one has as many fields as the header.

What is no such table is refused with its row and its line: a record that is longer or shorter, an
empty line that is not at the end, a quote out of place or never closed, a byte that is no text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.fields import PADDING, Fields
from ppaurora.parties.sources.text.dialect import Dialect
from ppaurora.parties.sources.text.encoding import check_bytes
from ppaurora.parties.sources.text.structure import (
    CR,
    LF,
    LINE_ENDS,
    QUOTE,
    delimiters,
    inside_quotes,
    misplaced_quote,
    record_ends,
)
from ppaurora.parties.sources.text.text_file import TextFile

__all__ = ["Block", "blocks", "line_of"]

BLOCK_BYTES = 1 << 19
LONGEST_RECORD = 16 << 20
CLOSE_QUOTES = "Quote a field as a whole, and write a quote within it twice."

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class Block:
    """Some records: `marks[k, j]` is the place behind field j of record k.

    `text` begins at byte `offset` of the file.
    """

    text: NDArray[np.uint8]
    marks: Places
    offset: int

    def __len__(self) -> int:
        return len(self.marks)

    @property
    def starts(self) -> Places:
        """Where each record begins in `text`."""
        return np.concatenate([np.zeros(1, np.int64), self.marks[:-1, -1] + 1])[: len(self)]

    @property
    def offsets(self) -> Places:
        """Where each record begins in the file."""
        return self.starts + self.offset

    def fields(self, column: int) -> Fields:
        """The fields of one column, without their quotes and outer blanks."""
        start = self.starts if column == 0 else self.marks[:, column - 1] + 1
        end = self.marks[:, column].copy()
        if column == self.marks.shape[1] - 1:
            end -= (self.text[end] == LF) & (self.text[end - 1] == CR) & (end > start)
        quoted = (self.text[start] == QUOTE) & (start < end)
        return Fields.between(self.text, start + quoted, end - quoted)


def blocks(text: TextFile, dialect: Dialect) -> Iterator[Block]:
    """All records below the header."""
    reading = _Reading(text, dialect)
    with text.open() as file:
        file.read(dialect.first)
        rest = b""
        while fresh := file.read(BLOCK_BYTES):
            rest += fresh
            block, rest = reading.block(rest, last=False)
            yield block
        if rest:
            if rest[-1] not in LINE_ENDS:
                rest += b"\n"
            block, rest = reading.block(rest, last=True)
            if rest:
                raise reading.never_ending()
            yield block


def line_of(text: TextFile, offset: int) -> int:
    """The line of the text, counted from 1, in which the byte at `offset` lies."""
    lines, ended_by_cr = 1, False
    with text.open() as file:
        while offset > 0 and (part := file.read(min(offset, BLOCK_BYTES))):
            offset -= len(part)
            lines += part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
            lines -= ended_by_cr and part.startswith(b"\n")
            ended_by_cr = part.endswith(b"\r")
    return lines


class _Reading:
    """How far a file has been read, and what was seen of it."""

    def __init__(self, text: TextFile, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._offset = dialect.first
        self._rows = 0
        self._empty_line: int | None = None

    def block(self, text: bytes, *, last: bool) -> tuple[Block, bytes]:
        """The whole records of `text`, and what is left of it."""
        padded = np.frombuffer(text + PADDING, np.uint8)
        array = padded[: len(text)]
        inside = inside_quotes(array)
        ending = record_ends(array, inside, last=last)
        marks = np.flatnonzero(ending | delimiters(array, inside, self._dialect.delimiter))
        ends = np.flatnonzero(ending[marks])
        marks = marks[: int(ends[-1]) + 1 if ends.size else 0]
        cut = int(marks[-1]) + 1 if ends.size else 0
        check_bytes(str(self._text), text[:cut], self._line)
        if inside is not None:
            self._check_quotes(array[:cut])
        block = Block(padded, self._rectangle(array, marks, ends), self._offset)
        self._rows += len(block)
        self._offset += cut
        if len(text) - cut > LONGEST_RECORD:
            raise self.never_ending()
        return block, text[cut:]

    def never_ending(self) -> DataError:
        """The error for a record that does not end."""
        return DataError(
            f"{self._text}: a quote is not closed in the record that begins in line "
            f"{self._line(0)} (row {self._rows + 1})",
            advice=CLOSE_QUOTES,
        )

    def _check_quotes(self, text: NDArray[np.uint8]) -> None:
        misplaced = misplaced_quote(text, self._dialect.delimiter)
        if misplaced is not None:
            raise DataError(
                f"{self._text}: a quote in line {self._line(misplaced)} stands within a field",
                advice=CLOSE_QUOTES,
            )

    def _line(self, place: int) -> int:
        return line_of(self._text, self._offset + place)

    def _rectangle(self, text: NDArray[np.uint8], marks: Places, ends: Places) -> Places:
        """The marks, a row for each record; `ends` says which of them end one.

        A record of another length than the header is refused; empty lines may only come last.
        """
        width = len(self._dialect.names)
        lengths = np.diff(ends, prepend=-1)
        if (lengths == width).all() and self._empty_line is None:
            return marks.reshape(-1, width)
        closing = marks[ends]
        starts = np.concatenate([np.zeros(1, np.int64), closing + 1])[:-1]
        blank = (closing == starts) | ((text[starts] == CR) & (closing == starts + 1))
        empty = (lengths == 1) & blank
        good = len(ends) if self._empty_line is None else 0
        if good and empty.any():
            good = int(np.argmax(empty))
        if self._empty_line is None and good < len(ends):
            self._empty_line = self._line(int(starts[good]))
        ragged = np.flatnonzero(lengths[:good] != width)
        if ragged.size:
            row = int(ragged[0])
            raise self._ragged(row, int(starts[row]), int(lengths[row]))
        if not empty[good:].all():
            raise DataError(
                f"{self._text}: line {self._empty_line} (row {self._rows + good + 1}) is empty, "
                "but is not at the end of the file",
                advice="Remove the empty line, and whatever below it is not part of the list.",
            )
        return marks[: good * width].reshape(-1, width)

    def _ragged(self, row: int, start: int, length: int) -> DataError:
        width = len(self._dialect.names)
        fields = f"{length} field{'s' if length > 1 else ''}"
        return DataError(
            f"{self._text}: row {self._rows + row + 1} (line {self._line(start)}) has {fields}, "
            f"but the header has {width}",
            advice="Give every row as many fields as the header; quote a field that holds the "
            "delimiter, and remove lines that are not part of the table.",
        )
