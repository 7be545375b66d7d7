"""Differencing attack: two released AUROCs, of lists with and without one patient's sample.

Somebody receives the AUROC of n samples and, from another study, that of the same samples without
one patient's, and knows how many of the n are positive. Twice the pairs in order are whole numbers:
U of all samples and U' without the patient. A released v·10^-d of M pairs, doubled, leaves

    (2v - 1)·M <= 2·10^d·U < (2v + 1)·M

and what the patient adds is its placement U - U': twice the negatives that score lower than a
positive and once those tied with it, 0 to 2·N, or the same of the positives above a negative, 0 to
2·P. So the two numbers leave an interval of placements if the patient is positive, and one if
negative. An interval that is empty tells the label; a short one tells where the score ranks. Only
where both classes have as many samples are the two intervals the same, and the label stays open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ppaurora.protocols.release.label_guessing import Labels, Scores, released_auroc


@dataclass(frozen=True, slots=True)
class Placements:
    """The placements from `least` to `most` that fit, of 0 to `largest`; none if most < least."""

    least: int
    most: int
    largest: int

    @property
    def count(self) -> int:
        """The number of candidates."""
        return max(0, self.most - self.least + 1)

    @property
    def share(self) -> float:
        """The fraction of all placements that is consistent."""
        return self.count / (self.largest + 1)


@dataclass(frozen=True, slots=True)
class Left:
    """The candidates that fit two released numbers, for a positive and a negative patient."""

    if_positive: Placements
    if_negative: Placements

    @property
    def is_certain(self) -> bool:
        """True if the label is determined."""
        return not (self.if_positive.count and self.if_negative.count)

    def guess(self, P: int, N: int) -> bool | None:
        """The likelier label; None where both are equally likely.

        A positive's placements, of which there are 2·N + 1, are taken to be equally likely, and so
        are those of a negative.
        """
        positive, negative = P * self.if_positive.share, N * self.if_negative.share
        return None if positive == negative else positive > negative


def left_open(with_patient: int, without: int, P: int, N: int, decimals: int) -> Left:
    """The candidates for a patient among P and N samples, by two numbers times 10^decimals.

    >>> left_open(7500, 6250, 2, 4, 4).if_positive
    Placements(least=7, most=7, largest=8)
    """
    return Left(
        _placements(with_patient, P * N, without, (P - 1) * N, 2 * N, decimals),
        _placements(with_patient, P * N, without, P * (N - 1), 2 * P, decimals),
    )


def _placements(
    value: int, pairs: int, other: int, other_pairs: int, largest: int, decimals: int
) -> Placements:
    if not other_pairs:
        # without the patient a class would be missing, and there was a number
        return Placements(0, -1, largest)
    low, high = _pairs_in_order(value, pairs, decimals)
    other_low, other_high = _pairs_in_order(other, other_pairs, decimals)
    return Placements(max(0, low - other_high), min(largest, high - other_low), largest)


def _pairs_in_order(value: int, pairs: int, decimals: int) -> tuple[int, int]:
    """The least and the largest U that are rounded to `value`."""
    scale, M = 10**decimals, 2 * pairs
    low = -(-(2 * value - 1) * M // (2 * scale))
    high = -(-(2 * value + 1) * M // (2 * scale)) - 1
    return max(0, low), min(M, high)


@dataclass(frozen=True, slots=True)
class Told:
    """The success of the attack over many patients, as fractions.

    `certain` of the labels are known for sure and `guessed` are guessed right. `open` is the mean
    share of the placements that fit, among those of the patient's own class.
    """

    certain: float
    guessed: float
    open: float


def told(
    draw: Callable[[], tuple[Scores, Labels]],
    decimals: int,
    *,
    trials: int,
    generator: np.random.Generator,
) -> Told:
    """The attack on so many data sets, on a patient of each, drawn anew."""
    certain = guessed = left = 0.0
    for _ in range(trials):
        scores, labels = draw()
        row = int(generator.integers(labels.size))
        kept = np.arange(labels.size) != row
        both = released_auroc(scores, labels, decimals)
        without = released_auroc(scores[kept], labels[kept], decimals)
        if both is None or without is None:
            # the counts tell the label of the only one of its class, and of all if there is one
            certain, guessed, left = certain + 1, guessed + 1, left + 1
            continue
        P = int(labels.sum())
        found = left_open(both, without, P, labels.size - P, decimals)
        is_positive = bool(labels[row])
        guess = found.guess(P, labels.size - P)
        certain += found.is_certain
        guessed += 0.5 if guess is None else guess == is_positive
        left += (found.if_positive if is_positive else found.if_negative).share
    return Told(certain / trials, guessed / trials, left / trials)
