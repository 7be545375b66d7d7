"""The results of several releases of one schedule as a report: each statistic over time.

A statistic is a series: a number for each release, with its limits where it has some, or the word
that stands in its place. Each gets a table, and a figure if at least two releases have a number. A
release without a result keeps its place, so that nobody takes a gap for a change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Decision,
    Interval,
    Released,
    Scalar,
    Table,
)

MOST_ROWS = 12
"""Tables with more rows are curves, and no series."""
LIMITS = ("_lower", "_upper")
NO_RESULT = "no result"
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
"""The points of each series by release, under the name of the series."""


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
    """Each statistic by release: a figure, and a table of all its numbers."""
    pieces: list[Piece] = []
    for name, kinds in _by_statistic(by_period).items():
        charts = [
            chart
            for title, points in kinds.items()
            if (chart := _chart(name, title, points, order)) is not None
        ]
        pieces += charts
        pieces.append(_sheet(name, kinds, order))
    pieces.append(
        Paragraph(
            "Only the marked points were released; the lines between them are for the eye, and a "
            "band is the interval of each release by itself. Intervals of two releases that do not "
            "overlap differ; those that overlap may differ, too."
        )
    )
    return Section("trend", "Trend", tuple(pieces))


def _by_statistic(by_period: Mapping[str, SavedResult]) -> dict[str, Series]:
    """The series of each statistic, in the order of the study."""
    found: dict[str, Series] = {}
    for period, saved in by_period.items():
        for text, value in saved.values.items():
            for title, point in _points(text, value).items():
                found.setdefault(text, {}).setdefault(title, {})[period] = point
    return _without_words(found)


def _without_words(found: Mapping[str, Series]) -> dict[str, Series]:
    """Every series with its name; of a statistic without any number in any release one remains."""
    plain = {}
    for text, kinds in found.items():
        whole = {title: points for title, points in kinds.items() if title}
        if whole and "" in kinds:
            # what is said of the whole table in one release holds for each of its numbers there
            whole = {title: {**kinds[""], **points} for title, points in whole.items()}
        plain[text] = whole or {label(text): kinds.get("", {})}
    return plain


def _points(text: str, value: Released) -> dict[str, AtRelease]:
    """The numbers of one statistic in one release, by the names of their series."""
    if isinstance(value, Table):
        return _cells(text, value) if not value.missing else {"": AtRelease(instead=_word(value))}
    name = label(text, value)
    if value.missing:
        return {name: AtRelease(instead=_word(value))}
    if isinstance(value, Interval):
        return {name: AtRelease(value.value or "", value.lower or "", value.upper or "")}
    if isinstance(value, Scalar):
        return {name: AtRelease(value.value or "")}
    assert isinstance(value, Decision)
    return {name: AtRelease(instead=str(value))}


def _cells(text: str, table: Table) -> dict[str, AtRelease]:
    """The columns of a table of few rows, each by what is given in its first column."""
    if len(table.rows) > MOST_ROWS:
        return {}
    columns = table.columns
    given = columns[0] in (*THRESHOLD, *GIVEN) and len(columns) > 1
    found = {}
    for row in table.rows:
        cells = dict(zip(columns, row, strict=True))
        for name in columns[1 if given else 0 :]:
            if name.endswith((*LIMITS, OF_ERROR)):
                continue
            at = f" at {GIVEN.get(columns[0], f'a {columns[0]} of')} {row[0]}" if given else ""
            own = cells[name]
            instead = UNDEFINED if own is None else WITHHELD if own == WITHHELD else ""
            lower, upper = (cells.get(f"{name}{end}") or "" for end in LIMITS)
            error = cells.get(f"{name}{OF_ERROR}")
            number = "" if instead else own or ""
            found[f"{heading(name)}{at}"] = (
                AtRelease(number, *_of_error(number, error), instead)
                if error and not lower
                else AtRelease(number, lower, upper, instead)
            )
    return found


def _of_error(value: str, error: str) -> tuple[str, str]:
    """The limits of a 95% interval, value ± 1.96·error, with the decimals of the value."""
    if not _is_number(value) or not _is_number(error):
        return "", ""
    width = Decimal("1.96") * Decimal(error)
    last = Decimal(1).scaleb(Decimal(value).as_tuple().exponent)  # type: ignore[arg-type]
    return tuple(f"{(Decimal(value) + sign * width).quantize(last):f}" for sign in (-1, 1))  # type: ignore[return-value]


def _word(value: Released) -> str:
    """The word in place of a number."""
    return WITHHELD if value.withheld else UNDEFINED


def _sheet(name: str, kinds: Series, order: Sequence[str]) -> Sheet:
    """All numbers of a statistic: a row for each release."""
    columns: list[str] = ["Release"]
    with_limits = {
        title: any(one.lower or one.upper for one in kinds[title].values()) for title in kinds
    }
    for title in kinds:
        columns += [title, f"{title}: interval"] if with_limits[title] else [title]
    rows = []
    for period in order:
        row = [period]
        for title, points in kinds.items():
            point = points.get(period, AtRelease(instead=NO_RESULT))
            row.append(point.value or point.instead)
            if with_limits[title]:
                row.append(f"{point.lower} to {point.upper}" if point.lower else "-")
        rows.append(tuple(row))
    return Sheet(
        f"trend-{name}",
        f"{label(name)} by release",
        tuple(columns),
        tuple(rows),
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
