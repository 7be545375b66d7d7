"""What is released, as its receivers read it: four kinds of value, numbers as decimal texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from ppaurora.protocols.release.p_value import two_sided_p

NO_SAMPLES = "there are no samples"
UNDEFINED, WITHHELD = "undefined", "withheld"
"""Words in place of a number: for one that does not exist, and for one that is kept back."""
NO_WIDTH = ", no width"


class ValueKind(StrEnum):
    """What a statistic releases."""

    SCALAR = "scalar"
    INTERVAL = "interval"
    TEST = "test"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(ABC):
    """One released value.

    Where there is no number because there is none, `undefined` says why; where there is none
    because a least count keeps it back, `withheld` says which.
    """

    kind: ClassVar[ValueKind]
    undefined: str = ""
    withheld: str = ""

    def to_json(self) -> dict[str, object]:
        """The value's entry in a result document; both reasons are null where there is a value."""
        reasons = {"undefined": self.undefined or None, "withheld": self.withheld or None}
        return {"kind": str(self.kind), **self.numbers(), **reasons}

    @property
    def missing(self) -> str:
        """Why there is no number at all, with the word for it; empty where there is one."""
        return "; ".join(self.reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why there is no number, or why cells of a table have none."""
        both = ((UNDEFINED, self.undefined), (WITHHELD, self.withheld))
        return tuple(f"{word}: {why}" for word, why in both if why)

    @abstractmethod
    def numbers(self) -> dict[str, object]:
        """The numbers of this kind by name, null where undefined."""

    @abstractmethod
    def text(self) -> str:
        """The numbers in one line, where there are any."""

    def __str__(self) -> str:
        return self.missing or self.text()


@dataclass(frozen=True, slots=True)
class Scalar(Released):
    """One number, with the scale of its noise where it has some of a public scale.

    >>> str(Scalar("0.8250")), str(Scalar(undefined="a class is missing"))
    ('0.8250', 'undefined: a class is missing')
    """

    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    value: str | None = None
    noise: str | None = None

    def numbers(self) -> dict[str, object]:
        noise = {} if self.noise is None else {"noise": self.noise}
        return {"value": self.value, **noise}

    def text(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Interval(Released):
    """A number with the limits around it, and the test statistic where there is one.

    `skipped` is the number of folds without a value, where those are left out. `note` says what the
    limits do not: that they are one number, and what to take instead.

    >>> str(Interval("0.81", "0.74", "0.88"))
    '0.81 (0.74 to 0.88)'
    >>> str(Interval("0.09", "0.01", "0.17", z="2.209"))
    '0.09 (0.01 to 0.17), z 2.209, p 0.02717'
    """

    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    value: str | None = None
    lower: str | None = None
    upper: str | None = None
    z: str | None = None
    skipped: int | None = None
    note: str | None = None

    @property
    def p(self) -> str | None:
        """The two-sided p-value of z as it is released, from which it follows: it tells no more."""
        return None if self.z is None else two_sided_p(self.z)

    def numbers(self) -> dict[str, object]:
        limits: dict[str, object] = {"value": self.value, "lower": self.lower, "upper": self.upper}
        beside = {"z": self.z, "p": self.p, "skipped": self.skipped, "note": self.note}
        return limits | {name: one for name, one in beside.items() if one is not None}

    def text(self) -> str:
        z = "" if self.z is None else f", z {self.z}, p {self.p}"
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
    """Rows of numbers under named columns; a cell without one is None or `WITHHELD`.

    Where cells are undefined or withheld, `undefined` and `withheld` say why. Without rows they say
    why there are none.

    >>> rows = (("0.5", "0.71"), ("0.9", None))
    >>> str(Table(("threshold", "ppv"), rows, undefined="nobody is called positive"))
    'threshold 0.5, ppv 0.71; threshold 0.9, ppv undefined; undefined: nobody is called positive'
    """

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()

    @property
    def missing(self) -> str:
        return "" if self.rows else "; ".join(self.reasons)

    def numbers(self) -> dict[str, object]:
        rows = [list(row) for row in self.rows] if self.rows else None
        return {"columns": list(self.columns), "rows": rows}

    def text(self) -> str:
        rows = (
            ", ".join(
                f"{column} {UNDEFINED if cell is None else cell}"
                for column, cell in zip(self.columns, row, strict=True)
            )
            for row in self.rows
        )
        return "; ".join((*rows, *self.reasons))
