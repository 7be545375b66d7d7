"""A released value for whoever computes on: exact decimals instead of texts.

result["auroc"].value            Decimal("0.8250")
result["auroc_ci"].interval      (Decimal("0.7901"), Decimal("0.8599"))
result["roc_curve"].to_frame()   a pandas data frame, where pandas is installed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any

from ppaurora.parties.errors import ConfigurationError
from ppaurora.protocols.release.values import (
    UNDEFINED,
    WITHHELD,
    Decision,
    Interval,
    Released,
    Scalar,
    Table,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """One released value under the text that asked for it. What it does not have is None or empty.

    >>> Estimate("auroc", Scalar("0.8250")).value
    Decimal('0.8250')
    >>> Estimate("auroc_ci", Interval("0.8250", "0.7901", "0.8599")).interval
    (Decimal('0.7901'), Decimal('0.8599'))
    >>> Estimate("auroc_above", Decision(True)).rejected
    True
    >>> Estimate("auroc", Scalar(None, undefined="a class is missing")).undefined
    'a class is missing'
    >>> Estimate("roc", Table(("fpr", "tpr"), (("0.1", "0.7"),))).rows
    ({'fpr': Decimal('0.1'), 'tpr': Decimal('0.7')},)
    """

    name: str
    released: Released

    @property
    def value(self) -> Decimal | None:
        """The number, with all its decimals; None where it is undefined, or is none."""
        given = self.released
        return _number(given.value) if isinstance(given, Scalar | Interval) else None

    @property
    def noise(self) -> Decimal | None:
        """The scale of the noise that is in the number, where that is public."""
        given = self.released
        return _number(given.noise) if isinstance(given, Scalar) else None

    @property
    def interval(self) -> tuple[Decimal, Decimal] | None:
        """The lower and the upper limit."""
        given = self.released
        if not isinstance(given, Interval) or given.lower is None or given.upper is None:
            return None
        return Decimal(given.lower), Decimal(given.upper)

    @property
    def rejected(self) -> bool | None:
        """Return whether a test rejects its null hypothesis."""
        return self.released.rejected if isinstance(self.released, Decision) else None

    @property
    def rows(self) -> tuple[Mapping[str, Decimal | None], ...]:
        """The rows of a table, each by the names of its columns."""
        given = self.released
        if not isinstance(given, Table):
            return ()
        return tuple(dict(zip(given.columns, map(_number, row), strict=True)) for row in given.rows)

    @property
    def missing(self) -> tuple[Mapping[str, str], ...]:
        """For each row of a table, which columns have no number there, and why, in words."""
        given = self.released
        if not isinstance(given, Table):
            return ()
        why = {None: f"{UNDEFINED}: {given.undefined}", WITHHELD: f"{WITHHELD}: {given.withheld}"}
        return tuple(
            {
                column: why[cell]
                for column, cell in zip(given.columns, row, strict=True)
                if cell is None or cell == WITHHELD
            }
            for row in given.rows
        )

    @property
    def undefined(self) -> str:
        """The reason why a number (in a table: any number) does not exist; empty if all do."""
        return self.released.undefined

    @property
    def withheld(self) -> str:
        """The reason that withholds a number (in a table: any number); empty if none does."""
        return self.released.withheld

    @property
    def note(self) -> str:
        """A note on an interval without width, with a better choice; empty if it has width."""
        return (self.released.note or "") if isinstance(self.released, Interval) else ""

    def __str__(self) -> str:
        return str(self.released)

    def to_frame(self) -> Any:
        """A pandas data frame: of a table its rows, of any other value one row."""
        if isinstance(self.released, Table):
            return frame(self.rows, self.released.columns)
        return frame([self.row()], COLUMNS)

    def row(self) -> dict[str, object]:
        """The value in one row, under the columns of `COLUMNS`."""
        lower, upper = self.interval or (None, None)
        reasons = (self.undefined or None, self.withheld or None)
        cells = (self.name, self.value, lower, upper, self.rejected, *reasons)
        return dict(zip(COLUMNS, cells, strict=True))


COLUMNS = ("statistic", "value", "lower", "upper", "rejected", "undefined", "withheld")


def frame(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> Any:
    """A pandas data frame of these rows; pandas is no dependency, and its absence is told."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise ConfigurationError(
            "pandas is not installed here, and a data frame is one of pandas",
            advice="Install pandas, or use the values as they are: result[NAME].value and .rows.",
        ) from None
    return pandas.DataFrame([dict(row) for row in rows], columns=list(columns))


def _number(text: str | None) -> Decimal | None:
    # of a number that is at least or at most another one, that one
    return None if text is None or text == WITHHELD else Decimal(text.split()[-1])
