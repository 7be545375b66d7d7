"""Class counts that are consistent with a released AUROC, and warnings where they are few.

AUROC = k / M with M = 2·P·N (M = P·N without ties), and for any P every k from 0 to M occurs for
some data. So P fits the released value v if and only if there is a k with
round_half_up(10^d·k/M) = v. A count with M >= 10^d fits every value. P and N enter alike: a count
and its mirror image fit together, and two candidates left mean that the counts are known but for
which class is which.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

FEW_SAMPLES = 200
MOST_ENUMERATED = 128
"""Up to this many samples all values of all counts are enumerated; beyond, the bound is used."""


def _pairs(n: int, P: int, ties: bool) -> int:
    return (1 + ties) * P * (n - P)


def consistent_counts(n: int, value: int, decimals: int, *, ties: bool = True) -> list[int]:
    """The numbers of positives among n samples that fit the released value·10^-decimals."""
    scale = 10**decimals
    fitting = []
    for P in range(1, n):
        M = _pairs(n, P, ties)
        # (2v - 1)·M <= 2·scale·k < (2v + 1)·M
        k = max(0, -(-(2 * value - 1) * M // (2 * scale)))
        if k <= M and 2 * scale * k < (2 * value + 1) * M:
            fitting.append(P)
    return fitting


def least_candidates(n: int, decimals: int, *, ties: bool = True) -> int:
    """The fewest candidates for P that any value leaves: exact for small n, else a lower bound."""
    scale = 10**decimals
    if n > MOST_ENUMERATED:
        # M grows up to P = n/2: what fits every value lies between the first and its mirror image
        half = range(1, n // 2 + 1)
        first = 1 + bisect_left(half, scale, key=lambda P: _pairs(n, P, ties))
        return max(0, n + 1 - 2 * first)
    values = []
    for P in range(1, n):
        M = _pairs(n, P, ties)
        # k·10^d in two digits of base 10^h: every product stays far below 2^63
        k = np.arange(M + 1, dtype=np.int64)
        high, rest = np.divmod(k * 10 ** (decimals // 2), M)
        low, rest = np.divmod(rest * 10 ** (decimals - decimals // 2), M)
        quotient = high * 10 ** (decimals - decimals // 2) + low
        rounded = quotient + (2 * rest >= M)
        # it grows with k: each value is taken where it first stands
        values.append(rounded[np.diff(rounded, prepend=-1) > 0])
    if not values:
        return 0
    together = np.sort(np.concatenate(values))
    # how often each value stands there: from where it begins to where the next one does
    begins = np.flatnonzero(np.diff(together, prepend=-1))
    return int(np.diff(begins, append=together.size).min())


def attackers(sizes: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """The attackers to consider: the number of samples unknown to each, and a name for it.

    Everybody sees the number of all n samples. Who holds the largest list knows its own part, and
    may have chosen it so that the number depends on the others' samples only; all owners but the
    one with the smallest list may do so together.
    """
    there = sorted(size for size in sizes if size)
    found = [(sum(there), "anybody")]
    if len(there) > 1:
        found.append((sum(there[:-1]), "the owner of the largest list"))
    if len(there) > 2:
        found.append((there[0], "all owners but the one with the smallest list together"))
    return tuple(found)


def pinned_warnings(
    name: str, sizes: Sequence[int], decimals: int, *, ties: bool
) -> tuple[str, ...]:
    """The warnings about an AUROC; none where half of the class counts or more always fit."""
    found = []
    for n, whom in attackers(sizes):
        left = least_candidates(n, decimals, ties=ties) if n > 1 else 0
        if n < 2 or 2 * left >= n - 1:
            continue
        what = (
            "the class counts, up to which class is which"
            if left <= 2
            else f"all but {left} of the {n - 1} possible class counts"
        )
        found.append(
            f"{name} to {decimals} decimals may tell {whom} {what}, of {n} samples; "
            "release fewer decimals or gather more samples"
        )
    return tuple(found)


def few_samples_warnings(name: str, sizes: Sequence[int]) -> tuple[str, ...]:
    """The warnings about a number of few samples that may tell anything about them."""
    return tuple(
        f"{name}: what it tells {whom} of {n} samples is not bounded here; count on the number of "
        "positives becoming known"
        for n, whom in attackers(sizes)
        if 1 < n < FEW_SAMPLES
    )


def known_warnings(name: str) -> tuple[str, ...]:
    """The warnings about an interval that follows from area, samples and class counts alone."""
    return (
        f"{name}: with the number of samples the interval tells both class counts, up to which "
        "class is which, as exactly as its limits are rounded",
    )
