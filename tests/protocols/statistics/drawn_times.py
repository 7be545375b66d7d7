"""Drawn studies of times to an event: owners, grids, scores, ties, and censoring of many kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ppaurora.protocols.options import MOST_DECIMALS, Options
from tests.protocols.studies import Owner, Study

KINDS = ("mixed", "no events", "no censoring", "one time", "all scores tied", "late")


def drawn_times(
    count: int,
    seed: int,
    asked: Sequence[str],
    *,
    apart: bool | None = None,
    resolutions: Sequence[str] = ("decimals:1", "decimals:2", "bins:4", "bins:16"),
    most_decimals: int = MOST_DECIMALS,
    **more: Any,
) -> list[Study]:
    """Studies of one to five owners with up to forty samples in all."""
    rng, found = np.random.default_rng(seed), []
    for place in range(count):
        n, owners = int(rng.integers(1, 41)), int(rng.integers(1, 6))
        kind = KINDS[0] if rng.random() < 0.7 else str(rng.choice(KINDS[1:]))
        resolution = resolutions[place % len(resolutions)]
        together = bool(rng.integers(2)) if apart is None else apart
        edges = np.unique(rng.integers(1, 13, int(rng.integers(1, 9))))
        if together:
            # behind the horizon any time may lie
            times = rng.choice([*edges, edges[-1] + 0.5], n)
        else:
            times = np.round(rng.exponential(5, n), 1)
        scores = rng.random(n)
        if resolution.startswith("decimals"):
            scores = scores.round(int(resolution[-1]))
        events = rng.integers(0, 2, n)
        match kind:
            case "no events":
                events[:] = 0
            case "no censoring":
                events[:] = 1
            case "one time":
                times = np.full(n, float(edges[0]))
            case "all scores tied":
                scores = np.full(n, 0.5)
            case "late":
                times = np.full(n, float(edges[-1] + 3))
        texts = tuple(one.format(times="/".join(map(str, edges))) for one in asked)
        options = Options(
            metrics=texts,
            decimals=int(rng.integers(1, most_decimals + 1)),
            resolution=resolution,
            time_edges=tuple(map(str, edges)),
            times_apart=together,
            **more,
        )
        cuts = [0, *np.sort(rng.integers(0, n + 1, owners - 1)).tolist(), n]
        lists = tuple(
            Owner(
                scores[start:stop].tolist(),
                events[start:stop].tolist(),
                times=times[start:stop].tolist(),
            )
            for start, stop in pairwise(cuts)
        )
        found.append(Study(lists, options, ("higher", "lower")[place // 2 % 2]))
    return found
