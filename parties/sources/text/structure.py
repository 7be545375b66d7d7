"""Where the records and fields of a delimited text end, by RFC 4180, over many bytes at once.

Quotes open and close in turn, so a byte lies inside a quoted field if and only if an odd number of
quotes stands before it. That is right for every text in which quotes stand only where a field
begins or ends, or twice within a field, and `misplaced_quote` finds the first that does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CR",
    "LF",
    "LINE_ENDS",
    "QUOTE",
    "delimiters",
    "inside_quotes",
    "misplaced_quote",
    "record_ends",
]

QUOTE, LF, CR = 34, 10, 13
LINE_ENDS = (LF, CR)

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def inside_quotes(text: Bytes) -> Mask | None:
    """Which bytes lie inside quotes; None where there are no quotes at all."""
    quotes = text == QUOTE
    if not quotes.any():
        return None
    return np.asarray(np.logical_xor.accumulate(quotes))


def record_ends(text: Bytes, inside: Mask | None, *, last: bool) -> Mask:
    """Which bytes are the last of a line end outside quotes: LF, CR LF, or a CR alone.

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
    """Which bytes are delimiters outside quotes."""
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
