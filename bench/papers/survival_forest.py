"""A random survival forest as [ROC-GLM, "About the model"] grows it: 20 trees, ranger's defaults.

Each tree is grown on as many rows drawn with replacement as there are. At a node two covariates at
random are tried, at every value, and the split with the largest log-rank statistic is taken that
leaves at least three rows on both sides. A leaf has the Nelson-Aalen estimate of its rows; the
forest the mean of its trees'. R draws other random numbers, so that no forest is the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.papers.data_sets import SurvivalData
from ppaurora.bench.papers.laws import Doubles

TREES, TRIED, LEAST = 20, 2, 3


@dataclass(frozen=True, slots=True)
class Leaf:
    """The cumulative hazard at the horizon."""

    hazard: float


@dataclass(frozen=True, slots=True)
class Split:
    """Rows with a value up to the cut go left."""

    covariate: int
    cut: float
    left: Split | Leaf
    right: Split | Leaf


Tree = Split | Leaf


def survival(trees: Sequence[Tree], x: Doubles) -> Doubles:
    """The chance to have no event up to the horizon, of each row."""
    hazards = np.zeros(len(x))
    for tree in trees:
        hazards += np.array([_hazard(tree, row) for row in x])
    found: Doubles = np.exp(-hazards / len(trees))
    return found


def grown(
    data: SurvivalData, horizon: float, generator: np.random.Generator, trees: int = TREES
) -> list[Tree]:
    """So many trees."""
    n = data.days.size
    return [_grow(data[generator.integers(n, size=n)], horizon, generator) for _ in range(trees)]


def hazard(days: Doubles, event: NDArray[np.int64], horizon: float) -> float:
    """The Nelson-Aalen estimate: events over those at risk, summed over the times of events.

    >>> hazard(np.array([1.0, 2, 2, 3]), np.array([1, 1, 0, 1]), 2)
    0.5833333333333333
    """
    at = np.unique(days[(event == 1) & (days <= horizon)])
    ordered = np.sort(days)
    at_risk = days.size - np.searchsorted(ordered, at)
    events = np.array([((days == time) & (event == 1)).sum() for time in at])
    return float((events / at_risk).sum())


def log_rank(values: Doubles, days: Doubles, event: NDArray[np.int64]) -> tuple[float, float]:
    """The largest statistic of a cut, squared, and the cut; 0 where there is none.

    For rows up to the cut: the events less those expected, over the standard deviation.
    """
    cuts = np.unique(values)[:-1]
    at = np.unique(days[event == 1])
    if not cuts.size or not at.size:
        return 0.0, 0.0
    at_risk = days[:, None] >= at
    ends = (days[:, None] == at) & (event[:, None] == 1)
    left = values <= cuts[:, None]
    Y, d = at_risk.sum(0).astype(float), ends.sum(0).astype(float)
    Y1, d1 = left.astype(float) @ at_risk, left.astype(float) @ ends
    share = Y1 / Y
    rest = np.where(Y > 1, (Y - d) / np.where(Y > 1, Y - 1, 1), 0)
    spread = (share * (1 - share) * rest * d).sum(1)
    enough = np.minimum(left.sum(1), days.size - left.sum(1)) >= LEAST
    off = (d1 - share * d).sum(1)
    found = np.where(enough & (spread > 0), off**2 / np.where(spread > 0, spread, 1), 0)
    best = int(found.argmax())
    return float(found[best]), float(cuts[best])


def _grow(data: SurvivalData, horizon: float, generator: np.random.Generator) -> Tree:
    n = data.days.size
    if n > LEAST and data.event.any():
        tried = generator.permutation(data.x.shape[1])[:TRIED]
        found = [(*log_rank(data.x[:, k], data.days, data.event), int(k)) for k in tried]
        statistic, cut, covariate = max(found)
        if statistic > 0:
            left = data.x[:, covariate] <= cut
            sides = (np.flatnonzero(left), np.flatnonzero(~left))
            one, other = (_grow(data[rows], horizon, generator) for rows in sides)
            return Split(covariate, cut, one, other)
    return Leaf(hazard(data.days, data.event, horizon))


def _hazard(tree: Tree, row: Doubles) -> float:
    while isinstance(tree, Split):
        tree = tree.left if row[tree.covariate] <= tree.cut else tree.right
    return tree.hazard
