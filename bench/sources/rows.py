"""Generated rows that every engine makes alike: whole numbers of 32 bits, divided by 2^32.

Row i has the score MOD(i·2654435761, 2^32) / 2^32, exact in doubles, and is positive the likelier
the larger that is. No two of the first 2^32 rows have the same score.
"""

from __future__ import annotations

import numpy as np

from ppaurora.parties.sources.counted import Counted, added
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.protocols.grid.grid import Grid

FACTOR, RANGE = 2654435761, 1 << 32
LABEL_FACTOR, LABEL_RANGE = 48271, 65521
BASE, SLOPE = 13107, 39321
PART = 1 << 20


def select(rows: str, double: str = "DOUBLE") -> str:
    """The query over `rows`, a table with one column i."""
    score = f"CAST(MOD(i * {FACTOR}, {RANGE}) AS {double}) / CAST({RANGE} AS {double})"
    likely = f"MOD(i * {LABEL_FACTOR}, {LABEL_RANGE}) < {BASE} + {SLOPE} * score"
    return (
        f"SELECT score, CASE WHEN {likely} THEN 1 ELSE 0 END AS label "
        f"FROM (SELECT i, {score} AS score FROM {rows}) AS scored"
    )


def counted_by_numpy(rows: int, grid: Grid, first: int = 0) -> Counted:
    """The counts of these rows, made without any of the engines."""
    parts = [
        Counted.of(_made(start, min(start + PART, first + rows)), grid)
        for start in range(first, first + rows, PART)
    ]
    return added(parts)


def _made(start: int, stop: int) -> Labelled:
    i = np.arange(start, stop, dtype=np.int64)
    scores = (i * FACTOR % RANGE) / RANGE
    labels = i * LABEL_FACTOR % LABEL_RANGE < BASE + SLOPE * scores
    return Labelled(scores, labels.astype(np.uint8))
