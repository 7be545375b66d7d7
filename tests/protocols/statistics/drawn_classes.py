"""Drawn studies of several classes: every kind of ties, missing classes, empty lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn import SIZES
from tests.protocols.statistics.drawn_pairs import OWNERS, drawn_choices, drawn_scores
from tests.protocols.studies import Owner, Study

MOST_CLASSES = 5


def drawn_classes(
    count: int,
    seed: int,
    metrics: Sequence[Sequence[str]],
    most_decimals: int,
    sizes: Sequence[int] = SIZES,
) -> list[Study]:
    """Studies of three to five classes, from a seed; they ask for the given metrics by turns."""
    rng = np.random.default_rng(seed)
    return [
        _drawn(
            rng,
            sizes[place % len(sizes)],
            metrics[place // len(sizes) % len(metrics)],
            most_decimals,
        )
        for place in range(count)
    ]


def _drawn(rng: np.random.Generator, n: int, metrics: Sequence[str], most: int) -> Study:
    k = int(rng.integers(3, MOST_CLASSES + 1))
    shares = rng.dirichlet(np.full(k, rng.choice([0.3, 1, 10])))
    classes = rng.choice(k, n, p=shares)
    scores = [drawn_scores(rng, (classes == place).astype(int)) for place in range(k)]
    cuts = np.sort(rng.integers(0, n + 1, int(rng.choice(OWNERS)) - 1))
    parts = [np.split(column, cuts) for column in (classes, *scores)]
    options = Options(
        metrics=tuple(metrics),
        decimals=int(rng.integers(1, most + 1)),
        classes=tuple("abcde"[:k]),
        **drawn_choices(rng, n),
    )
    return Study(
        tuple(
            Owner(
                first.tolist(),
                (own == 0).astype(int).tolist(),
                [other.tolist() for other in others],
                classes=own.tolist(),
            )
            for own, first, *others in zip(*parts, strict=True)
        ),
        options,
    )


def columns_of(study: Study) -> tuple[list[int], list[list[float]]]:
    """The class of every row, and the scores of all rows for each class, higher ones
    speaking for it."""
    classes = [int(one) for owner in study.owners for one in _there(owner.classes)]
    others = range(len(study.options.classes) - 1)
    sign = 1 if study.direction == "higher" else -1
    scores = [
        study.scores,
        *(
            [sign * float(one) for owner in study.owners for one in _there(owner.against)[place]]
            for place in others
        ),
    ]
    return classes, scores


def _there(columns: Any) -> Any:
    assert columns is not None
    return columns
