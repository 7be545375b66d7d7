"""The header of a delimited text, and the delimiter that it shows.

The rule: of comma, semicolon, tab and |, exactly one occurs in the header outside quotes, and that
one is the delimiter. Where none or several occur, the delimiter has to be stated. Nothing else is
ever concluded from a file: a record ends with LF, CR or CR LF outside quotes; a field is either
quoted as a whole, with a quote in it written twice, or holds no quote; no line is a comment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.text.encoding import (
    BYTE_ORDER_MARK,
    check_bytes,
    check_file,
    check_start,
)
from ppaurora.parties.sources.text.structure import (
    LINE_ENDS,
    delimiters,
    inside_quotes,
    misplaced_quote,
    record_ends,
)
from ppaurora.parties.sources.text.text_file import TextFile

__all__ = ["Dialect", "dialect_of"]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "|"}
LONGEST_HEADER = 1 << 20


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiter, the columns' names, and where in the file the first record begins."""

    delimiter: str
    names: tuple[str, ...]
    first: int


def dialect_of(text: TextFile, stated: str = "") -> Dialect:
    """What the header of the file says; `stated` is the delimiter where the owner states it."""
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
    seen = [one for one in DELIMITERS if delimiters(array, inside, one).any()]
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
