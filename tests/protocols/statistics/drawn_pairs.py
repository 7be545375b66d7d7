"""Drawn studies of two scores: every kind of ties in either, up to 50 owners, empty lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn import SIZES
from tests.protocols.studies import Owner, Study

OWNERS = (1, 2, 3, 8, 50)


def drawn_pairs(
    count: int, seed: int, metrics: Sequence[Sequence[str]], most_decimals: int
) -> list[Study]:
    """Studies of 2 to 300 samples, from a seed; they ask for the given metrics by turns."""
    rng = np.random.default_rng(seed)
    return [
        _drawn(
            rng,
            SIZES[place % len(SIZES)],
            metrics[place // len(SIZES) % len(metrics)],
            most_decimals,
        )
        for place in range(count)
    ]


def _drawn(rng: np.random.Generator, n: int, metrics: Sequence[str], most_decimals: int) -> Study:
    share = rng.choice([0, 1 / n, 0.05, 0.3, 0.5, 0.5, 0.8, 1 - 1 / n, 1])
    positives = min(n, max(0, round(share * n) + int(rng.integers(-1, 2))))
    labels = rng.permutation(np.r_[np.ones(positives, int), np.zeros(n - positives, int)])
    first = drawn_scores(rng, labels)
    match rng.integers(0, 6):
        case 0:
            second = first / 2
        case 1:
            second = 1 - first
        case 2:
            second = np.where(rng.random(n) < 0.9, first, rng.random(n))
        case _:
            second = drawn_scores(rng, labels)
    owners = int(rng.choice(OWNERS))
    cuts = np.sort(rng.integers(0, n + 1, owners - 1))
    parts = [np.split(column, cuts) for column in (first, labels, second)]
    options = Options(
        metrics=tuple(metrics),
        decimals=int(rng.integers(1, most_decimals + 1)),
        **drawn_choices(rng, n),
    )
    return Study(
        tuple(
            Owner(scores.tolist(), marks.tolist(), others.tolist())
            for scores, marks, others in zip(*parts, strict=True)
        ),
        options,
    )


def drawn_choices(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """The choice of merge and ties; the paper's merge over few samples only."""
    ties = str(rng.choice(["compare", "compare", "helper"]))
    if n > 60 or rng.random() < 0.7:
        return {"ties": ties}
    return {"ties": ties, "merge": "delta", "delta": int(rng.choice([1, 3, 5]))}


def drawn_scores(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    n = labels.size
    match rng.integers(0, 6):
        case 0:
            return np.full(n, 0.5)
        case 1:
            return rng.permutation(n) / n
        case 2:
            return rng.integers(0, 4, n) / 4
        case 3:
            return labels / 2 + rng.integers(0, 5, n) / 10
        case 4:
            return np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2)
        case _:
            return np.clip(rng.normal(0.4 + 0.1 * labels, 0.2), 0, 1)
