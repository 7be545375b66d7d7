"""The area under a precision-recall curve, as an integral by small steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

STEPS = 2000


def area_through(points: Sequence[tuple[float, int]]) -> float:
    """The integral of t/j over t between (j, t) and the next point, j growing in proportion to t.

    By the midpoints of small steps: right to six decimals for lists of a few samples.
    """
    total = 0.0
    for (j1, t1), (j2, t2) in pairwise(points):
        for step in range(STEPS):
            at = (step + 0.5) / STEPS
            t, j = t1 + at * (t2 - t1), j1 + at * (j2 - j1)
            total += t / j * (t2 - t1) / STEPS
    return total
