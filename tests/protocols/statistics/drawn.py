"""Drawn studies of 2 to 300 samples: every kind of ties, every share of the classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ppaurora.protocols.options import Options
from tests.protocols.studies import Study, owners_of

SIZES = (2, 3, 4, 5, 8, 13, 24, 60, 150, 300)


def drawn_studies(
    count: int,
    seed: int,
    metrics: Sequence[Sequence[str]],
    most_decimals: int,
    bins: Sequence[int] = (),
) -> list[Study]:
    """Studies of two owners each, from a seed; they ask for the given metrics by turns.

    With numbers of bins their scores are counted in so many, by turns.
    """
    rng = np.random.default_rng(seed)
    studies = []
    for place in range(count):
        n = SIZES[place % len(SIZES)]
        share = rng.choice([1 / n, 0.05, 0.3, 0.5, 0.8, 1 - 1 / n])
        positives = min(n, max(0, round(share * n) + int(rng.integers(-1, 2))))
        labels = rng.permutation(np.r_[np.ones(positives, int), np.zeros(n - positives, int)])
        match rng.integers(0, 6):
            case 0:
                scores = np.full(n, 0.5)
            case 1:
                scores = rng.permutation(n) / n
            case 2:
                scores = rng.integers(0, 4, n) / 4
            case 3:
                scores = labels / 2 + rng.integers(0, 5, n) / 10
            case 4:
                scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2)
            case _:
                scores = np.clip(rng.normal(0.4 + 0.1 * labels, 0.2), 0, 1)
        cut = int(rng.integers(0, n + 1))
        asked = tuple(metrics[place // len(SIZES) % len(metrics)])
        decimals = int(rng.integers(1, most_decimals + 1))
        if bins:
            options = Options(
                metrics=asked,
                decimals=decimals,
                resolution=f"bins:{bins[place % len(bins)]}",
                least_cell=1,
            )
        else:
            options = Options(metrics=asked, decimals=decimals, least_cell=1)
        studies.append(Study(owners_of(scores.tolist(), labels.tolist(), [cut, n - cut]), options))
    return studies


def varied_studies(
    count: int, seed: int, metrics: Sequence[Sequence[str]], most_decimals: int
) -> list[Study]:
    """The same rows among 1 to 50 owners, some of whom have none, by every choice of protocols."""
    rng = np.random.default_rng(seed)
    studies = []
    for study in drawn_studies(count, seed, metrics, most_decimals):
        scores, n = study.scores, len(study.scores)
        merge, ties, scores_in = (
            str(rng.choice(choices))
            for choices in (("network", "delta"), ("compare", "helper"), ("0 to 1", "any"))
        )
        if scores_in == "any":
            scores = [1000 * score - 300 for score in scores]
        cuts = np.sort(rng.integers(0, n + 1, int(rng.choice([1, 2, 3, 9, 50])) - 1))
        sizes = np.diff(np.r_[0, cuts, n])
        delta = int(rng.choice([1, 3, 25])) if merge == "delta" else 1
        options = replace(study.options, merge=merge, delta=delta, ties=ties)
        if scores_in == "any":
            options = replace(options, range=("any",))
        studies.append(Study(owners_of(scores, study.labels, sizes.tolist()), options))
    return studies


FEW_DECIMALS = 4


def one_of_each_size(draw: Callable[..., list[Study]], *more: Any) -> list[Study]:
    """Ten studies for every change: of each size one, and of most turns of what is asked.

    Each decimal takes its hops of divisions: two of three have four at most.
    """
    studies = draw(7 * len(SIZES), *more)[::7]
    return [
        replace(
            study,
            options=replace(study.options, decimals=min(study.options.decimals, FEW_DECIMALS)),
        )
        if place % 3
        else study
        for place, study in enumerate(studies)
    ]


def labellings(scores: Sequence[float]) -> Iterator[list[int]]:
    """Every labelling of sorted scores; of those that are tied only how many are positive."""
    for labels in product((0, 1), repeat=len(scores)):
        rows = list(zip(scores, labels, strict=True))
        if rows == sorted(rows):
            yield list(labels)


WAYS: tuple[dict[str, Any], ...] = (
    {"merge": "network", "ties": "helper"},
    {"merge": "delta", "ties": "compare"},
    {"merge": "delta", "ties": "helper", "range": ("any",)},
)


def dealt_out(studies: Sequence[Study], seed: int) -> list[Study]:
    """The same rows dealt out to 1 to 50 owners, some with none; merges, ties, ranges by turns."""
    rng = np.random.default_rng(seed)
    dealt = []
    for place, one in enumerate(studies):
        n, owners = len(one.labels), int(rng.integers(1, 51))
        cuts = np.sort(rng.integers(0, n + 1, owners - 1))
        sizes = np.diff([0, *cuts, n]).tolist()
        options = replace(one.options, **WAYS[place % len(WAYS)])
        dealt.append(Study(owners_of(one.scores, one.labels, sizes), options))
    return dealt
