"""A list before there is a study: how it is written, and what scores it has."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.form import form_of
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import ANY, Scale, narrowest

WIDEST = 1_000_000
"""Scores beyond it have a range without ends proposed."""


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

    @classmethod
    def at(cls, file: Path, stated: Columns, scores: Scores) -> Looked:
        """The list at `file`, read as it looks."""
        columns = form_of(file, stated, scores)
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
        )

    def facts(self, scores: Scores) -> tuple[tuple[str, str], ...]:
        """The list in words: where its scores and labels stand, and what a study would allow."""
        words = self.columns.words(scores)
        ends = ",".join(map(str, self.range))
        return (
            ("scores", f"column {self.columns.score}, from {self.lowest:g} to {self.highest:g}"),
            (
                "labels",
                f"column {self.columns.label}: {words.positive} is positive, "
                f"{words.negative} negative; {self.classes}",
            ),
            ("a study", f"resolution = {self.resolution}, range = {ends}"),
            *(("note", note) for note in self.notes),
        )

    @property
    def classes(self) -> str:
        """The rows of each class, in words."""
        share = self.positives / self.rows
        return f"{self.positives} positive, {self.rows - self.positives} negative ({share:.1%})"


def _range(lowest: float, highest: float) -> tuple[float | str, ...]:
    """Between which numbers such scores lie, as a study would say it."""
    if lowest >= 0 and highest <= 1:
        return (0, 1)
    low, high = min(0, floor(lowest)), max(0, ceil(highest))
    return (low, high) if max(-low, high) <= WIDEST else (ANY,)
