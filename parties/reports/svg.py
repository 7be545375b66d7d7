"""Charts as SVG: axes, released points, bands; told apart by shape and dash as well as by colour.

A caterpillar plot has a row for each site: a square as large as its weight, its interval, and
beside them its numbers; below these the diamond of the mean and the bar of the prediction interval.

A page has each drawing in two forms, of which its style shows one: `WIDE`, and `NARROW` for small
screens, on which the first one's letters would be too small to read. There a caterpillar plot has
the words of a row above its interval. A file of its own has the wide one.

The drawing has no colour of its own. Its elements carry classes, which `chart.css` paints for
light, dark and print; `standing_alone` puts that style into the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from math import floor, log10

from ppaurora.parties.reports.markup import Element, element, style_sheet, written
from ppaurora.parties.reports.model import Axis, Caterpillar, Chart, Estimated, Track

TOP, BOTTOM = 14.0, 54.0
MOST_TICKS = 6
MARK, WHISKER = 4.0, 9.0
LEGEND_LINE = 20.0
ACROSS, ROW, LETTER = 290.0, 24.0, 7.3
"""The width of a caterpillar plot, the height of its rows, and the width of a letter beside it."""
SIDE_LABEL = 32.0
"""Room for the words beside the y axis."""
MARGIN, LANE, LINE = 18.0, 20.0, 19.0
"""Beside a narrow one, the height of its intervals, and that of a line of words above them."""
LEAST_SIDE, LARGEST_SIDE, LONGEST = 4.0, 15.0, 24
SIDEWAYS = 7.0
PAINTS = 4
BAR_PART = 1 / 6
"""The number of kinds of lines and marks in `chart.css` and `_mark`."""
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, slots=True)
class Form:
    """Sizes of a drawing of curves, how many names stand in a row, and numbers on an axis."""

    name: str
    width: float
    height: float
    left: float
    right: float
    columns: int
    ticks: int


WIDE = Form("wide", 560.0, 510.0, 62.0, 22.0, 2, MOST_TICKS)
NARROW = Form("narrow", 320.0, 310.0, 50.0, 14.0, 1, 5)

Point = tuple[float, float]
Drawing = tuple[float, float, list[Element]]
"""A width, a height, and what is drawn."""
Marked = Callable[[float, float, float, float, float], Iterator[Element]]
"""The drawing of an estimate, from its lower limit, its own place, its upper limit, how far down it
stands, and its weight."""


def chart_style() -> str:
    """The style sheet of all charts."""
    return (files("ppaurora.parties.reports") / "chart.css").read_text(encoding="utf-8")


def figures(chart: Chart | Caterpillar) -> list[Element]:
    """The drawing in both forms, for a page whose style shows one of them."""
    return [_figure(chart, form, f" {form.name}", f"-{form.name}") for form in (WIDE, NARROW)]


def _figure(
    chart: Chart | Caterpillar, form: Form, kind: str = "", suffix: str = "", style: str = ""
) -> Element:
    """The drawing, with a title and a description for those who cannot see it."""
    key = "".join(letter if letter.isalnum() else "-" for letter in chart.name) + suffix
    title, described = f"title-{key}", f"described-{key}"
    if isinstance(chart, Chart):
        width, height, drawn = _curves(chart, form)
    else:
        width, height, drawn = _beside(chart) if form is WIDE else _below(chart)
    return element(
        "svg",
        element("title", chart.title, id=title),
        element("desc", chart.described, id=described),
        *([style_sheet(style)] if style else []),
        *drawn,
        xmlns=SVG,
        class_=f"chart{kind}",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_labelledby=f"{title} {described}",
    )


def _curves(chart: Chart, form: Form) -> Drawing:
    """The width, the height and the elements of a drawing of curves."""
    frame = _Frame(chart.x, chart.y, form)
    legend = -(-len(_named_lines(chart)) // form.columns) * LEGEND_LINE
    drawn = [
        *frame.grid(),
        *_bars(frame, chart),
        *(
            element("path", d=frame.path(one.points), class_=f"reference reference-{at}")
            for at, one in enumerate(chart.references)
        ),
        *(
            one
            for at, track in enumerate(chart.tracks)
            for one in _track(frame, track, at % PAINTS)
        ),
        *_legend(chart, form),
    ]
    return form.width, form.height + legend, drawn


def _beside(chart: Caterpillar) -> Drawing:
    """A caterpillar plot with names and numbers beside it."""
    rows = _rows(chart)
    every = [row for row, _ in rows]
    left = 16 + LETTER * min(LONGEST, max(len(row.name) for row in every))
    right = left + ACROSS
    apart = ROW / 2 if len(every) > len(chart.rows) else 0.0
    bottom = TOP + ROW * len(every) + apart
    scale = _AxisScale(chart.x, left, right, WIDE.ticks)
    drawn = [*scale.numbers(bottom), *scale.lane(TOP, bottom, chart.reference)]
    for at, (row, mark) in enumerate(rows):
        down = TOP + ROW * (at + 0.5) + (apart if at >= len(chart.rows) else 0.0)
        drawn.append(_text(_cut(row.name, LONGEST), left - 8, down + 4, "end", "named"))
        drawn.append(_text(row.told, right + 8, down + 4, "start"))
        drawn += scale.marked(row, mark, down)
    width = right + 24 + LETTER * max(len(row.told) for row in every)
    return width, bottom + BOTTOM, drawn


def _below(chart: Caterpillar) -> Drawing:
    """A caterpillar plot whose rows have their names and numbers above them."""
    rows = _rows(chart)
    room = int((NARROW.width - 2 * MARK) / LETTER)
    lines = 1 if all(len(row.name) + len(row.told) < room - 1 for row, _ in rows) else 2
    scale = _AxisScale(chart.x, MARGIN, NARROW.width - MARGIN, NARROW.ticks)
    drawn, down = [], TOP
    for row, mark in rows:
        drawn.append(_text(_cut(row.name, room), MARK, down + 4, "start", "named"))
        down += LINE * lines
        drawn.append(_text(row.told, NARROW.width - MARK, down + 4 - LINE, "end"))
        drawn += scale.lane(down - LANE / 2, down + LANE / 2, chart.reference)
        drawn += scale.marked(row, mark, down)
        down += LANE / 2 + LINE
    bottom = down - LINE
    drawn += scale.numbers(bottom)
    return NARROW.width, bottom + BOTTOM, drawn


def _rows(chart: Caterpillar) -> list[tuple[Estimated, Marked]]:
    """The rows in their order, with how each is drawn."""
    rows: list[tuple[Estimated, Marked]] = [(row, _square) for row in chart.rows]
    below: tuple[tuple[Estimated | None, Marked], ...] = (
        (chart.mean, _diamond),
        (chart.prediction, _bar),
    )
    return rows + [(row, mark) for row, mark in below if row is not None]


def _cut(name: str, most: int) -> str:
    """A name of at most so many letters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


class _AxisScale:
    """The places of numbers from left to right."""

    def __init__(self, x: Axis, left: float, right: float, most: int) -> None:
        self.x, self.left, self.right = x, left, right
        self.round = _fitting(x, most, right - left)

    def across(self, number: float) -> float:
        """The place of a number."""
        part = (number - self.x.least) / (self.x.most - self.x.least)
        return self.left + part * (self.right - self.left)

    def numbers(self, bottom: float) -> Iterator[Element]:
        """Round numbers below the drawing, and what they are."""
        for number, text in self.round:
            yield _text(text, self.across(number), bottom + 18, "middle")
        middle = (self.left + self.right) / 2
        yield _text(self.x.label, middle, bottom + 40, "middle", "label")

    def lane(self, top: float, bottom: float, reference: float | None) -> Iterator[Element]:
        """A frame with lines at round numbers, and at the one that rows are held against."""
        for number, _ in self.round:
            line = f"M{self.across(number):.2f},{top:g}V{bottom:g}"
            yield element("path", d=line, class_="grid")
        if reference is not None:
            line = f"M{self.across(reference):.2f},{top:g}V{bottom:g}"
            yield element("path", d=line, class_="reference reference-1")
        size = {"width": self.right - self.left, "height": bottom - top}
        yield element("rect", x=self.left, y=top, class_="frame", **size)

    def marked(self, row: Estimated, mark: Marked, down: float) -> Iterator[Element]:
        """A row's estimate, if it has a place."""
        if row.limits is not None:
            low, high = map(self.across, row.limits)
            middle = (low + high) / 2 if row.middle is None else self.across(row.middle)
            yield from mark(low, middle, high, down, row.weight)


def _square(
    low: float, middle: float, high: float, down: float, weight: float
) -> Iterator[Element]:
    yield element("path", d=f"M{low:.2f},{down:.2f}H{high:.2f}", class_="line track-0")
    side = max(LEAST_SIDE, LARGEST_SIDE * weight**0.5)
    corner = f"M{middle - side / 2:.2f},{down - side / 2:.2f}"
    yield element("path", d=f"{corner}h{side:.2f}v{side:.2f}h{-side:.2f}Z", class_="mark track-0")


def _diamond(
    low: float, middle: float, high: float, down: float, weight: float
) -> Iterator[Element]:
    if low == high:
        # a mean without limits
        low, high = middle - SIDEWAYS, middle + SIDEWAYS
    upper, lower = f"{middle:.2f},{down - 7:.2f}", f"{middle:.2f},{down + 7:.2f}"
    path = f"M{low:.2f},{down:.2f}L{upper}L{high:.2f},{down:.2f}L{lower}Z"
    yield element("path", d=path, class_="mark track-1")


def _bar(low: float, middle: float, high: float, down: float, weight: float) -> Iterator[Element]:
    path = f"M{low:.2f},{down - 3:.2f}H{high:.2f}v6H{low:.2f}Z"
    yield element("path", d=path, class_="mark track-2")


def standing_alone(chart: Chart | Caterpillar) -> str:
    """The drawing as a file of its own."""
    text = "".join(written(_figure(chart, WIDE, style=chart_style())))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


class _Frame:
    """The coordinates of numbers on the drawing."""

    def __init__(self, x: Axis, y: Axis, form: Form) -> None:
        self.x, self.y, self.form = x, y, form
        beside = max(len(text) for _, text in _ticks(y, form.ticks))
        self.left = max(form.left, SIDE_LABEL + LETTER * beside)
        self.right, self.bottom = form.width - form.right, form.height - BOTTOM

    def at(self, point: Point) -> Point:
        """The place of a point."""
        return self._across(point[0]), self._down(point[1])

    def path(self, points: Sequence[Point], close: bool = False) -> str:
        """The line through these points, as SVG writes it."""
        places = [f"{x:.2f},{y:.2f}" for x, y in map(self.at, points)]
        return "M" + "L".join(places) + ("Z" if close else "")

    def grid(self) -> Iterator[Element]:
        """Lines and numbers at round values, the labels of the axes, and the frame."""
        middle_x, middle_y = (self.left + self.right) / 2, (TOP + self.bottom) / 2
        for number, text in _fitting(self.x, self.form.ticks, self.right - self.left):
            across = self._across(number)
            yield element("path", d=f"M{across:.2f},{TOP:g}V{self.bottom:g}", class_="grid")
            yield _text(text, across, self.bottom + 18, "middle")
        for number, text in _ticks(self.y, self.form.ticks):
            down = self._down(number)
            yield element("path", d=f"M{self.left:g},{down:.2f}H{self.right:g}", class_="grid")
            yield _text(text, self.left - 8, down + 4, "end")
        yield element(
            "rect",
            x=self.left,
            y=TOP,
            width=self.right - self.left,
            height=self.bottom - TOP,
            class_="frame",
        )
        yield _text(self.x.label, middle_x, self.form.height - 14, "middle", "label")
        yield element(
            "text",
            self.y.label,
            class_="label",
            text_anchor="middle",
            transform=f"translate(16 {middle_y:g}) rotate(-90)",
        )

    def _across(self, number: float) -> float:
        part = (number - self.x.least) / (self.x.most - self.x.least)
        return self.left + part * (self.right - self.left)

    def _down(self, number: float) -> float:
        part = (number - self.y.least) / (self.y.most - self.y.least)
        return self.bottom - part * (self.bottom - TOP)


def _fitting(axis: Axis, most: int, room: float) -> list[tuple[float, str]]:
    """As many round numbers on the axis as stand beside each other in so much room."""
    every = (_ticks(axis, number) for number in range(most, 2, -1))
    fit = (one for one in every if sum(len(text) + 1 for _, text in one) * LETTER <= room)
    return next(fit, _ticks(axis, 2))


def _ticks(axis: Axis, most: int) -> list[tuple[float, str]]:
    """At most a few round numbers on the axis, with as many decimals as they need.

    Of places with names every one, every second one and so on, the first one among them.
    """
    if axis.names:
        return list(axis.names[:: -(-len(axis.names) // most)])
    rough = (axis.most - axis.least) / (most - 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= rough * 0.999)
    decimals = max(0, -floor(log10(step)) + (step / power == 2.5))
    first = -floor(-axis.least / step + 1e-9)
    last = floor(axis.most / step + 1e-9)
    return [(at * step, f"{at * step + 0.0:.{decimals}f}") for at in range(first, last + 1)]


def _bars(frame: _Frame, chart: Chart) -> Iterator[Element]:
    """The density of samples in each part, a sixth of the drawing high at most."""
    most = max((count / (end - start) for start, end, count in chart.bars), default=0)
    room = (chart.y.most - chart.y.least) * BAR_PART
    for start, end, count in chart.bars if most else ():
        x0, y0 = frame.at((start, chart.y.least))
        x1, y1 = frame.at((end, chart.y.least + room * count / (end - start) / most))
        yield element("path", d=f"M{x0:.2f},{y0:.2f}V{y1:.2f}H{x1:.2f}V{y0:.2f}Z", class_="bar")


def _track(frame: _Frame, track: Track, at: int) -> Iterator[Element]:
    """The band or the bars, the line, and a mark for each released point."""
    if track.whiskers:
        for low, high in zip(track.low, track.high, strict=True):
            yield element(
                "path", d=_whisker(*frame.at(low), frame.at(high)[1]), class_=f"whisker track-{at}"
            )
    elif track.low:
        ring = [*track.high, *reversed(track.low)]
        yield element("path", d=frame.path(ring, close=True), class_=f"band track-{at}")
    first, last = track.ends[:1], track.ends[1:]
    line = (*first, *track.points, *last)
    yield element("path", d=frame.path(line), class_=f"line track-{at}")
    for x, y in map(frame.at, track.points):
        yield _mark(x, y, at)


def _whisker(x: float, low: float, high: float) -> str:
    """A bar from the lower to the upper limit, with its ends."""
    left = x - WHISKER / 2
    ends = (f"M{left:.2f},{down:.2f}h{WHISKER:g}" for down in (low, high))
    return f"M{x:.2f},{low:.2f}V{high:.2f}{''.join(ends)}"


def _mark(x: float, y: float, at: int) -> Element:
    """A circle, a square, a diamond or a triangle."""
    paths = (
        f"M{x - MARK:.2f},{y:.2f}a{MARK:g},{MARK:g} 0 1 0 8,0a{MARK:g},{MARK:g} 0 1 0 -8,0Z",
        f"M{x - 3.5:.2f},{y - 3.5:.2f}h7v7h-7Z",
        f"M{x:.2f},{y - 5:.2f}l5,5l-5,5l-5,-5Z",
        f"M{x:.2f},{y - 4.5:.2f}l4.8,8.5h-9.6Z",
    )
    return element("path", d=paths[at], class_=f"mark track-{at}")


def _legend(chart: Chart, form: Form) -> Iterator[Element]:
    """The lines by name, below the drawing."""
    apart = (form.width - form.left - form.right) / form.columns
    for at, (label, pieces) in enumerate(_named_lines(chart)):
        left = (form.left if form.columns > 1 else MARGIN) + (at % form.columns) * apart
        down = form.height + (at // form.columns) * LEGEND_LINE + 8
        yield from pieces(left, down)
        yield _text(label, left + 42, down + 4, "start", "named")


def _named_lines(chart: Chart) -> list[tuple[str, Callable[[float, float], list[Element]]]]:
    """Every line's label, and how a sample of it is drawn; none where there is a single line."""
    lines: list[tuple[str, Callable[[float, float], list[Element]]]] = [
        (track.label, partial(_sample, at % PAINTS)) for at, track in enumerate(chart.tracks)
    ]
    lines += [
        (one.means, partial(_sample_of_reference, at)) for at, one in enumerate(chart.references)
    ]
    return lines if len(lines) > 1 else []


def _sample_of_reference(at: int, left: float, down: float) -> list[Element]:
    return [element("path", d=f"M{left:g},{down:g}h32", class_=f"reference reference-{at}")]


def _sample(track: int, left: float, down: float) -> list[Element]:
    path = f"M{left:g},{down:g}h32"
    return [element("path", d=path, class_=f"line track-{track}"), _mark(left + 16, down, track)]


def _text(text: str, x: float, y: float, anchor: str, class_: str = "tick") -> Element:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)
