"""Released values as receivers read them: four kinds of value, numbers as decimal texts.

A released word is shown with exactly the decimals that the study asked for. With a released test
statistic z goes p = 2·Φ(-|z|) to four significant digits, which tells no more than z: the last
decimal of z moves p by at most 0.0004, so a program that rounds z less may print another p.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import ClassVar

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.arithmetic.normal import density_and_tails

SIGNIFICANT, DIGITS = 4, 20
LEAST = Decimal("0.0001")
FARTHEST = Decimal(4)
"""Beyond it p is below `LEAST`."""


def two_sided_p(z: str) -> str:
    """The p-value of a z that is written as a number, or as "at least 100", "at most -100".

    >>> two_sided_p("1.960"), two_sided_p("-0.003"), two_sided_p("at least 100")
    ('0.05000', '0.9976', 'less than 0.0001')
    """
    size = abs(Decimal(z.split()[-1]))
    return p_text(2 * density_and_tails(size, DIGITS)[2] if size < FARTHEST else Decimal(0))


def p_text(p: Decimal) -> str:
    """A p-value to four significant digits.

    >>> p_text(Decimal("0.05")), p_text(Decimal("0.99998")), p_text(Decimal("0.00001"))
    ('0.05000', '1.000', 'less than 0.0001')
    """
    if p < LEAST:
        return f"less than {LEAST}"
    found = p
    # rounding up may make one digit more
    for _ in range(2):
        last = Decimal(1).scaleb(found.adjusted() - SIGNIFICANT + 1)
        found = p.quantize(last, ROUND_HALF_UP)
    return f"{found:f}"


Z_TENS = 2
"""A z of 10^2 or more is told as that."""


def z_text(z: int, decimals: int) -> str:
    """A z in units of its last decimal.

    >>> z_text(-1960, 3), z_text(100_000, 3)
    ('-1.960', 'at least 100')
    """
    if abs(z) == 10 ** (decimals + Z_TENS):
        return "at least 100" if z > 0 else "at most -100"
    return signed_text(z, decimals)


NO_SAMPLES = "there are no samples"
NO_WEIGHT = "no sample counts"
UNDEFINED, WITHHELD = "undefined", "withheld"
"""Words in place of a number: for one that does not exist, and for one that is kept back."""
NO_WIDTH = ", no width"


class ValueKind(StrEnum):
    """The kind of value that a statistic releases."""

    SCALAR = "scalar"
    INTERVAL = "interval"
    TEST = "test"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Released(ABC):
    """One released value.

    Where there is no number because there is none, `undefined` says why; where there is none
    because the least cell of the study keeps it back, `withheld` says which.
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
        """The reason why there is no number at all, with the word for it; empty if there is one."""
        return "; ".join(self.reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why there is no number, or why cells of a table have none."""
        both = ((UNDEFINED, self.undefined), (WITHHELD, self.withheld))
        return tuple(f"{word}: {why}" for word, why in both if why)

    @abstractmethod
    def numbers(self) -> dict[str, object]:
        """The numbers of this kind by name, null where undefined."""

    @abstractmethod
    def text(self) -> str:
        """The released numbers in one line; only where none is missing."""

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


def decimal_text(word: int, decimals: int) -> str:
    """word·10^-decimals, with all its decimals.

    >>> decimal_text(8250, 4), decimal_text(10_000, 4), decimal_text(7, 1)
    ('0.8250', '1.0000', '0.7')
    """
    scale = 10**decimals
    return f"{word // scale}.{word % scale:0{decimals}d}"


def signed_text(number: int, decimals: int) -> str:
    """number·10^-decimals, which may be negative, with all its decimals.

    >>> signed_text(-8250, 4), signed_text(0, 2)
    ('-0.8250', '0.00')
    """
    return "-" * (number < 0) + decimal_text(abs(number), decimals)


def ratio_text(name: str, word: int, decimals: int) -> str | None:
    """The text of a ratio between 0 and 1, None where it is undefined.

    Any other word comes of no division and is refused: the two shares are of different runs.

    >>> ratio_text("auroc", 8250, 4), ratio_text("auroc", undefined(4), 4)
    ('0.8250', None)
    """
    if word == undefined(decimals):
        return None
    if not 0 <= word <= 10**decimals:
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return decimal_text(word, decimals)
