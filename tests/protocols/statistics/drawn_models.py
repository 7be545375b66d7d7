"""Drawn studies of several models, and what all pairs of samples say of their AUROCs.

Nothing here is shared with the program: the outcomes of all pairs of a positive and a negative are
compared one by one for each model, and matrices are solved by Cramer's rule over fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn import SIZES
from tests.protocols.statistics.drawn_pairs import OWNERS, drawn_choices, drawn_scores
from tests.protocols.statistics.test_delong import twice_won
from tests.protocols.studies import Owner, Study

MOST_MODELS = 6
Texts = Sequence[str]


def drawn_models(
    count: int,
    seed: int,
    metrics: Sequence[Texts],
    most_decimals: int,
    sizes: Sequence[int] = SIZES,
) -> list[Study]:
    """Studies of two to six models, from a seed; they ask for the given metrics by turns."""
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


def _drawn(rng: np.random.Generator, n: int, metrics: Texts, most_decimals: int) -> Study:
    of_servers = any(text == "auroc_equal" for text in metrics)
    k = int(rng.integers(2, 5 if of_servers else MOST_MODELS + 1))
    share = rng.choice([0, 1 / n, 0.05, 0.3, 0.5, 0.5, 0.8, 1 - 1 / n, 1])
    positives = min(n, max(0, round(share * n) + int(rng.integers(-1, 2))))
    labels = rng.permutation(np.r_[np.ones(positives, int), np.zeros(n - positives, int)])
    models = [drawn_scores(rng, labels) for _ in range(k)]
    match rng.integers(0, 5):
        case 0:
            # ranked alike: the covariance has no inverse
            models[-1] = models[0] / 2
        case 1:
            models[-1] = np.where(rng.random(n) < 0.9, models[0], rng.random(n))
    owners = int(rng.choice(OWNERS))
    cuts = np.sort(rng.integers(0, n + 1, owners - 1))
    parts = [np.split(column, cuts) for column in (labels, *models)]
    options = Options(
        metrics=tuple(metrics),
        decimals=int(rng.integers(1, most_decimals + 1)),
        against=tuple(f"m{place}" for place in range(1, k)),
        **drawn_choices(rng, n),
    )
    return Study(
        tuple(
            Owner(first.tolist(), marks.tolist(), [other.tolist() for other in others])
            for marks, first, *others in zip(*parts, strict=True)
        ),
        options,
    )


@dataclass(frozen=True)
class OfAllPairs:
    """The AUROCs of a study's models and their covariances, from all pairs of samples."""

    areas: list[Fraction]
    matrix: list[list[Fraction]]

    @classmethod
    def of(cls, study: Study) -> OfAllPairs | None:
        """None where a class has fewer than two samples."""
        against = [one.against or [[]] * study.options.models for one in study.owners]
        sign = 1 if study.direction == "higher" else -1
        others = [
            [sign * float(score) for own in against for score in own[place]]  # type: ignore[union-attr]
            for place in range(study.options.models - 1)
        ]
        columns = [study.scores, *others]
        won = [twice_won(column, study.labels) for column in columns]
        if min(won[0].shape) < 2:
            return None
        areas = [Fraction(int(one.sum()), 2 * one.size) for one in won]
        return cls(areas, [[_covariance(one, other) for other in won] for one in won])

    def difference(self, r: int, s: int) -> tuple[Fraction, Fraction]:
        """The AUROC of one model less another's, and the variance of that."""
        S = self.matrix
        return self.areas[r] - self.areas[s], S[r][r] - 2 * S[r][s] + S[s][s]

    @property
    def chi_square(self) -> Fraction | None:
        """The chi-square of the differences of neighbours, None where they have no inverse."""
        S, m = self.matrix, len(self.areas) - 1
        gains = [self.areas[r] - self.areas[r + 1] for r in range(m)]
        spread = [
            [S[r][s] - S[r + 1][s] - S[r][s + 1] + S[r + 1][s + 1] for s in range(m)]
            for r in range(m)
        ]
        whole = determinant(spread)
        if whole == 0:
            return None
        replaced = [
            [[*row[:at], gain, *row[at + 1 :]] for row, gain in zip(spread, gains, strict=True)]
            for at in range(m)
        ]
        solved = [determinant(one) / whole for one in replaced]
        return sum((x * y for x, y in zip(gains, solved, strict=True)), Fraction(0))


def determinant(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    """By elimination, without a division but the last one of each step [Bareiss]."""
    rows, before, sign = [list(row) for row in matrix], Fraction(1), 1
    for step in range(len(rows) - 1):
        pivot = next((at for at in range(step, len(rows)) if rows[at][step]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != step:
            rows[step], rows[pivot], sign = rows[pivot], rows[step], -sign
        for i in range(step + 1, len(rows)):
            for j in range(step + 1, len(rows)):
                product = rows[i][j] * rows[step][step] - rows[i][step] * rows[step][j]
                rows[i][j] = product / before
        before = rows[step][step]
    return sign * rows[-1][-1]


def _covariance(one: np.ndarray, other: np.ndarray) -> Fraction:
    """The covariances of both classes' mean outcomes, each by its number, added."""
    total = Fraction(0)
    for axis in (0, 1):
        size = one.shape[1 - axis]
        first, second = (
            [Fraction(int(x), 2 * matrix.shape[axis]) for x in matrix.sum(axis=axis)]
            for matrix in (one, other)
        )
        means = sum(first, Fraction(0)) / size, sum(second, Fraction(0)) / size
        spread = sum(
            ((x - means[0]) * (y - means[1]) for x, y in zip(first, second, strict=True)),
            Fraction(0),
        )
        total += spread / (size - 1) / size
    return total


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of a released table, each by column."""
    return [dict(cell.split(" ", 1) for cell in row.split(", ")) for row in text.split("; ")]
