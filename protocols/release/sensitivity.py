"""Sensitivity of AUROC and average precision to replacing one of n samples.

Every table has an entry for each number of positives P = 0 .. n, as multiples of 2^-64, rounded up.
With N = n - P and the harmonic numbers H,

    AUROC                1/min(P, N), 1 where a class has at most one [Thesis, Thm 5.1]
    average precision    (H_P - 1)/(P - 1) for P >= 4, below it 19/45, 7/12, 1, 1
                         [Thesis, Thm 5.3, erratum 8], with ties against the classifier
    the same as printed  [Thesis, Eq. 5.20], about twice as much, cut off at 1 [Thesis, erratum 7]

The AUROC's holds for ties counted half as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import log

UNIT = 1 << 64
FEW_POSITIVES = ((1, 1), (1, 1), (7, 12), (19, 45))
LOGARITHM_ERROR = 1 + 2.0**-40
"""More than what a few operations on doubles lose."""

Table = Callable[[int], Sequence[int]]


def of_auroc(n: int) -> list[int]:
    """The AUROC's sensitivity for P = 0 .. n positives.

    >>> [entry / UNIT for entry in of_auroc(6)]
    [1.0, 1.0, 0.5, 0.3333333333333333, 0.5, 1.0, 1.0]
    """
    return [_up(UNIT, max(1, min(P, n - P))) for P in range(n + 1)]


def of_average_precision(n: int) -> list[int]:
    """Average precision's sensitivity for P = 0 .. n positives.

    >>> round(of_average_precision(1000)[1000] / UNIT, 5)
    0.00649
    """
    few = [_up(UNIT * top, bottom) for top, bottom in FEW_POSITIVES]
    more = [_up(H - UNIT, P) for P, H in enumerate(_harmonic(n)[len(few) - 1 :], len(few) - 1)]
    return [*few, *more][: n + 1]


def of_average_precision_as_printed(n: int) -> list[int]:
    """The sensitivity of average precision as the paper prints it, for P = 0 .. n.

    >>> round(of_average_precision_as_printed(1000)[1000] / UNIT, 7)
    0.0138175
    """
    return [min(UNIT, int(_printed(P) * LOGARITHM_ERROR * UNIT) + 1) for P in range(n + 1)]


def _printed(P: int) -> float:
    if P <= 1:
        return 1.0
    step = log(P + 1) / P
    return max(step, (9 + log(P - 1)) / (4 * (P - 1))) + max(step, (9 + log(P)) / (4 * P))


@lru_cache(maxsize=32)
def shrunk_average_precision(b: int) -> int:
    """The sensitivity of average precision times min(1, P/b): H_b/b, whatever P is.

    It is Y/max(P, b) with Y = Σ i/(i + s_i) over the positives i = 1 .. P, above which stand s_i
    negatives. Let P <= b. If positive z becomes a negative, the terms i < z fall by at most
    1/(i + 1), that of z by 1, the terms i > z by at most 1/i: together H_P, the same for every z,
    and all of it if there were no negatives and the new one is the highest. The reverse is the
    same. A moved negative costs at most H_(P+1) - 1, a moved positive at most 1 + Σ_(i<P) max_s
    s/((i + s)(i + 1 + s)): no more. For P > b it is the average precision itself, which moves less.

    >>> shrunk_average_precision(2) / UNIT
    0.75
    """
    return _up(_harmonic(b)[-1], b)


def smoothed(table: Sequence[int], decay: int) -> list[int]:
    """max_j table[j]·e^(-β·|i - j|) for each i, rounded up, where decay is 2^64·e^-β, rounded up.

    [Thesis, Thm 5.2 and 5.4]. By one pass there and one back; neighbouring entries differ by a
    factor of at most e^β, exactly.

    >>> smoothed([8, 0, 0, 0, 5], UNIT // 2)
    [8, 4, 2, 3, 5]
    """

    def reached(before: int, here: int) -> int:
        return max(here, -(-before * decay // UNIT))

    there = list(accumulate(table, reached))
    return list(accumulate(reversed(there), reached))[::-1]


def _harmonic(n: int) -> list[int]:
    """H_1 .. H_n, each term rounded up."""
    return list(accumulate(_up(UNIT, i) for i in range(1, n + 1)))


def _up(top: int, bottom: int) -> int:
    return -(-top // bottom)
