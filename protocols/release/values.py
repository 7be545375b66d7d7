"""What is released, as its receivers read it: four kinds of value, numbers as decimal texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

NO_SAMPLES = "there are no samples"
NO_WIDTH = ", no width"


class ValueKind(StrEnum):
    """What a statistic releases."""

    SCALAR = "scalar"
    INTERVAL = "interval"
    TEST = "test"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(ABC):
    """One released value. Where it is undefined, `undefined` says why and there are no numbers."""

    kind: ClassVar[ValueKind]
    undefined: str = ""

    def to_json(self) -> dict[str, object]:
        """The value's entry in a result document; `undefined` is null where there is a value."""
        return {"kind": str(self.kind), **self.numbers(), "undefined": self.undefined or None}

    @abstractmethod
    def numbers(self) -> dict[str, object]:
        """The numbers of this kind by name, null where undefined."""

    @abstractmethod
    def text(self) -> str:
        """The numbers in one line, where there are any."""

    def __str__(self) -> str:
        return f"undefined: {self.undefined}" if self.undefined else self.text()


@dataclass(frozen=True, slots=True)
class Scalar(Released):
    """One number.

    >>> str(Scalar("0.8250")), str(Scalar(undefined="a class is missing"))
    ('0.8250', 'undefined: a class is missing')
    """

    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    value: str | None = None

    def numbers(self) -> dict[str, object]:
        return {"value": self.value}

    def text(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Interval(Released):
    """A number with the limits around it, and the test statistic where there is one.

    `skipped` is the number of folds without a value, where those are left out. `note` says what the
    limits do not: that they are one number, and what to take instead.

    >>> str(Interval("0.81", "0.74", "0.88"))
    '0.81 (0.74 to 0.88)'
    """

    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    value: str | None = None
    lower: str | None = None
    upper: str | None = None
    z: str | None = None
    skipped: int | None = None
    note: str | None = None

    def numbers(self) -> dict[str, object]:
        limits: dict[str, object] = {"value": self.value, "lower": self.lower, "upper": self.upper}
        beside = {"z": self.z, "skipped": self.skipped, "note": self.note}
        return limits | {name: one for name, one in beside.items() if one is not None}

    def text(self) -> str:
        z = "" if self.z is None else f", z {self.z}"
        skipped = "" if self.skipped is None else f", folds left out: {self.skipped}"
        note = "" if self.note is None else NO_WIDTH
        return f"{self.value} ({self.lower} to {self.upper}{note}){z}{skipped}"


@dataclass(frozen=True, slots=True)
class Decision(Released):
    """The outcome of a test: whether the null hypothesis is rejected.

    >>> str(Decision(rejected=True))
    'rejected'
    """

    kind: ClassVar[ValueKind] = ValueKind.TEST
    rejected: bool | None = None

    def numbers(self) -> dict[str, object]:
        return {"rejected": self.rejected}

    def text(self) -> str:
        return "rejected" if self.rejected else "not rejected"


@dataclass(frozen=True, slots=True)
class Table(Released):
    """Rows of numbers under named columns; a cell that is undefined is null.

    >>> str(Table(("threshold", "ppv"), (("0.5", "0.71"), ("0.9", None))))
    'threshold 0.5, ppv 0.71; threshold 0.9, ppv undefined'
    """

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] | None = ()

    def numbers(self) -> dict[str, object]:
        rows = None if self.undefined or self.rows is None else [list(row) for row in self.rows]
        return {"columns": list(self.columns), "rows": rows}

    def text(self) -> str:
        return "; ".join(
            ", ".join(
                f"{column} {'undefined' if cell is None else cell}"
                for column, cell in zip(self.columns, row, strict=True)
            )
            for row in self.rows or ()
        )
