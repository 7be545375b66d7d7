"""The same metrics on the pooled data, in the clear and exact: what a private result must equal.

Whole numbers only: a value is round_half_up(10^d · N/D), as the servers release it. The sums of
the precision-recall metrics are bracketed to 2^-256; should rounding depend on less, fractions
decide. For simulations and tests, where one process holds all data anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.release.decimals import NO_SAMPLES, Released
from ppaurora.protocols.statistics.catalogue import METRICS

__all__ = ["pooled_values"]

SCALE_BITS = 256


def pooled_values(
    lists: Sequence[Words], metrics: Sequence[str], decimals: int
) -> tuple[Released, ...]:
    """Each metric over all lists of keys (see `protocols.encoding`) together."""
    keys = np.sort(np.concatenate(lists))[::-1]
    labels = (keys & np.uint64(1)).astype(np.int64)
    codes = keys >> np.uint64(1)
    last = np.ones(len(keys), np.bool_)
    last[:-1] = codes[1:] != codes[:-1]
    TP = np.cumsum(labels)[last].tolist()
    j = (np.flatnonzero(last) + 1).tolist()
    curve = Curve(TP, j, labels)
    return tuple(_released(name, curve, len(keys), decimals) for name in metrics)


class Curve:
    """The counts at the end of each group of tied scores: TP true positives among the first j."""

    def __init__(
        self, TP: list[int], j: list[int], labels: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> None:
        ends = [(0, 0), *zip(TP, j, strict=True)]
        self.steps = [(s, t, i, j) for (s, i), (t, j) in pairwise(ends)]
        self.labels = labels
        self.P = TP[-1] if TP else 0
        self.N = (j[-1] if j else 0) - self.P


def _released(name: str, curve: Curve, samples: int, decimals: int) -> Released:
    needs_negatives = name.startswith("auroc")
    if not curve.P or (needs_negatives and not curve.N):
        return Released(name, None, METRICS[name].undefined if samples else NO_SAMPLES)
    word = _FORMULAS[name](curve, 10**decimals)
    return Released(name, f"{word // 10**decimals}.{word % 10**decimals:0{decimals}d}")


def _half_up(value: Fraction) -> int:
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def _auroc(curve: Curve, one: int) -> int:
    # 2U = Σ over groups of FP_group · (2·TP before + TP_group)
    U2 = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in curve.steps)
    return _half_up(Fraction(one * U2, 2 * curve.P * curve.N))


def _auroc_no_ties(curve: Curve, one: int) -> int:
    TP = np.cumsum(curve.labels)
    U = sum(TP[curve.labels == 0].tolist())
    return _half_up(Fraction(one * U, curve.P * curve.N))


def _average_precision(curve: Curve, one: int) -> int:
    return _sum(lambda: (((t - s) * t, j) for s, t, _, j in curve.steps), curve.P, one)


def _aupr(curve: Curve, one: int) -> int:
    def terms() -> Iterator[tuple[int, int]]:
        before = (1, 1)
        for s, t, _, j in curve.steps:
            if t > s:
                yield (t - s) * before[0], before[1]
                yield (t - s) * t, j
            before = (t, j)

    return _sum(terms, 2 * curve.P, one)


def _sum(terms: Callable[[], Iterator[tuple[int, int]]], divisor: int, one: int) -> int:
    """round_half_up(one · Σ N/D / divisor), by brackets, or by fractions where those disagree."""
    low = count = 0
    for N, D in terms():
        low += (N << SCALE_BITS) // D
        count += 1
    whole = divisor << SCALE_BITS
    least, most = (_half_up(Fraction(one * total, whole)) for total in (low, low + count))
    if least == most:
        return least
    return _half_up(one * sum((Fraction(N, D) for N, D in terms()), Fraction(0)) / divisor)


_FORMULAS = {
    "auroc": _auroc,
    "auroc_no_ties": _auroc_no_ties,
    "aupr": _aupr,
    "average_precision": _average_precision,
}
