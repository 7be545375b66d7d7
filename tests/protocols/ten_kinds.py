"""Ten kinds of data of the same public sizes, as unlike each other as data can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tests.protocols.studies import Owner

KINDS = (
    "random",
    "all tied",
    "none tied",
    "negatives only",
    "positives only",
    "one positive",
    "one negative",
    "perfect",
    "inverse",
    "extremes",
)
SIZES = (6, 0, 7, 1)
EXTREMES = (0.0, 5e-324, 0.5, 1 - 2**-53, 1.0)


def owners_of(
    kind: str, sizes: Sequence[int] = SIZES, *, seed: int = 5, decimals: int | None = None
) -> tuple[Owner, ...]:
    """Lists of these sizes; in most of them both classes occur and some scores are tied.

    With `decimals`, all scores have so few.
    """
    rng, n = np.random.default_rng(seed), sum(sizes)
    scores = rng.random(n).round(1)
    labels = rng.permutation(np.append([0, 1], rng.integers(0, 2, n - 2)))
    apart = 0.4 * rng.random(n)
    match kind:
        case "all tied":
            scores = np.full(n, 0.5)
        case "none tied":
            scores = rng.random(n)
        case "negatives only" | "positives only":
            labels = np.full(n, kind == "positives only", int)
        case "one positive" | "one negative":
            labels = (np.arange(n) == n // 2).astype(int)
            labels = labels if kind == "one positive" else 1 - labels
        case "perfect" | "inverse":
            scores = apart + 0.5 * (labels if kind == "perfect" else 1 - labels)
        case "extremes":
            scores = rng.choice(EXTREMES, n)
    if decimals is not None:
        scores = scores.round(decimals)
    against = scores[::-1]
    ends = np.cumsum([0, *sizes]).tolist()
    parts = [slice(start, end) for start, end in pairwise(ends)]
    # a positive is in the first class, others are in the second and the third by turns
    classes = np.where(labels == 1, 0, 1 + np.arange(n) % 2)
    return tuple(
        Owner(scores[own], labels[own], against[own], classes=classes[own].tolist())
        for own in parts
    )
