"""A list before there is a study: how it is written, and what scores it has."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.form import form_of
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import ANY, Scale, narrowest
from ppaurora.protocols.lists.tags import Side

WIDEST = 1_000_000
"""Scores beyond it have a range without ends proposed."""
PARTS = 20


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One of the equal parts between the lowest and the highest score, and its rows of each class.

    The upper end belongs to the last part only.
    """

    begin: float
    end: float
    negatives: int
    positives: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A list as it was found, and the scores that a study would have to allow for it."""

    columns: Columns
    rows: int
    positives: int
    lowest: float
    highest: float
    range: tuple[float | str, ...]
    resolution: str
    notes: tuple[str, ...]
    parts: tuple[ScorePart, ...]

    @classmethod
    def at(cls, file: Path, stated: Columns, scores: Scores) -> Looked:
        """The list at `file`, read as it looks."""
        return cls.written(file, form_of(file, stated, scores), scores)

    @classmethod
    def written(cls, file: Path, columns: Columns, scores: Scores) -> Looked:
        """The list at `file`, read as it is said to be written."""
        table = read(file, columns, scores, range=(ANY,))
        if not len(table):
            raise DataError(f"{file} holds no rows", advice="Give a list with samples.")
        lowest, highest = float(table.scores.min()), float(table.scores.max())
        ends = _range(lowest, highest)
        return cls(
            columns,
            len(table),
            int(table.labels.sum()),
            lowest,
            highest,
            ends,
            narrowest(table.scores, Scale.of("full", ends)),
            table.notes,
            score_parts(table.scores, table.labels),
        )

    def facts(self, scores: Scores) -> tuple[tuple[str, str], ...]:
        """The list in words: where its scores and labels stand, and what a study would allow."""
        words = self.columns.words(scores)
        ends = ",".join(map(str, self.range))
        elsewhere = "at another owner: this list holds {} only"
        told_of_scores, told_of_labels = (
            f"column {self.columns.score}, from {self.lowest:g} to {self.highest:g}",
            f"column {self.columns.label}: {words.positive} is positive, "
            f"{words.negative} negative; {self.classes}",
        )
        notes = tuple(("note", note) for note in self.notes)
        if self.columns.holds == Side.LABELS.word:
            return (("labels", told_of_labels), ("scores", elsewhere.format("labels")), *notes)
        if self.columns.holds == Side.SCORES.word:
            told_of_labels = elsewhere.format("scores")
        return (
            ("scores", told_of_scores),
            ("labels", told_of_labels),
            ("a study", f"resolution = {self.resolution}, range = {ends}"),
            *notes,
        )

    @property
    def classes(self) -> str:
        """The rows of each class, in words."""
        share = self.positives / self.rows
        return f"{self.positives} positive, {self.rows - self.positives} negative ({share:.1%})"


def score_parts(scores: NDArray[np.float64], labels: NDArray[np.uint8]) -> tuple[ScorePart, ...]:
    """The rows in equal parts of the scores; none where all scores are the same.

    >>> parts = score_parts(np.array([0.0, 0.04, 0.05, 1.0]), np.array([0, 0, 1, 1], np.uint8))
    >>> len(parts), parts[0].negatives, parts[1].positives, parts[-1].positives
    (20, 2, 1, 1)
    """
    # no difference of two halves is infinite
    halves = scores / 2
    if halves.min() == halves.max():
        return ()
    ends = np.linspace(halves.min(), halves.max(), PARTS + 1)
    negatives, positives = (
        np.histogram(halves[labels == label], ends)[0].tolist() for label in (0, 1)
    )
    doubled = (2 * ends).tolist()
    return tuple(
        ScorePart(*one) for one in zip(doubled[:-1], doubled[1:], negatives, positives, strict=True)
    )


def _range(lowest: float, highest: float) -> tuple[float | str, ...]:
    """Between which numbers such scores lie, as a study would say it."""
    if lowest >= 0 and highest <= 1:
        return (0, 1)
    low, high = min(0, floor(lowest)), max(0, ceil(highest))
    return (low, high) if max(-low, high) <= WIDEST else (ANY,)
