"""Forest plots: a row for each number of one kind, with its limits where some are released.

The rows stand in the order of their table. Classes are held against chance, each model's
improvement against none, and limits by the bootstrap stand beside the other limits of the same
metric. What has no limits is a square alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppaurora.parties.reports.model import Axis, Caterpillar, Estimated
from ppaurora.parties.reports.names import confidence, known, label
from ppaurora.protocols.release.values import WITHHELD, Interval, Released, Scalar, Table
from ppaurora.protocols.statistics.auroc_classes import COLUMNS as OF_CLASSES
from ppaurora.protocols.statistics.auroc_multiclass import AurocMulticlass
from ppaurora.protocols.statistics.bootstrap import Bootstrap
from ppaurora.protocols.statistics.idi import COLUMNS as OF_IMPROVEMENTS

Values = Mapping[str, Released]
ROOM = 0.05
SIDE = 0.4
"""The weight of a square where all have one size."""
MEANS = {"macro": "Macro mean", "weighted": "Weighted mean"}
"""The means over classes of what a class has against the rest."""
CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number by its name, with its limits if it has any, as they were released."""

    name: str
    value: str
    low: str = ""
    high: str = ""

    @property
    def estimated(self) -> Estimated:
        """The row as it is drawn."""
        value = float(self.value)
        if not self.low:
            return Estimated(self.name, self.value, (value, value), value, SIDE)
        ends = float(self.low), float(self.high)
        return Estimated(self.name, f"{self.value} ({self.low} to {self.high})", ends, value, SIDE)


def forest(
    name: str,
    title: str,
    called: str,
    rows: Sequence[NumberRow],
    mean: NumberRow | None = None,
    *,
    against: tuple[float, str] | None = None,
) -> Caterpillar:
    """Rows as they come, the mean below them, held `against` a number of this meaning."""
    shown = [row.estimated for row in rows]
    diamond = None if mean is None else mean.estimated
    every = [*shown, *([diamond] if diamond else [])]
    told = "; ".join(f"{row.name} {row.told}" for row in every)
    dashed = "" if against is None else f" Dashed: {against[1]}, {against[0]:g}."
    ends = [end for row in every for end in row.limits or ()]
    ends += [] if against is None else [against[0]]
    room = ROOM * (max(ends) - min(ends) or 1.0)
    axis = Axis(called, min(ends) - room, max(ends) + room)
    described = f"{called}: {told}.{dashed}"
    reference = None if against is None else against[0]
    return Caterpillar(name, title, described, axis, tuple(shown), diamond, reference=reference)


def plot_of_table(name: str, table: Table, values: Values) -> Caterpillar | None:
    """The plot of the AUROCs of classes, or of improvements; None of any other table."""
    if table.columns not in (OF_CLASSES, OF_IMPROVEMENTS):
        return None
    rows = [
        NumberRow(" over ".join(map(str, names)), value)
        for *names, value in table.rows
        if value is not None and value != WITHHELD
    ]
    if not rows:
        return None
    if table.columns == OF_IMPROVEMENTS:
        title = f"{label(name)}: of the first model over each of the others"
        return forest(name, title, "IDI", rows, against=(0.0, "no improvement"))
    title = "AUROC of each class against the rest"
    return forest(name, title, "AUROC", rows, _mean(values), against=(CHANCE, "chance"))


def _mean(values: Values) -> NumberRow | None:
    """The released mean over classes against the rest, the macro mean if there are both."""
    found = {}
    for text, value in values.items():
        one = known(text)
        if isinstance(one, AurocMulticlass) and isinstance(value, Scalar) and value.value:
            found[one.mean] = value.value
    return next((NumberRow(MEANS[mean], found[mean]) for mean in MEANS if mean in found), None)


def plots_of_bootstraps(values: Values) -> list[Caterpillar]:
    """A plot for each metric without thresholds of which there are limits by the bootstrap.

    Intervals of the same metric by another method stand beside them.
    """
    found: dict[str, list[NumberRow]] = {}
    for text, value in values.items():
        one = known(text)
        if not isinstance(one, Bootstrap) or one.at_thresholds or not isinstance(value, Table):
            continue
        for cells in value.rows:
            if None not in cells and WITHHELD not in cells:
                row = NumberRow(_drawn_as(one, text), *map(str, cells))
                found.setdefault(one.of, []).append(row)
    plots = []
    for of, rows in found.items():
        called = label(of)
        beside = [
            NumberRow(_method(text, value), str(value.value), str(value.lower), str(value.upper))
            for text, value in values.items()
            if isinstance(value, Interval)
            and not value.missing
            and confidence(text)
            and getattr(known(text), "short", None) == called
        ]
        title = f"{called} with percentile limits by the bootstrap"
        plots.append(forest(f"bootstrap of {of}", title, called, [*rows, *beside]))
    return plots


def _method(text: str, value: Interval) -> str:
    """The level of an interval, and its parameters."""
    return label(text, value).partition(" (")[2].removesuffix(")")


def _drawn_as(one: Bootstrap, text: str) -> str:
    """Units that were drawn, and the level of the limits."""
    return f"Drawn {one.unit}s, {confidence(text)}"
