"""Guessing one patient's label from a released AUROC and all other rows.

[Thesis, 5.2]: the attacker knows every row but one, of the last one neither label nor score, and
the AUROC of all rows to some decimals. It puts the unknown row at each place among the others'
scores, once as a positive and once as a negative, and computes what would have been released. With
U0 the pairs in order among the others, P0 positives and N0 negatives of them,

    as a positive at a place with f negatives below and g beside:  (U0 + f + g/2) / ((P0 + 1)·N0)
    as a negative at a place with t positives above and g beside:  (U0 + t + g/2) / (P0·(N0 + 1))

Two ways to decide between the candidates: `closest`, as printed, takes the class of those that lie
closest to the released number, the more frequent class if both do; `fitting` takes the class of
more candidates that round to the released number, which is the better guess for many rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

WAYS = ("closest", "fitting")
Scores: TypeAlias = "NDArray[np.float64]"
Labels: TypeAlias = "NDArray[np.int64]"


@dataclass(frozen=True, slots=True)
class Candidates:
    """Twice the pairs in order, and all pairs, if the unknown row is a positive or a negative."""

    as_positive: Labels
    as_negative: Labels
    positive_pairs: int
    negative_pairs: int

    @classmethod
    def of(cls, scores: Scores, labels: Labels) -> Candidates:
        """Every place among the known rows: beside each distinct score, and between them."""
        distinct, group = np.unique(scores, return_inverse=True)
        p = np.bincount(group, weights=labels, minlength=distinct.size).astype(np.int64)
        q = np.bincount(group, minlength=distinct.size) - p
        P, N = int(p.sum()), int(q.sum())
        # below each place: between the groups, then beside each of them
        f = np.concatenate([[0], np.cumsum(q)])
        t = np.concatenate([[0], np.cumsum(p)])
        U2 = int((p * (2 * f[:-1] + q)).sum())
        positive = U2 + np.concatenate([2 * f, 2 * f[:-1] + q])
        negative = U2 + np.concatenate([2 * (P - t), 2 * (P - t[1:]) + p])
        return cls(positive, negative, (P + 1) * N, P * (N + 1))

    def votes(self, released: int, decimals: int, way: str) -> tuple[int, int]:
        """The numbers of candidates with a positive and with a negative; 0 for an impossible class.

        `released` is the released number times 10^decimals.
        """
        scale = 10.0**decimals
        distances = [
            np.abs(scale * twice / (2 * pairs) - released) if pairs else np.empty(0)
            for twice, pairs in (
                (self.as_positive, self.positive_pairs),
                (self.as_negative, self.negative_pairs),
            )
        ]
        if way == "fitting":
            nearest = 0.5
        else:
            nearest = min(
                (float(distance.min()) for distance in distances if distance.size), default=0.0
            )
        # doubles are exact to a millionth of what tells two candidates apart
        positive, negative = (int((distance <= nearest + 1e-7).sum()) for distance in distances)
        return positive, negative


def released_auroc(scores: Scores, labels: Labels, decimals: int) -> int | None:
    """The released AUROC of these rows, times 10^decimals; None where a class is missing."""
    _, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    # twice the middle of the ranks of a group of ties
    twice = (2 * np.cumsum(counts) - counts + 1)[group]
    P = int(labels.sum())
    N = labels.size - P
    if not P * N:
        return None
    U2 = int(twice[labels == 1].sum()) - P * (P + 1)
    rounded: int = (U2 * 10**decimals + P * N) // (2 * P * N)
    return rounded


def guessed(scores: Scores, labels: Labels, row: int, decimals: int, way: str) -> bool | None:
    """True if the label of `row` is guessed right; None where the attacker can only toss a coin."""
    released = released_auroc(scores, labels, decimals)
    if released is None:
        return None
    known = np.arange(labels.size) != row
    positive, negative = Candidates.of(scores[known], labels[known]).votes(released, decimals, way)
    return None if positive == negative else (positive > negative) == bool(labels[row])


def success(
    draw: Callable[[], tuple[Scores, Labels]],
    decimals: int,
    *,
    trials: int,
    generator: np.random.Generator,
    way: str = "closest",
) -> float:
    """The share of trials in which a label is guessed: each of a data set and a row drawn anew."""
    won = 0.0
    for _ in range(trials):
        scores, labels = draw()
        right = guessed(scores, labels, int(generator.integers(labels.size)), decimals, way)
        won += 0.5 if right is None else right
    return won / trials


def guessing_warnings(name: str, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
    """The warning about an AUROC with so many decimals that a label can be guessed from it.

    There are about n² candidates in the unit interval for either class. Where the decimals tell
    them apart, n² <= 10^decimals, at least 8 of 10 guesses were right in trials.
    """
    n = sum(sizes)
    if n < 2 or n * n > 10**decimals:
        return ()
    return (
        f"{name} to {decimals} decimals, of {n} samples, may tell somebody who knows all rows but "
        "one the label of that one: in trials at least 8 of 10 guesses were right "
        "(ppaurora attack guess-labels); release fewer decimals or gather more samples",
    )
