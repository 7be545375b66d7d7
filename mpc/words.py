"""Vectors over Z_2^64: numpy's uint64, which wraps as the ring does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from operator import index
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Words: TypeAlias = "NDArray[np.uint64]"
Halves: TypeAlias = "NDArray[np.uint32]"
"""Numbers mod 2^32, two of which share a word."""
Column: TypeAlias = "NDArray[np.unsignedinteger[Any]]"
"""Numbers mod 2^64, or mod 2^32 or 2^16 where several share a word."""
Shape = tuple[int, ...]
WORD_BYTES, HALF_BYTES = 8, 4
"""The bytes of a number mod 2^64, and of one mod 2^32."""

BLOCK = 1 << 18
"""Elements that one pass works on: few enough for the processor's caches, and so many that the time
which Python itself takes for a pass does not count."""
STRIP = 1 << 14
"""Words of an array that numpy takes through all steps before the next ones: few enough for the
processor's inner cache, and so many that the time for a call does not count."""
AT_ONCE = 1 << 20
"""Elements that ties and scans have under way at once, which bounds their memory: a longer list
takes the hops of a step again for each further part."""
LONG_ROW = 512
"""Words of a row from which on reading it where it lies takes less time than copying it first."""


def to_words(values: ArrayLike | Sequence[int]) -> Words:
    """Integers of any sign, reduced mod 2^64.

    >>> to_words([1, -1, 2**64 + 2]).tolist()
    [1, 18446744073709551615, 2]
    """
    array = np.asarray(values)
    if array.dtype == np.uint64:
        return array
    if array.dtype.kind in "ibu":
        return array.astype(np.int64).view(np.uint64)
    if isinstance(values, np.ndarray) and array.dtype.kind != "O" and array.size:
        raise TypeError(f"words are integers, not {array.dtype}")
    # numpy takes doubles for integers of which some need 64 bits and others have a sign
    integers = np.array(values, dtype=object)
    words = [index(value) % (1 << 64) for value in integers.ravel()]
    return np.array(words, np.uint64).reshape(integers.shape)


def as_signed(words: Words) -> NDArray[np.int64]:
    """The integers in [-2^63, 2^63) that these words stand for.

    >>> as_signed(to_words([3, -4])).tolist()
    [3, -4]
    """
    return words.view(np.int64)


@contextmanager
def rows_where_they_lie() -> Iterator[None]:
    """A context in which numpy works on long rows where they lie, on the calling thread.

    By default it copies rows that do not follow each other in memory to a buffer of 8192 words
    first, unless they are longer. Here that buffer has LONG_ROW words.
    """
    before = leave_rows_where_they_lie()
    try:
        yield
    finally:
        np.setbufsize(before)


def leave_rows_where_they_lie() -> int:
    """Have numpy work on long rows where they lie from now on, on the calling thread.

    Returns how many words it copied first before.
    """
    before: int = np.setbufsize(LONG_ROW)
    return before


def blocks(length: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices of at most `size` that cover `length` elements in order; one empty slice for none.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, max(length, 1), size):
        yield slice(start, min(start + size, length))


def split(words: Words, *shapes: Shape) -> list[Words]:
    """Consecutive pieces of `words` in the given shapes, without copying.

    >>> row, matrix = split(to_words([1, 2, 3, 4, 5, 6]), (2,), (2, 2))
    >>> row.tolist(), matrix.tolist()
    ([1, 2], [[3, 4], [5, 6]])
    """
    pieces = []
    start = 0
    for shape in shapes:
        stop = start + prod(shape)
        pieces.append(words[start:stop].reshape(shape))
        start = stop
    if start != words.size:
        raise ValueError(f"{words.size} words for pieces of {start}")
    return pieces


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Columns of `n` numbers each, as words: one column after the other, each in whole words.

    `bytes_each` says for every column how long its numbers are.
    """

    n: int
    bytes_each: tuple[int, ...]

    @property
    def sizes(self) -> list[int]:
        """The number of words of each column."""
        return [-(-self.n * size // WORD_BYTES) for size in self.bytes_each]

    @property
    def words(self) -> int:
        return sum(self.sizes)

    @property
    def beyond_the_first(self) -> ColumnLayout:
        """The layout of the other columns."""
        return ColumnLayout(self.n, self.bytes_each[1:])

    def columns(self, words: Words) -> list[Column]:
        """The columns that these words hold."""
        return [column[: self.n] for column in self._whole(words)]

    def _whole(self, words: Words) -> list[Column]:
        """The columns with what fills their last words up."""
        parts = split(words, *((size,) for size in self.sizes))
        return [part.view(f"u{size}") for part, size in zip(parts, self.bytes_each, strict=True)]

    def message(self, columns: Sequence[Column]) -> Words:
        """The words that hold these columns.

        >>> ColumnLayout(2, (8, 2)).message([np.array([5, 6]), np.array([7, 1])]).tolist()
        [5, 6, 65543]
        """
        words = self.room()
        for room, column in zip(self.columns(words), columns, strict=True):
            room[:] = column
        return words

    def room(self) -> Words:
        """Words to write these columns to, with zeros already where they fill a last word up."""
        words = np.empty(self.words, np.uint64)
        for whole in self._whole(words):
            whole[self.n :] = 0
        return words

    def sum(self, words: Words, others: Words) -> Words:
        """The words that hold the sums of the numbers in these and in the others.

        >>> one, other = np.array([1, (1 << 32) - 1], np.uint64), np.array([2, 1], np.uint64)
        >>> ColumnLayout(2, (4, 4)).sum(one, other).tolist()
        [3, 0]
        """
        if all(size == WORD_BYTES for size in self.bytes_each):
            return words + others
        sums = np.empty_like(words)
        for into, one, other in zip(*map(self._whole, (sums, words, others)), strict=True):
            np.add(one, other, out=into)
        return sums

    def sections(self, columns: Sequence[Column]) -> list[Column]:
        """The columns as whole words each: those of shorter numbers filled up with zeros."""
        missing = (-self.n % (WORD_BYTES // size) for size in self.bytes_each)
        return [
            np.pad(column, (0, more)) if more else column
            for column, more in zip(columns, missing, strict=True)
        ]

    def of_sections(self, sections: Iterable[Words]) -> list[Column]:
        """The columns whose whole words these are.

        >>> layout = ColumnLayout(1, (8, 4))
        >>> one, other = layout.sections([np.array([5], np.uint64), np.array([6], np.uint32)])
        >>> [column.tolist() for column in layout.of_sections([one, other.view(np.uint64)])]
        [[5], [6]]
        """
        return [
            words.view(f"u{size}")[: self.n]
            for words, size in zip(sections, self.bytes_each, strict=True)
        ]
