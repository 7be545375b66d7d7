"""The released numbers in a report: statistics, curves on released points, calibration.

What a value is follows from its kind, and what a table is from its columns. How a statistic is
computed is told by the statistic itself; one that this version does not know is shown all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise

from ppaurora.parties.columns.column import column_kinds
from ppaurora.parties.reports.curves import THRESHOLD, Known, Shape, drawn, shape_of
from ppaurora.parties.reports.forest import plot_of_table, plots_of_bootstraps
from ppaurora.parties.reports.model import (
    NOT_RELEASED,
    Bullets,
    Facts,
    Paragraph,
    Piece,
    Section,
    Sheet,
)
from ppaurora.parties.reports.names import confidence, known, label, once
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.section_groups import differences, is_difference
from ppaurora.parties.reports.section_sites import caterpillar, plot_of_models, plots_of_groups
from ppaurora.protocols.grid.grid import HIGHER
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.ranking.wilson import LOWER, UPPER
from ppaurora.protocols.release.values import (
    UNDEFINED,
    WITHHELD,
    Interval,
    Released,
    Scalar,
    Table,
)
from ppaurora.protocols.statistics.parameters import settings
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import Topic

OF_ERROR = "_se"
"""The end of the name of a column that has the standard errors of another one."""
SQUARES = (
    "A square is as large as the weight of its hospital in the mean, where the mean is released, "
    "and else as large as its own precision; the bars are confidence intervals. The diamond is the "
    "mean over all hospitals with its interval, also over those that are not shown; the lowest bar "
    "says where the number of another hospital is to be expected."
)
"""Words below a caterpillar plot."""
NONE = "-"
"""A cell where there is nothing to say."""
GIVEN = {
    "k": "the top",
    "specificity": "a specificity of",
    "sensitivity": "a sensitivity of",
    "recall": "a recall of",
}
"""Columns of what a study gives, and how a result at it is called."""
MODEL = "model"
"""The first column of tables with a row for each model or each pair of models."""
FEW_GIVEN = 5
COUNTED = ((("positives",), ("negatives",)), (("tp", "fn"), ("fp", "tn")))
"""Columns by which a table tells the class counts; with a single row, or at every threshold."""
UNKNOWN = "not known to this version of ppaurora"

Values = Mapping[str, Released]


def statistics_section(saved: SavedResult, pooled: Values | None) -> Section:
    """Every number with its interval; in a simulation `pooled` is told beside it."""
    pieces = (
        _values(saved, pooled),
        *plots_of_groups(saved.values),
        *plots_of_bootstraps(saved.values),
        *differences(saved.values),
        *_notes(saved.values),
    )
    return Section("statistics", "Results", pieces)


def computed_section(saved: SavedResult) -> Section:
    """The estimator of each number, and what a score means."""
    higher = _direction(saved)
    positive, negative = (saved.option("scores", name) for name in ("positive", "negative"))
    facts = Facts(
        (
            ("Direction", f"{higher} scores speak for the positive class"),
            ("Thresholds", _called(saved)),
            ("Predicted probability", "the score" if higher == HIGHER else "1 - score"),
            ("Classes", f"positive: label {positive}; negative: label {negative}"),
            ("Scores", _scale(saved)),
            *_extra_columns(saved),
            ("Ties", f"{_tied(saved)}; how a statistic counts ties stands in its description"),
            ("Rounding", f"to {saved.decimals} decimals, halves up"),
            ("Least cell", _least_cell(saved)),
            ("Computed on", "all lists that are in the result, as if they were one"),
        )
    )
    return Section("computed", "How each number is computed", (facts, _descriptions(saved.values)))


def _notes(values: Values) -> list[Piece]:
    """The intervals that say nothing, and what to take instead."""
    sentences = [
        f"{label(name, one)}: {one.note}"
        for name, one in values.items()
        if isinstance(one, Interval) and one.note
    ]
    return [Bullets(tuple(sentences), "Intervals without a width", brief=True)] if sentences else []


def _direction(saved: SavedResult) -> str:
    return saved.option("scores", "direction") or HIGHER


def _called(saved: SavedResult) -> str:
    return f"a score of the threshold or {_direction(saved)} is called positive"


def _tied(saved: SavedResult) -> str:
    resolution = saved.option("scores", "resolution") or ""
    kind, _, bins = resolution.partition(":")
    if kind != Resolution.BINS:
        return "two scores are tied if and only if they are the same number"
    return f"two scores are tied if and only if they lie in the same of {bins} bins"


def _extra_columns(saved: SavedResult) -> list[tuple[str, str]]:
    """The columns of the lists beside score and label."""
    named = {kind.heading: kind.naming() for kind in column_kinds().values()}
    found = {heading: saved.option(one.table, one.key) for heading, one in named.items()}
    return [(heading, f"column {column}") for heading, column in found.items() if column]


def _values(saved: SavedResult, pooled: Values | None) -> Sheet:
    with_z = any(
        isinstance(value, Interval) and value.z is not None
        for name, value in saved.values.items()
        if pooled is not None or not is_difference(name)
    )
    columns = ["Statistic", "Value", "Interval"]
    columns += ["z", "p"] if with_z else []
    with_skipped = any(
        isinstance(value, Interval) and value.skipped is not None for value in saved.values.values()
    )
    columns += ["Folds left out"] if with_skipped else []
    columns += ["Pooled", "Equal"] if pooled is not None else []
    rows = []
    for name, value in saved.values.items():
        if pooled is None and is_difference(name):
            continue
        beside = dict(_lines(name, pooled[name], with_tables=True)) if pooled is not None else {}
        for called, told in _lines(name, value, with_tables=pooled is not None):
            row = [called, told, _error(called, value) or _interval(value)]
            if with_z:
                z, p = (value.z, value.p) if isinstance(value, Interval) else (None, None)
                row += [z or NONE, p or NONE]
            if with_skipped:
                skipped = value.skipped if isinstance(value, Interval) else None
                row.append(NONE if skipped is None else str(skipped))
            if pooled is not None:
                one = pooled[name]
                shown = beside.get(called, NONE) if isinstance(one, Table) else str(one)
                row += [shown, _equality(name, value, one, saved.decimals)]
            rows.append(tuple(row))
    caption = saved.title or saved.id
    numbers = frozenset(at for at, name in enumerate(columns) if name in ("Value", "Pooled"))
    return Sheet("statistics", caption, tuple(columns), tuple(rows), numbers, brief=True)


def _lines(name: str, value: Released, *, with_tables: bool) -> list[tuple[str, str]]:
    """The rows of a value in the results: what each is called, and its number.

    A table that is none of them has a place below, and a row only where something stands beside it.
    """
    called = label(name, value)
    if not isinstance(value, Table) or value.missing:
        return [(called, _value(value))]
    rows = _rows_of(called, value)
    return rows or ([(called, _value(value))] if with_tables else [])


def _rows_of(called: str, table: Table) -> list[tuple[str, str]]:
    """The rows that a table is in the results: of a few given rates or ranks one for each.

    Of a table with a single row of numbers one for each column; none of any other.
    """
    given, *others = table.columns
    if given in GIVEN and len(others) == 1 and shape_of(table) is None:
        if len(table.rows) > FEW_GIVEN:
            return []
        name = f"{others[0].capitalize()} at {GIVEN[given]}"
        return [(f"{name} {at}", found or UNDEFINED) for at, found in table.rows]
    if len(table.rows) != 1 or given in (*THRESHOLD, *GIVEN, MODEL):
        return []
    return [
        (f"{called}: {column}", cell or UNDEFINED)
        for column, cell in _row_of(table).items()
        if not column.endswith(OF_ERROR) and not _is_limit(column, table)
    ]


def _is_limit(column: str, table: Table) -> bool:
    """True of the lower or upper limit of another column."""
    return any(
        column.endswith(end) and column.removesuffix(end) in table.columns for end in (LOWER, UPPER)
    )


def _joined(name: str, table: Table) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Columns and rows with the limits of a number in its own cell, as "0.75 (0.61 to 0.85)".

    Only confidence limits are shown so; others stay in columns of their own.
    """
    level = confidence(name)
    if level is None:
        return table.columns, [tuple(cell or UNDEFINED for cell in row) for row in table.rows]
    given = [column for column in table.columns if not _is_limit(column, table)]
    limited = {column for column in given if f"{column}{LOWER}" in table.columns}
    columns = tuple(f"{one} ({level})" if one in limited else one for one in given)
    rows = []
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        rows.append(tuple(_cell(column, cells) for column in given))
    return columns, rows


def _cell(column: str, cells: Mapping[str, str | None]) -> str:
    """A number as it is shown, with its limits where it has any."""
    lower, upper = (cells.get(f"{column}{end}") for end in (LOWER, UPPER))
    value = cells[column] or UNDEFINED
    numbers = lower and upper and WITHHELD not in (lower, upper)
    return f"{value} ({lower} to {upper})" if numbers else value


def _row_of(table: Table) -> dict[str, str | None]:
    """The first row of a table, by column."""
    return dict(zip(table.columns, table.rows[0], strict=True))


def _error(called: str, value: Released) -> str | None:
    """The standard error or the limits of a number that `_rows_of` has called so, if any."""
    if not isinstance(value, Table) or len(value.rows) != 1:
        return None
    row, column = _row_of(value), called.rpartition(": ")[2]
    error, lower, upper = (row.get(f"{column}{end}") for end in (OF_ERROR, LOWER, UPPER))
    if lower and upper:
        return f"{lower} to {upper}"
    return f"SE {error}" if error else None


def _equality(name: str, value: Released, pooled: Released, decimals: int) -> str:
    if is_noisy(name, decimals):
        return "noisy"
    return "yes" if value == pooled else "NO"


def is_noisy(name: str, decimals: int) -> bool:
    """Return whether noise makes the private value differ from the pooled one."""
    return statistic(name).privacy(decimals) is not None


def _value(value: Released) -> str:
    if value.missing:
        return value.missing
    if isinstance(value, Interval):
        return str(value.value)
    if isinstance(value, Table):
        return f"{len(value.rows)} row{'s' * (len(value.rows) != 1)}, below"
    return value.text()


def _interval(value: Released) -> str:
    if isinstance(value, Interval) and not value.missing:
        return f"{value.lower} to {value.upper}{', no width' if value.note else ''}"
    if isinstance(value, Scalar) and value.noise is not None:
        # the noise is beyond 3 times its scale once in 20 times
        likely = 3 * Decimal(value.noise)
        return f"noise of scale {value.noise}: within {likely} of the value 19 times of 20"
    return NONE


def _descriptions(values: Values) -> Sheet:
    """The description of each statistic, in its own words."""
    rows = []
    for name, value in once(values).items():
        one = known(name)
        if one is None:
            rows.append((name, name, UNKNOWN, "", ""))
            continue
        given = "; ".join(f"{key} {value}: {help}" for key, (value, help) in settings(one).items())
        what = f"{one.title}. {given}" if given else one.title
        rows.append((label(name, value), name, what, one.known_as, one.undefined))
    columns = (
        *("Statistic", "Asked for as", "Estimator and parameters", "Known elsewhere as"),
        "Undefined where",
    )
    return Sheet("estimators", "Estimators", columns, tuple(rows))


def curves_section(saved: SavedResult) -> Section:
    """Every released table but those of calibration: drawn if it is a curve, and as numbers."""
    tables = _tables(saved, Topic.DISCRIMINATION)
    pieces = [
        piece
        for name, (table, shape) in tables.items()
        for piece in _shown(saved, name, table, shape)
    ]
    if not any(shape for _, shape in tables.values()):
        pieces.append(Paragraph(f"ROC curve, precision-recall curve: {NOT_RELEASED}."))
    return Section("curves", "Curves and tables", tuple(pieces))


def calibration_section(saved: SavedResult) -> Section:
    """Calibration tables, and numbers that tell how far scores are right as probabilities."""
    numbers = {
        name: value
        for name, value in saved.values.items()
        if not isinstance(value, Table) and _topic(name) is Topic.CALIBRATION
    }
    pieces: list[Piece] = []
    if numbers:
        rows = tuple(
            (label(name, one), _value(one), _interval(one)) for name, one in numbers.items()
        )
        columns = ("Statistic", "Value", "Interval")
        caption = "How far the scores are right as probabilities"
        pieces.append(Sheet("calibration-numbers", caption, columns, rows, frozenset({1})))
    else:
        pieces.append(Paragraph(f"Brier score and other numbers of calibration: {NOT_RELEASED}."))
    tables = _tables(saved, Topic.CALIBRATION)
    for name, (table, shape) in tables.items():
        pieces += _shown(saved, name, table, shape)
    if not tables:
        pieces.append(Paragraph(f"Calibration curve: {NOT_RELEASED}."))
    return Section("calibration", "Calibration and Brier score", tuple(pieces))


def _tables(saved: SavedResult, topic: Topic) -> dict[str, tuple[Table, Shape | None]]:
    """The released tables of a topic, each with its shape."""
    curves = {}
    for name, value in saved.values.items():
        if isinstance(value, Table) and not is_difference(name):
            shape = shape_of(value)
            if (shape.topic if shape else _topic(name)) is topic:
                curves[name] = value, shape
    return curves


def _shown(saved: SavedResult, name: str, table: Table, shape: Shape | None) -> list[Piece]:
    """A table: drawn if it can be, what its points stand for, and all its numbers.

    What stands among the results stands there alone.
    """
    called = label(name)
    if table.missing:
        return [Paragraph(f"{called}: {table.missing}.", brief=True)]
    pieces: list[Piece] = []
    chart = drawn(name, table, shape, beside(saved)) if shape else None
    plot = caterpillar(name, table, saved.values)
    if plot is not None:
        pieces += [plot, Paragraph(SQUARES)]
    for beside_it in (plot_of_models(name, table), plot_of_table(name, table, saved.values)):
        if beside_it is not None:
            pieces.append(beside_it)
    if chart is not None:
        pieces.append(chart)
        lines = "Only the marked points were released; the lines between them are for the eye."
        bars = " The bars show how the scores are distributed." if chart.bars else ""
        pieces.append(Paragraph(f"{lines}{bars} Least cell: {_least_cell(saved)}."))
    if chart is None and _rows_of(called, table):
        return pieces
    headings, rows = _joined(name, table)
    columns = frozenset(range(len(headings)))
    caption = f"{called}: the released points" if chart else called
    if {*THRESHOLD}.intersection(table.columns) and _direction(saved) != HIGHER:
        caption += f"; {_called(saved)}"
    pieces.append(Sheet(name, caption, headings, tuple(rows), columns, brief=True))
    if table.reasons:
        pieces.append(Paragraph(f"{called}: {'; '.join(table.reasons)}.", brief=True))
    return pieces


def beside(saved: SavedResult) -> Known:
    """The numbers for the drawings of a result: areas, slope and intercept, prevalence."""
    said = {}
    for name, value in saved.values.items():
        one = known(name)
        if one is None or value.missing:
            continue
        if one.short in ("AUROC", "Average precision") and isinstance(value, Scalar | Interval):
            curve = "fpr" if one.short == "AUROC" else "recall"
            if curve not in said or isinstance(value, Interval):
                limits = f", {_interval(value)}" if isinstance(value, Interval) else ""
                said[curve] = f"{label(name, value)} {_value(value)}{limits}"
        if isinstance(value, Table) and {"slope", "intercept"} <= set(value.columns):
            row = _row_of(value)
            said["predicted"] = ", ".join(
                f"{name} {row[name] or UNDEFINED} (SE {row.get(name + OF_ERROR) or UNDEFINED})"
                for name in ("slope", "intercept")
            )
    return Known(said, prevalence_of(saved), _bars(saved))


def class_counts(saved: SavedResult) -> tuple[int, int] | None:
    """The released numbers of positives and negatives, exact and of all samples."""
    for value in saved.values.values():
        if not isinstance(value, Table) or value.missing or not value.rows:
            continue
        row = _row_of(value)
        for of_positives, of_negatives in COUNTED:
            cells = [
                [row.get(name) or "" for name in kind] for kind in (of_positives, of_negatives)
            ]
            whole = len(value.rows) == 1 or "tp" in row
            if whole and all(cell.isdigit() for kind in cells for cell in kind):
                positives, negatives = (sum(map(int, kind)) for kind in cells)
                return positives, negatives
    return None


def prevalence_of(saved: SavedResult) -> float | None:
    """The share of positives, where both numbers are released."""
    counts = class_counts(saved)
    return counts[0] / sum(counts) if counts and sum(counts) else None


def _bars(saved: SavedResult) -> tuple[tuple[float, float, float], ...]:
    """The numbers of samples with scores between two released points of the ROC curve."""
    counts = class_counts(saved)
    bounds = (saved.option("scores", "range") or "").split(" to ")
    curve = next(
        (
            one
            for one in saved.values.values()
            if isinstance(one, Table) and one.columns == ("threshold", "fpr", "tpr")
        ),
        None,
    )
    if counts is None or curve is None or len(bounds) != 2 or _direction(saved) != HIGHER:
        return ()
    low, high = map(float, bounds)
    P, N = counts
    above = [(low, float(P + N))]
    for threshold, fpr, tpr in curve.rows:
        if None not in (threshold, fpr, tpr) and WITHHELD not in (fpr, tpr):
            above.append((float(threshold or 0), P * float(tpr or 0) + N * float(fpr or 0)))
    above.append((high, 0.0))
    return tuple(
        (start, end, max(0.0, first - second))
        for (start, first), (end, second) in pairwise(sorted(above))
        if end > start
    )


def _scale(saved: SavedResult) -> str:
    """The scores that the study allows, in words."""
    bounds, resolution = (saved.option("scores", name) for name in ("range", "resolution"))
    return f"{bounds}, resolution {resolution}" if bounds and resolution else UNKNOWN


def _least_cell(saved: SavedResult) -> str:
    """The fewest samples of each class between two cuts at which something is released."""
    stated = saved.option("release", "least_cell")
    return f"{stated} of each class, in every owner's eyes" if stated else "the study states none"


def _topic(name: str) -> Topic:
    one = known(name)
    calibration = one is not None and one.topic is Topic.CALIBRATION
    return Topic.CALIBRATION if calibration else Topic.DISCRIMINATION
