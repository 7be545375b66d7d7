"""The report before it has a form: sections of paragraphs, lists, sheets and charts.

Every word of a report is said once, where this model is filled (`page.py` and what it calls). The
terminal, HTML, CSV and SVG each show the same model in their own way. A piece is `brief` if a
terminal shows it, too; the others are for the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

NOT_RELEASED = "not released"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of a section."""

    brief: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph(Piece):
    """Some sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets(Piece):
    """A list of sentences, under a few words that say what they have in common."""

    items: tuple[str, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Facts(Piece):
    """Names and what they stand for."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sheet(Piece):
    """A table: its name in file names, its caption, its columns, its rows.

    The first column names the rows. `numbers` are the columns whose cells are numbers.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a chart, from `least` to `most`; `names` are what its places are called."""

    label: str
    least: float = 0.0
    most: float = 1.0
    names: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """Points of one line in a chart; where `low` and `high` are known, a band lies around it.

    Or, with `whiskers`, each point has its own bar. The line goes on to the `ends`, which are known
    of every data and have no mark.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    low: tuple[tuple[float, float], ...] = ()
    high: tuple[tuple[float, float], ...] = ()
    ends: tuple[tuple[float, float], ...] = ()
    whiskers: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A dashed line that the points are held against, with what it means."""

    means: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart(Piece):
    """A drawing of released points; `described` says in words what can be seen.

    Each of `bars` is a part of the x axis and how many samples lie in it, drawn along its bottom.
    """

    name: str
    title: str
    described: str
    x: Axis
    y: Axis
    tracks: tuple[Track, ...]
    references: tuple[Reference, ...] = ()
    bars: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Estimated:
    """A row of a caterpillar plot: its name, its number with limits in words, and where they lie.

    One without a number has no place; the square of one is as large as its `weight` of the largest.
    """

    name: str
    told: str
    limits: tuple[float, float] | None = None
    middle: float | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Caterpillar(Piece):
    """A drawing of the released numbers of single sites, the mean over all, and its prediction.

    `x.names` are what places on the axis are called; `reference` is one that numbers are held
    against.
    """

    name: str
    title: str
    described: str
    x: Axis
    rows: tuple[Estimated, ...]
    mean: Estimated | None = None
    prediction: Estimated | None = None
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under a heading; `key` is its anchor. `alarming` ones come first."""

    key: str
    heading: str
    pieces: tuple[Piece, ...]
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A report: its sections in order."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]

    @property
    def pieces(self) -> Iterator[Piece]:
        """All pieces in their order."""
        return (piece for section in self.sections for piece in section.pieces)

    @property
    def sheets(self) -> list[Sheet]:
        """All tables."""
        return [piece for piece in self.pieces if isinstance(piece, Sheet)]

    @property
    def charts(self) -> list[Chart | Caterpillar]:
        """All drawings."""
        return [piece for piece in self.pieces if isinstance(piece, Chart | Caterpillar)]
