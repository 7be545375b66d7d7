"""Curves among the released tables, known by the names of their columns.

A table is drawn if it has the columns of a shape below, each under one of its names. The band of a
column `tpr` are the columns `tpr_lower` and `tpr_upper`; where a shape has one line only, `lower`
and `upper` will do. Points without a number are left out of the drawing and stand in the table. A
table with other columns is shown as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from ppaurora.parties.reports.model import Axis, Chart, Reference, Track
from ppaurora.parties.reports.names import confidence, label
from ppaurora.parties.reports.names import known as statistic_of
from ppaurora.protocols.release.values import WITHHELD, Table
from ppaurora.protocols.statistics.bootstrap import Bootstrap
from ppaurora.protocols.statistics.statistic import Topic

Points = tuple[tuple[float, float], ...]

DIAGONAL: Points = ((0.0, 0.0), (1.0, 1.0))
NET_BENEFIT, PRECISION_RECALL = "Decision curve", "Precision-recall curve"
RATES = "Rates at each threshold"
FEW_POINTS = 12
"""Limits of so many thresholds are drawn one by one."""
CURVE_STEPS = 60
THRESHOLD = ("threshold", "cut", "cut_point")


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of curve: the names of its columns, its axes, and the line that it is held against.

    Each of `lines` is one line of the drawing, by its label and the names of its column. `unit`
    says that both axes run from 0 to 1.
    """

    title: str
    x_label: str
    y_label: str
    x: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]
    reference: Points = ()
    reference_means: str = ""
    ends: Points = ()
    unit: bool = True
    topic: Topic = Topic.DISCRIMINATION


SHAPES = (
    Shape(
        "ROC curve",
        "False positive rate (1 - specificity)",
        "True positive rate (sensitivity)",
        ("fpr", "false_positive_rate"),
        (("ROC curve", ("tpr", "true_positive_rate", "sensitivity")),),
        DIAGONAL,
        "chance",
        ends=DIAGONAL,
    ),
    Shape(
        PRECISION_RECALL,
        "Recall (sensitivity)",
        "Precision (positive predictive value)",
        ("recall",),
        (("Precision-recall curve", ("precision",)),),
    ),
    Shape(
        "Calibration",
        "Mean predicted share of positives",
        "Observed share of positives",
        ("predicted", "mean_score", "mean_predicted", "expected"),
        (("Observed", ("observed", "observed_rate", "positive_rate", "fraction_positive")),),
        DIAGONAL,
        "perfect calibration",
        topic=Topic.CALIBRATION,
    ),
    Shape(
        "Kaplan-Meier curve",
        "Time",
        "Share without an event",
        ("time",),
        (("Kaplan-Meier estimate", ("survival",)),),
        ((0.0, 1.0),),
        unit=False,
    ),
    Shape(
        "AUROC at each time",
        "Time",
        "AUROC of events until then",
        ("time",),
        (("AUROC", ("auroc",)),),
        unit=False,
    ),
    Shape(
        "Brier score at each time",
        "Time",
        "Brier score",
        ("time",),
        (("Brier score", ("brier",)),),
        unit=False,
    ),
    Shape(
        NET_BENEFIT,
        "Threshold",
        "Net benefit",
        THRESHOLD,
        (
            ("Decide by the score", ("net_benefit",)),
            ("Treat all", ("treat_all", "net_benefit_all")),
        ),
        ((0.0, 0.0), (1.0, 0.0)),
        "treat none",
        unit=False,
    ),
    Shape(
        RATES,
        "Threshold",
        "Rate",
        THRESHOLD,
        (
            ("Sensitivity", ("sensitivity", "tpr")),
            ("Specificity", ("specificity", "tnr")),
            ("Positive predictive value", ("ppv", "positive_predictive_value")),
            ("Negative predictive value", ("npv", "negative_predictive_value")),
            ("Accuracy", ("accuracy",)),
            ("Balanced accuracy", ("balanced_accuracy",)),
            ("F1", ("f1",)),
            ("F-beta", ("f_beta",)),
            ("Youden index", ("youden",)),
            ("Matthews correlation", ("mcc",)),
        ),
        unit=False,
    ),
)


def shape_of(table: Table) -> Shape | None:
    """The first shape that the table's columns have; None if it is no curve."""
    columns = set(table.columns)
    return next(
        (
            shape
            for shape in SHAPES
            if columns & set(shape.x) and any(columns & set(names) for _, names in shape.lines)
        ),
        None,
    )


@dataclass(frozen=True, slots=True)
class Known:
    """Other released numbers that belong into a drawing.

    `said` are sentences for titles, by the first column of the curve's shape; `prevalence` the
    share of positives; `bars` how many samples lie in which parts of the scores.
    """

    said: Mapping[str, str] = field(default_factory=dict)
    prevalence: float | None = None
    bars: tuple[tuple[float, float, float], ...] = ()


def drawn(name: str, table: Table, shape: Shape, known: Known) -> Chart | None:
    """The table as a chart; None if no point has both its numbers."""
    tracks = tuple(
        track
        for label, names in shape.lines
        if (track := _track(table, shape, label, names)) is not None
    )
    if not tracks:
        return None
    shown = [point for track in tracks for point in (*track.points, *track.low, *track.high)]
    x, y = ([point[at] for point in shown] for at in (0, 1))
    if shape.title == NET_BENEFIT and known.prevalence is not None:
        y = [*y, known.prevalence]
    axes = (
        (Axis(shape.x_label), Axis(shape.y_label))
        if shape.unit
        else (Axis(shape.x_label, *_ends(x)), Axis(shape.y_label, *_ends(y)))
    )
    if shape.title == NET_BENEFIT:
        axes = (Axis(shape.x_label, 0.0, max(x)), Axis(shape.y_label, *_close(y)))
    said = known.said.get(shape.x[0], "")
    title = _title(name, shape, tracks)
    references = [Reference(shape.reference_means, _within(shape.reference, axes[0]))]
    references = [one for one in references if one.points] + _by_prevalence(shape, known, axes)
    return Chart(
        name,
        f"{title}: {said}" if said else title,
        _described(shape, tracks, references),
        *axes,
        tracks,
        tuple(references),
        known.bars if shape.topic is Topic.CALIBRATION else (),
    )


def _title(name: str, shape: Shape, tracks: Sequence[Track]) -> str:
    """The title of a drawing: that of its shape, or of a rate alone its name and its limits."""
    one = statistic_of(name)
    if shape.title != RATES or len(tracks) > 1 or one is None:
        return shape.title
    called = one.short if isinstance(one, Bootstrap) else label(name)
    limits = confidence(name) if tracks[0].low else None
    return f"{called}, at each threshold{f', {limits}' if limits else ''}"


def _by_prevalence(shape: Shape, known: Known, axes: tuple[Axis, Axis]) -> list[Reference]:
    """The lines that follow from the share of positives π.

    A score that says nothing has precision π at every recall r, and none has a lower precision than
    π·r/(1 - π + π·r) [Thesis, chapter 3]. To treat all has a net benefit of π - (1 - π)·t/(1 - t).
    """
    share = known.prevalence
    if share is None or not 0 < share < 1:
        return []
    steps = [step / CURVE_STEPS for step in range(CURVE_STEPS + 1)]
    if shape.title == PRECISION_RECALL:
        lowest = tuple((r, share * r / (1 - share + share * r)) for r in steps)
        level = Reference(f"chance: prevalence {share:.3g}", _level(share))
        return [level, Reference("least possible", lowest)]
    if shape.title == NET_BENEFIT:
        x, y = axes
        at = [x.most * step for step in steps if x.most * step < 1]
        line = [(t, share - (1 - share) * t / (1 - t)) for t in at]
        return [Reference("treat all", tuple((t, b) for t, b in line if b >= y.least))]
    return []


def _level(height: float) -> Points:
    return ((0.0, height), (1.0, height))


def _close(numbers: list[float]) -> tuple[float, float]:
    """The ends of an axis close around these numbers and 0."""
    least, most = min(0.0, *numbers), max(0.0, *numbers)
    room = 0.1 * (most - least or 1.0)
    return least - room, most + room


def _track(table: Table, shape: Shape, label: str, names: tuple[str, ...]) -> Track | None:
    y = next((name for name in names if name in table.columns), None)
    x = next(name for name in shape.x if name in table.columns)
    if y is None or y == x:
        return None
    points = _points(table, x, y)
    if not points:
        return None
    alone = len(shape.lines) == 1
    low, high = (
        _points(table, x, f"{y}_{end}") or (_points(table, x, end) if alone else ())
        for end in ("lower", "upper")
    )
    ends: Points = ()
    if shape.ends:
        points, low, high = (tuple(sorted(each)) for each in (points, low, high))
        ends = shape.ends
    few = len(points) == 1 or (shape.title == RATES and len(points) <= FEW_POINTS)
    low, high = (low, high) if low and high else ((), ())
    return Track(label, points, low, high, ends, few and bool(low) and len(low) == len(high))


def _points(table: Table, x: str, y: str) -> Points:
    """The points of a column that have both numbers, in the order of the table."""
    if y not in table.columns:
        return ()
    at_x, at_y = table.columns.index(x), table.columns.index(y)
    cells = ((row[at_x], row[at_y]) for row in table.rows)
    return tuple((float(a), float(b)) for a, b in cells if _is_number(a) and _is_number(b))


def _is_number(cell: str | None) -> TypeGuard[str]:
    return cell is not None and cell != WITHHELD


def _ends(numbers: list[float]) -> tuple[float, float]:
    """The ends of an axis that holds these numbers and 0; of rates, the whole from 0 to 1."""
    least, most = min(0.0, *numbers), max(0.0, *numbers)
    if least >= 0 and most <= 1:
        return 0.0, 1.0
    room = 0.05 * (most - least)
    return (least - room if least < 0 else 0.0), most + room


def _within(reference: Points, x: Axis) -> Points:
    """The reference line over the whole of the x axis, if it is level; else as it is."""
    if len({y for _, y in reference}) == 1:
        return tuple((at, reference[0][1]) for at in (x.least, x.most))
    return reference


def _limits_of(track: Track) -> str:
    return "bar" if track.whiskers else "band"


def _described(shape: Shape, tracks: Sequence[Track], references: Sequence[Reference]) -> str:
    """The drawing for those who cannot see it."""
    sentences = [f"{shape.y_label} against {shape.x_label.lower()}."]
    for track in tracks:
        (x0, y0), (x1, y1) = track.points[0], track.points[-1]
        sentences.append(
            f"{track.label}: {len(track.points)} points, "
            f"from ({x0:.3g}, {y0:.3g}) to ({x1:.3g}, {y1:.3g})"
            + (f", each with a {_limits_of(track)}." if track.low else ".")
        )
    if references:
        sentences.append(f"Dashed: {'; '.join(one.means for one in references)}.")
    sentences.append("All numbers are in the table below.")
    return " ".join(sentences)
