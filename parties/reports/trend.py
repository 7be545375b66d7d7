"""The results of several releases of one schedule as a report: each statistic over time.

A statistic is a series: a number for each release, with its limits where it has some, or the word
that stands in its place. Each gets a table, and a figure if at least two releases have a number. A
release without a result keeps its place, so that nobody takes a gap for a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ppaurora.parties.errors import DataError
from ppaurora.parties.reports.curves import THRESHOLD
from ppaurora.parties.reports.model import (
    Axis,
    Bullets,
    Chart,
    Page,
    Paragraph,
    Piece,
    Section,
    Sheet,
    Track,
)
from ppaurora.parties.reports.names import heading, label
from ppaurora.parties.reports.page import NONE, NOT_VERIFIED, NOTES
from ppaurora.parties.reports.saved import NUMBER, SavedResult
from ppaurora.parties.reports.section_statistics import GIVEN, OF_ERROR
from ppaurora.protocols.release.values import (
    UNDEFINED,
    WITHHELD,
    Interval,
    Released,
    Scalar,
    Table,
)

MOST_ROWS = 12
"""Tables with more rows are curves, and no series."""
LIMITS = ("_lower", "_upper")
NO_RESULT = "no result"
WHOLE = "the whole table"
"""The value and the name that are shown where a release says something of a table as a whole."""
COUNTS = tuple(map(heading, ("tp", "fp", "fn", "tn", "positives", "negatives", "count")))
"""Numbers of samples: they are in the tables, and a figure of each would hide those of rates."""
SIDE = 0.5
"""Room beside the first and the last release, in releases."""


@dataclass(frozen=True, slots=True)
class AtRelease:
    """A series at one release: the text of its number, its limits, and what stands in its place."""

    value: str = ""
    lower: str = ""
    upper: str = ""
    instead: str = ""

    @property
    def number(self) -> float | None:
        """The number to draw; None where there is none."""
        return float(self.value) if _is_number(self.value) else None

    @property
    def limits(self) -> tuple[float, float] | None:
        """The limits to draw; None where they are none, or one of them is open."""
        if self.number is None or not (_is_number(self.lower) and _is_number(self.upper)):
            return None
        return float(self.lower), float(self.upper)


Series = dict[str, dict[str, AtRelease]]
"""Each series under its name: its points by release."""


def period_of(saved: SavedResult) -> str:
    """The period of which a result is the release; refused if it is of no schedule."""
    if saved.option("schedule", "every") is None:
        raise DataError(
            f"The result of {saved.id} is of a study without a schedule",
            advice="A trend is made of the results of several releases of one schedule.",
        )
    return saved.id.rpartition(".")[2]


def trend_page(
    results: Sequence[SavedResult],
    digests: Sequence[str],
    periods: Sequence[str] = (),
    without: Mapping[str, str] | None = None,
    *,
    verified: bool = True,
) -> Page:
    """The report of these results, whose files have these SHA-256.

    `periods` are the releases that there could be, in their order; without them, those of the
    results. `without` says of a release why it has no result.
    """
    by_period = {period_of(one): one for one in results}
    agreements = {one.id.rpartition(".")[0] for one in results}
    if len(by_period) != len(results) or len(agreements) != 1:
        raise DataError(
            "These are not results of different releases of one study",
            advice="Give each release's result once.",
        )
    order = tuple(periods) or tuple(sorted(by_period))
    if missing := set(by_period) - set(order):
        raise DataError(f"The study has no release {', '.join(sorted(missing))}")
    first = results[0]
    every = first.option("schedule", "every")
    return Page(
        f"{first.title or first.id.rpartition('.')[0]}: trend",
        f"{len(results)} of {len(order)} releases, one a {every}, {order[0]} to {order[-1]}",
        (
            _notes(by_period, order, without or {}, verified=verified),
            _series_section(by_period, order),
            _releases_section(
                by_period, order, dict(zip(map(period_of, results), digests, strict=True))
            ),
        ),
    )


def _notes(
    by_period: Mapping[str, SavedResult],
    order: Sequence[str],
    without: Mapping[str, str],
    *,
    verified: bool,
) -> Section:
    """The warnings that a reader needs first: releases without a result, and missing owners."""
    lists = [] if verified else [NOT_VERIFIED]
    for period in order:
        saved = by_period.get(period)
        if saved is None:
            why = without.get(period, "")
            lists.append(f"{period}: {NO_RESULT}{f' ({why})' if why else ''}")
            continue
        if saved.missing:
            lists.append(f"{period}: without {', '.join(saved.missing)}")
        lists += [f"{period}: the list of {name} was unsound" for name in saved.refused]
    owners = {frozenset(_owners(saved)) for saved in by_period.values()}
    if len(owners) > 1:
        lists.append(
            "not all releases are of the same owners: a change may be one of who took part"
        )
    pieces: list[Piece] = [Bullets(tuple(lists), brief=True)] if lists else [Paragraph(NONE)]
    return Section(NOTES, "Notes", tuple(pieces), alarming=bool(lists))


def _series_section(by_period: Mapping[str, SavedResult], order: Sequence[str]) -> Section:
    """Each statistic by release: figures, and a table of all its numbers."""
    pieces: list[Piece] = []
    for (text, given), series in _by_statistic(by_period).items():
        charts = (
            _chart(f"{text}{given}", f"{title}{given}", points, order)
            for title, points in series.items()
            if title not in COUNTS
        )
        pieces += [chart for chart in charts if chart is not None]
        pieces.append(_sheet(text, given, series, order))
    pieces.append(
        Paragraph(
            "Only the marked points were released; the lines between them are for the eye, and a "
            "band is the interval of each release by itself. Intervals of two releases that do not "
            "overlap differ; those that overlap may differ, too."
        )
    )
    return Section("trend", "Trend", tuple(pieces))


def _by_statistic(by_period: Mapping[str, SavedResult]) -> dict[tuple[str, str], Series]:
    """The series of each statistic, and of a table of each of its rows, in the study's order."""
    found: dict[str, dict[str, Series]] = {}
    for period, saved in by_period.items():
        for text, value in saved.values.items():
            rows = found.setdefault(text, {})
            for given, title, point in _points(text, value):
                rows.setdefault(given, {}).setdefault(title, {})[period] = point
    return {
        (text, given): series
        for text, rows in found.items()
        for given, series in _with_words(text, rows).items()
    }


def _with_words(text: str, rows: dict[str, Series]) -> dict[str, Series]:
    """The series of a statistic; what one release says of the whole table stands in each of them.

    Of a table that no release has any number of, there is a single one.
    """
    words = rows.get(WHOLE, {}).get(WHOLE, {})
    rest = {given: series for given, series in rows.items() if given != WHOLE}
    if words and not rest:
        return {"": {label(text): words}}
    return {
        given: {title: {**words, **points} for title, points in series.items()}
        for given, series in rest.items()
    }


def _points(text: str, value: Released) -> Iterator[tuple[str, str, AtRelease]]:
    """The numbers of one statistic in one release, each by what is given and by its name."""
    missing = AtRelease(instead=WITHHELD if value.withheld else UNDEFINED)
    if isinstance(value, Table):
        if value.missing:
            yield WHOLE, WHOLE, missing
        else:
            yield from _cells(value)
        return
    name = label(text, value)
    if value.missing:
        yield "", name, missing
    elif isinstance(value, Interval):
        yield "", name, AtRelease(value.value or "", value.lower or "", value.upper or "")
    elif isinstance(value, Scalar):
        yield "", name, AtRelease(value.value or "")
    else:
        yield "", name, AtRelease(instead=str(value))


def _cells(table: Table) -> Iterator[tuple[str, str, AtRelease]]:
    """The numbers of a table of few rows, by what is given in its first column."""
    if len(table.rows) > MOST_ROWS:
        return
    columns = table.columns
    given = columns[0] in (*THRESHOLD, *GIVEN) and len(columns) > 1
    for row in table.rows:
        cells = dict(zip(columns, row, strict=True))
        at = f" at {GIVEN.get(columns[0], f'a {columns[0]} of')} {row[0]}" if given else ""
        for name in columns[1 if given else 0 :]:
            if name.endswith((*LIMITS, OF_ERROR)):
                continue
            own = cells[name]
            instead = UNDEFINED if own is None else WITHHELD if own == WITHHELD else ""
            number = "" if instead else own or ""
            limits = tuple(cells.get(f"{name}{end}") or "" for end in LIMITS)
            if f"{name}{OF_ERROR}" in cells:
                limits = _of_error(number, cells[f"{name}{OF_ERROR}"] or "")
            yield at, heading(name), AtRelease(number, limits[0], limits[1], instead)


def _of_error(value: str, error: str) -> tuple[str, str]:
    """The limits of a 95% interval, value ± 1.96·error, with the decimals of the value."""
    if not _is_number(value) or not _is_number(error):
        return "", ""
    number, width = Decimal(value), Decimal("1.96") * Decimal(error)
    low, high = ((number + sign * width).quantize(number) + 0 for sign in (-1, 1))
    return f"{low:f}", f"{high:f}"


def _sheet(text: str, given: str, series: Series, order: Sequence[str]) -> Sheet:
    """All numbers of a statistic: a row for each release."""
    columns = ["Release"]
    rows = [[period] for period in order]
    for title, points in series.items():
        limits = any(one.lower or one.upper for one in points.values())
        columns.append(title)
        if limits:
            columns.append("Interval" if len(series) == 1 else f"{title}: interval")
        for row, period in zip(rows, order, strict=True):
            point = points.get(period, AtRelease(instead=NO_RESULT))
            row.append(point.value or point.instead)
            if limits:
                row.append(f"{point.lower} to {point.upper}" if point.lower else "-")
    return Sheet(
        f"trend-{text}{given}",
        f"{label(text)} by release{given and f',{given}'}",
        tuple(columns),
        tuple(map(tuple, rows)),
        frozenset(range(1, len(columns))),
        brief=True,
    )


def _chart(
    name: str, title: str, points: Mapping[str, AtRelease], order: Sequence[str]
) -> Chart | None:
    """One series as a drawing; None if fewer than two releases have a number."""
    places = {period: float(place) for place, period in enumerate(order)}
    shown = [(places[one], points[one]) for one in order if one in points]
    line = tuple((at, one.number) for at, one in shown if one.number is not None)
    if len(line) < 2:
        return None
    banded = [(at, one.limits) for at, one in shown if one.number is not None]
    low, high = (
        tuple((at, limits[end]) for at, limits in banded if limits is not None) for end in (0, 1)
    )
    if len(low) != len(line):
        low = high = ()
    numbers = [y for _, y in (*line, *low, *high)]
    first, last = line[0], line[-1]
    return Chart(
        f"trend-{name}-{title}",
        f"{title} by release",
        f"{title} against the release, one after the other: {len(line)} of {len(order)} releases "
        f"have a number, from {first[1]:g} ({order[int(first[0])]}) to {last[1]:g} "
        f"({order[int(last[0])]})"
        + (", each with its interval as a band." if low else ".")
        + " All numbers are in the table below.",
        Axis(
            "Release", -SIDE, len(order) - 1 + SIDE, tuple((at, one) for one, at in places.items())
        ),
        Axis(title, *_around(numbers)),
        (Track(title, line, low, high),),
    )


def _around(numbers: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis with some room around these numbers."""
    least, most = min(numbers), max(numbers)
    room = 0.15 * (most - least) or 0.1 * abs(most) or 0.1
    return least - room, most + room


def _owners(saved: SavedResult) -> list[str]:
    return [one for one in saved.owners if one not in saved.refused]


def _releases_section(
    by_period: Mapping[str, SavedResult], order: Sequence[str], digests: Mapping[str, str]
) -> Section:
    """Each release by itself: its owners and samples, its study hash, session and file."""
    rows = []
    for period in order:
        saved = by_period.get(period)
        if saved is None:
            rows.append((period, NO_RESULT, "-", "-", "-", "-"))
            continue
        rows.append(
            (
                period,
                str(saved.samples),
                ", ".join(_owners(saved)),
                saved.hash[:16],
                saved.session,
                digests[period],
            )
        )
    columns = ("Release", "Samples", "Owners", "Study hash", "Session", "SHA-256 of its file")
    told = next(iter(by_period.values()))
    return Section(
        "releases",
        "Releases",
        (
            Sheet("releases", "The releases in this trend", columns, tuple(rows), frozenset({1})),
            Bullets(
                tuple(told.learns.get("receivers", ())),
                lead="What the receivers of all releases learn",
            ),
        ),
    )


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None
