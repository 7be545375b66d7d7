"""The texts of one column as ranges of bytes, so that millions of them are handled at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ppaurora.mpc.words import Words

WIDEST = 32
WORD_BYTES = 8
PADDING = bytes(WIDEST)
STEP = 1 << 13
"""So many rows that an array of words is small enough for the allocator to keep it once freed."""
BELOW = np.array([(1 << 8 * count) - 1 for count in range(WORD_BYTES + 1)], np.uint64)
BLANK = np.zeros(256, np.bool_)
BLANK[[ord(" "), ord("\t")]] = True


@dataclass(frozen=True, slots=True, repr=False)
class Fields:
    """Row k is `buffer[start[k]:end[k]]`, in UTF-8, a quote written twice, without outer blanks.

    The buffer goes on for `PADDING` behind the last range.
    """

    buffer: NDArray[np.uint8]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def between(
        cls, buffer: NDArray[np.uint8], start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> Fields:
        """The fields from byte `start` to byte `end` of the buffer, without blanks around them."""
        start, end = start.copy(), end.copy()
        for _ in range(WIDEST):
            before = BLANK[buffer[start]] & (start < end)
            start += before
            behind = BLANK[buffer[end - 1]] & (start < end)
            end -= behind
            if not (before.any() or behind.any()):
                break
        else:
            for row in np.flatnonzero(before | behind).tolist():
                text = buffer[start[row] : end[row]].tobytes()
                start[row] += len(text) - len(text.lstrip(b" \t"))
                end[row] = start[row] + len(text.strip(b" \t"))
        return cls(buffer, start, end)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Fields:
        """The fields with these texts."""
        joined = "".join(texts)
        lengths = [*map(len, texts)]
        if '"' in joined or "\0" in joined or not joined.isascii():
            rows = [text.replace('"', '""').replace("\0", "\ufffd").encode() for text in texts]
            joined = b"".join(rows).decode()
            lengths = [*map(len, rows)]
        end = np.cumsum(lengths, dtype=np.int64)
        start = end - np.array(lengths, np.int64)
        buffer = np.frombuffer(joined.encode() + PADDING, np.uint8)
        return cls.between(buffer, start, end)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return self.end - self.start

    def text(self, row: int) -> str:
        """The column's text in one row, a quote written once."""
        data = self.buffer[self.start[row] : self.end[row]].tobytes()
        return data.decode().replace('""', '"')

    def steps(self) -> Iterator[tuple[slice, Fields]]:
        """The rows in parts that stay in the processor's cache."""
        for first in range(0, len(self), STEP):
            rows = slice(first, first + STEP)
            yield rows, Fields(self.buffer, self.start[rows], self.end[rows])

    def take(self, rows: NDArray[np.int64]) -> Fields:
        """These rows."""
        return Fields(self.buffer, self.start[rows], self.end[rows])

    def heads(self) -> Words:
        """The first eight bytes of each row as a word, zero behind its end."""
        return self.words_at(self.start) & BELOW[np.minimum(self.lengths, WORD_BYTES)]

    def words_at(self, places: NDArray[np.int64]) -> Words:
        """The eight bytes of the buffer from each place on as a word, the first of them lowest."""
        count = len(self.buffer) - WORD_BYTES + 1
        words = np.ndarray((count,), np.dtype("<u8"), self.buffer, strides=(1,))
        return words[places]

    def padded(self) -> NDArray[np.bytes_]:
        """All rows at one width, cut to `WIDEST` bytes."""
        width = int(min(max(self.lengths.max(initial=1), 1), WIDEST))
        matrix = sliding_window_view(self.buffer, width)[self.start]
        lengths = np.minimum(self.lengths, width).astype(np.uint8)
        matrix *= np.arange(width, dtype=np.uint8) < lengths[:, None]
        return matrix.view(f"S{width}").ravel()
