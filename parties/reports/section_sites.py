"""Caterpillar plots: hospitals' own values with the mean over all, groups and models by themselves.

The lowest value comes first; who is not shown stands behind. Squares are as large as weights: with
the summary of the same values released, those of its random effects, 1/(v + τ²), with v and τ² read
from the released limits; else 1/v. Ratios are drawn on a logarithmic axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log

from ppaurora.parties.reports.forest import NumberRow as Beside
from ppaurora.parties.reports.forest import forest
from ppaurora.parties.reports.model import Axis, Caterpillar, Estimated
from ppaurora.parties.reports.names import confidence, known, label
from ppaurora.parties.reports.svg import MOST_TICKS
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.student import scaled_student
from ppaurora.protocols.release.values import UNDEFINED, WITHHELD, Interval, Released, Table
from ppaurora.protocols.statistics.across_sites import BESIDE, LEFT_OUT
from ppaurora.protocols.statistics.in_group import SIGN
from ppaurora.protocols.statistics.site_values import SiteValues

Values = Mapping[str, Released]
Row = tuple[str, str, str, str]
"""A name, a number and its limits."""
MODELS = ("model", "auroc", "lower", "upper")
DIGITS = 12
NEAR = 1e-6
ROOM = 0.05
RATIOS = (
    tuple(place / 10 for place in range(5, 21)),
    (0.3, 0.4, 0.6, 0.8, 1, 1.3, 1.6, 2, 2.5, 3),
    (0.1, 0.2, 0.5, 1, 2, 5, 10),
    (0.01, 0.1, 1, 10, 100),
)
"""Numbers on a logarithmic axis, from a fine to a coarse choice."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """The drawing of a value: its axis, its scale of estimation, and what it is held against."""

    label: str
    estimated: Callable[[float], float]
    ratio: bool = False
    reference: float | None = None

    def drawn(self, number: float) -> float:
        """The place of a number on the axis."""
        return log(max(number, NEAR)) if self.ratio else number


def _logit(p: float) -> float:
    inside = min(max(p, NEAR), 1 - NEAR)
    return log(inside / (1 - inside))


SCALES = {
    "area": _Scale("AUROC", _logit),
    "ratio": _Scale(
        "Observed / expected positives", lambda x: log(max(x, NEAR)), ratio=True, reference=1.0
    ),
    "slope": _Scale("Calibration slope", lambda x: x, reference=1.0),
}


@dataclass(frozen=True, slots=True)
class _Mean:
    """A released summary: its level as it is shown, the tail, its five numbers, and of how many."""

    level: str
    tail: Fraction
    numbers: tuple[str, ...]
    sites: int

    def between(self, scale: _Scale) -> float:
        """τ², from the half widths of both intervals."""
        _, low, high, below, above = (scale.estimated(float(number)) for number in self.numbers)
        inner, outer = (_student(self.sites - less, self.tail) for less in (1, 2))
        s2, both = ((high - low) / 2 / inner) ** 2, ((above - below) / 2 / outer) ** 2
        return max(0.0, both - s2)


def _student(df: int, tail: Fraction) -> float:
    return float(Fraction(scaled_student(df, tail, DIGITS), 10**DIGITS))


def caterpillar(name: str, table: Table, values: Values) -> Caterpillar | None:
    """The plot of a table of own values; None of any other table, and where nobody is shown."""
    one = known(name)
    if not isinstance(one, SiteValues) or table.columns != one.columns:
        return None
    shown: list[Row] = []
    others = []
    for site, *cells in table.rows:
        if None in cells or WITHHELD in cells:
            others.append(Estimated(str(site), WITHHELD if WITHHELD in cells else UNDEFINED))
        else:
            value, low, high = map(str, cells)
            shown.append((str(site), value, low, high))
    if not shown:
        return None
    scale, summary = SCALES[one.of], _summary(one, values, len(table.rows))
    weights = _weights(one, scale, shown, summary)
    rows = [
        _estimated(scale, *cells, weight=weight / max(weights))
        for cells, weight in zip(shown, weights, strict=True)
    ]
    rows.sort(key=lambda row: (row.middle or 0.0, row.name))
    mean = prediction = None
    title = f"{label(name)}, {confidence(name)}"
    if summary is not None:
        value, low, high, below, above = summary.numbers
        mean = _estimated(scale, "Mean", value, low, high)
        prediction = replace(
            _estimated(scale, "Another hospital", value, below, above),
            middle=None,
            told=f"{below} to {above}",
        )
        title += f", with the mean over all and the prediction interval ({summary.level})"
    beside = [row for row in (*rows, mean, prediction) if row is not None]
    return Caterpillar(
        name,
        title,
        _described(scale, rows, others, mean),
        _axis(scale, beside),
        (*rows, *others),
        mean,
        prediction,
        None if scale.reference is None else scale.drawn(scale.reference),
    )


def plots_of_groups(values: Values) -> list[Caterpillar]:
    """A plot for each number with limits that is released of groups, and of all samples."""
    found: dict[str, list[Beside]] = {}
    for name, value in values.items():
        of, *groups = name.split(SIGN)
        if len(groups) == 1 and isinstance(value, Interval) and not value.missing:
            row = Beside(groups[0], str(value.value), str(value.lower), str(value.upper))
            found.setdefault(of, []).append(row)
    plots = []
    for of, rows in found.items():
        whole, called = values.get(of), label(of)
        mean = None
        if isinstance(whole, Interval) and not whole.missing:
            mean = Beside("All samples", str(whole.value), str(whole.lower), str(whole.upper))
        title = f"{called} by group, {confidence(of) or 'with limits'}"
        if len(rows) > 1:
            plots.append(forest(f"{of} by group", title, called, rows, mean))
    return plots


def plot_of_models(name: str, table: Table) -> Caterpillar | None:
    """The plot of a table of models with limits; None of any other table."""
    if table.columns != MODELS or any(None in row or WITHHELD in row for row in table.rows):
        return None
    rows = [Beside(*map(str, row)) for row in table.rows]
    title = f"{label(name)}, {confidence(name) or 'with limits'}"
    return forest(name, title, "AUROC", rows) if rows else None


def _summary(one: SiteValues, values: Values, sites: int) -> _Mean | None:
    """The summary of the same values over so many sites, if it is released."""
    for text, value in values.items():
        other = known(text)
        if isinstance(other, one.summary) and isinstance(value, Table) and value.rows:
            cells = dict(zip(value.columns, map(str, value.rows[0]), strict=True))
            numbers = tuple(cells[column] for column in (one.summary.mean, *BESIDE))
            there = sites - int(cells[LEFT_OUT])
            return _Mean(confidence(text) or "", (1 - other.level) / 2, numbers, there)
    return None


def _estimated(
    scale: _Scale, name: str, value: str, low: str, high: str, weight: float = 1.0
) -> Estimated:
    ends = scale.drawn(float(low)), scale.drawn(float(high))
    return Estimated(name, f"{value} ({low} to {high})", ends, scale.drawn(float(value)), weight)


def _weights(
    one: SiteValues, scale: _Scale, shown: list[Row], summary: _Mean | None
) -> list[float]:
    """The weights of these rows, 1/v or 1/(v + τ²)."""
    z = scaled_quantile((1 - one.level) / 2, DIGITS) / 10**DIGITS
    between = 0.0 if summary is None else summary.between(scale)
    halves = [
        (scale.estimated(float(high)) - scale.estimated(float(low))) / 2
        for _, _, low, high in shown
    ]
    return [1 / max(NEAR**2, (half / z) ** 2 + between) for half in halves]


def _axis(scale: _Scale, rows: list[Estimated]) -> Axis:
    """The axis that holds all limits, and what numbers are held against."""
    ends = [end for row in rows if row.limits for end in row.limits]
    if scale.reference is not None:
        ends.append(scale.drawn(scale.reference))
    room = ROOM * (max(ends) - min(ends) or 1.0)
    least, most = min(ends) - room, max(ends) + room
    if not scale.ratio:
        if scale.reference is None:
            least, most = max(0.0, least), min(1.0, most)
        return Axis(scale.label, least, most)
    inside = [[one for one in ratios if least <= log(one) <= most] for ratios in RATIOS]
    chosen = next((one for one in inside if len(one) <= MOST_TICKS), inside[-1])
    names = [(log(one), f"{one:g}") for one in chosen]
    return Axis(f"{scale.label}, logarithmic", least, most, tuple(names))


def _described(
    scale: _Scale, rows: list[Estimated], others: list[Estimated], mean: Estimated | None
) -> str:
    """The drawing for those who cannot see it."""
    first, last = rows[0], rows[-1]
    sentences = [
        f"{scale.label} of {len(rows)} hospitals, the lowest first: "
        f"from {first.told} at {first.name} to {last.told} at {last.name}."
    ]
    if others:
        sentences.append(f"{len(others)} more have no number here.")
    if mean is not None:
        sentences.append(f"Below them the mean over all, {mean.told}.")
    sentences.append("All numbers are in the table below.")
    return " ".join(sentences)
