"""What a released AUROC tells about the number of positives: the counts that fit it.

AUROC = k / M with M = 2·P·N (M = P·N without ties), and for any P every k from 0 to M occurs for
some data. So P fits the released value v just if a k exists with round_half_up(10^d·k/M) = v. A
count with M >= 10^d fits every value. P and N enter alike: a count and its mirror image fit
together, and two candidates left mean that the counts are known but for which class is which.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

FEW_SAMPLES = 200
MOST_ENUMERATED = 128
"""Up to this many samples all values of all counts are enumerated; beyond, the bound is used."""


def _pairs(n: int, P: int, ties: bool) -> int:
    return (1 + ties) * P * (n - P)


def consistent_counts(n: int, value: int, decimals: int, *, ties: bool = True) -> list[int]:
    """The numbers of positives among n samples that fit the released value·10^-decimals."""
    one = 10**decimals
    fitting = []
    for P in range(1, n):
        M = _pairs(n, P, ties)
        # (2v - 1)·M <= 2·one·k < (2v + 1)·M
        k = max(0, -(-(2 * value - 1) * M // (2 * one)))
        if k <= M and 2 * one * k < (2 * value + 1) * M:
            fitting.append(P)
    return fitting


def least_candidates(n: int, decimals: int, *, ties: bool = True) -> int:
    """How few numbers of positives some value may leave: exact for small n, else a lower bound."""
    one = 10**decimals
    if n > MOST_ENUMERATED:
        # M grows up to P = n/2: what fits every value lies between the first and its mirror image
        half = range(1, n // 2 + 1)
        first = 1 + bisect_left(half, one, key=lambda P: _pairs(n, P, ties))
        return max(0, n + 1 - 2 * first)
    values = []
    for P in range(1, n):
        M = _pairs(n, P, ties)
        # k·10^d in two digits of base 10^h: every product stays far below 2^63
        k = np.arange(M + 1, dtype=np.int64)
        high, rest = np.divmod(k * 10 ** (decimals // 2), M)
        low, rest = np.divmod(rest * 10 ** (decimals - decimals // 2), M)
        quotient = high * 10 ** (decimals - decimals // 2) + low
        values.append(np.unique(quotient + (2 * rest >= M)))
    if not values:
        return 0
    return int(np.unique(np.concatenate(values), return_counts=True)[1].min())


def pinned_warning(name: str, n: int, decimals: int, *, ties: bool) -> tuple[str, ...]:
    """The warning about an AUROC of n samples; none where half of the counts or more always fit."""
    if n < 2:
        return ()
    left = least_candidates(n, decimals, ties=ties)
    if 2 * left >= n - 1:
        return ()
    about = f"{name} of {n} samples to {decimals} decimals"
    advice = "release fewer decimals or gather more samples"
    if left <= 2:
        return (f"{about} may tell the class counts, up to which class is which; {advice}",)
    return (f"{about} may leave only {left} of the {n - 1} possible class counts; {advice}",)


def few_samples_warning(name: str, n: int) -> tuple[str, ...]:
    """The warning about a precision-recall metric of few samples."""
    if not 1 < n < FEW_SAMPLES:
        return ()
    return (
        f"{name}: what it tells of {n} samples is not bounded here; count on the number of "
        "positives becoming known",
    )
