"""The header and the records of a delimited text, by the grammar of RFC 4180.

Of comma, semicolon, tab and |, exactly one occurs in the header outside quotes, and that one is the
delimiter. Where none or several occur, the delimiter has to be stated. Nothing else is concluded
from a file: a record ends with LF, CR or CR LF outside quotes; a field is either quoted as a whole,
with a quote in it written twice, or holds no quote; no line is a comment.

Records are read block by block, and every one has as many fields as the header. A text that is no
such table is refused with its row and its line: a record that is longer or shorter, an empty line
that is not at the end, a quote out of place or never closed, a byte that is no text.

Quotes open and close in turn, so a byte lies inside a quoted field if and only if an odd number of
quotes stands before it. That is right for every text in which quotes stand only where a field
begins or ends, or twice within a field; `misplaced_quote` finds the first that does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.columns.fields import PADDING, Fields
from ppaurora.parties.sources.text.text_file import (
    BYTE_ORDER_MARK,
    TextFile,
    check_bytes,
    check_file,
    check_start,
)

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "|"}

LONGEST_HEADER = 1 << 20


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiter, the columns' names, and where in the file the first record begins."""

    delimiter: str
    names: tuple[str, ...]
    first: int


def dialect_of(text: TextFile, stated: str = "") -> Dialect:
    """Read the header of the file; `stated` is the delimiter if the owner states it."""
    delimiter = _stated(stated)
    check_file(text.path)
    with text.open() as file:
        start = file.read(LONGEST_HEADER)
        whole = not file.read(1)
    source = str(text)
    check_start(source, start)
    skipped = len(BYTE_ORDER_MARK) if start.startswith(BYTE_ORDER_MARK) else 0
    header, length = _first_record(source, start[skipped:], whole)
    check_bytes(source, header, lambda _: 1)
    delimiter = delimiter or _delimiter(source, header)
    return Dialect(delimiter, _names(source, header, delimiter), skipped + length)


def _stated(delimiter: str) -> str:
    chosen = "\t" if delimiter in ("tab", "\\t") else delimiter
    if chosen and chosen not in DELIMITERS:
        raise ConfigurationError(
            "--delimiter names none of the known delimiters", advice="Say , or ; or | or tab."
        )
    return chosen


def _first_record(source: str, text: bytes, whole: bool) -> tuple[bytes, int]:
    """The header without its line end, and the bytes that it takes with it."""
    array = np.frombuffer(text, np.uint8)
    inside = inside_quotes(array)
    ends = np.flatnonzero(record_ends(array, inside, last=whole))
    if ends.size:
        length = int(ends[0]) + 1
        return text[:length].rstrip(bytes(LINE_ENDS)), length
    if whole and (inside is None or not inside[-1]):
        return text, len(text)
    raise DataError(
        f"{source}: the header in line 1 does not end",
        advice="A quote is not closed there, or the file is no table with a line of names first.",
    )


def _delimiter(source: str, header: bytes) -> str:
    array = np.frombuffer(header, np.uint8)
    inside = inside_quotes(array)
    seen = [delimiter for delimiter in DELIMITERS if delimiters(array, inside, delimiter).any()]
    if len(seen) == 1:
        return seen[0]
    if not seen:
        raise DataError(
            f"{source}: the header holds no delimiter (comma, semicolon, tab or |), so there is "
            "one column only",
            advice="Give a first line with the names of at least two columns, such as score,label",
        )
    raise DataError(
        f"{source}: the header holds several delimiters ({', '.join(DELIMITERS[x] for x in seen)})",
        advice="State the one that is meant with --delimiter: , or ; or | or tab.",
    )


def _names(source: str, header: bytes, delimiter: str) -> tuple[str, ...]:
    if header.lower().startswith((b"sep=", b'"sep=')):
        raise DataError(
            f"{source} begins with a line sep=, which is no header",
            advice="Remove that first line, which only spreadsheets understand.",
        )
    array = np.frombuffer(header, np.uint8)
    if misplaced_quote(array, delimiter) is not None:
        raise DataError(
            f"{source}: a quote in the header in line 1 stands within a name",
            advice="Quote a name as a whole, and write a quote within it twice.",
        )
    places = np.flatnonzero(delimiters(array, inside_quotes(array), delimiter)).tolist()
    starts = [0, *(place + 1 for place in places)]
    texts = [header[a:b].decode() for a, b in zip(starts, [*places, len(header)], strict=True)]
    return tuple(text[1:-1].replace('""', '"') if text.startswith('"') else text for text in texts)


QUOTE, LF, CR = 34, 10, 13

LINE_ENDS = (LF, CR)

Bytes = NDArray[np.uint8]

Mask = NDArray[np.bool_]


def inside_quotes(text: Bytes) -> Mask | None:
    """Mark the bytes inside quotes; None if there are no quotes at all."""
    quotes = text == QUOTE
    if not quotes.any():
        return None
    return np.asarray(np.logical_xor.accumulate(quotes))


def record_ends(text: Bytes, inside: Mask | None, *, last: bool) -> Mask:
    """Mark the last byte of each line end outside quotes: LF, CR LF, or a CR alone.

    A CR at the very end may be half of a CR LF, so it counts only where the text is the `last`.
    """
    ends = text == LF
    returns = text == CR
    if returns.any():
        returns[:-1] &= ~ends[1:]
        returns[-1] &= last
        ends |= returns
    return _outside(ends, inside)


def delimiters(text: Bytes, inside: Mask | None, delimiter: str) -> Mask:
    """Mark the delimiters outside quotes."""
    return _outside(text == ord(delimiter), inside)


def misplaced_quote(text: Bytes, delimiter: str) -> int | None:
    """The first quote that neither begins a field, nor ends one, nor is written twice in one."""
    neighbours = np.zeros(256, np.bool_)
    neighbours[[ord(delimiter), LF, CR, QUOTE]] = True
    quotes = np.flatnonzero(text == QUOTE)
    opening, closing = quotes[0::2], quotes[1::2]
    bad = [
        opening[(opening > 0) & ~neighbours[text[opening - 1]]],
        closing[(closing < len(text) - 1) & ~neighbours[text[(closing + 1) % len(text)]]],
    ]
    places = [int(one[0]) for one in bad if one.size]
    return min(places, default=None)


def _outside(marked: Mask, inside: Mask | None) -> Mask:
    if inside is not None:
        marked &= ~inside
    return marked


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
        """The position in `text` at which each record begins."""
        return np.concatenate([np.zeros(1, np.int64), self.marks[:-1, -1] + 1])[: len(self)]

    @property
    def offsets(self) -> Places:
        """The position in the file at which each record begins."""
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
    """The state of reading one file."""

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
