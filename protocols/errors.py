"""What the protocols refuse: data that a code cannot hold, and options that make no sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppaurora.mpc.errors import AuroraError

SHOWN_ROWS = 5


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault in one column: how often it occurs, and in which data rows first."""

    column: str
    what: str
    count: int
    rows: tuple[int, ...]

    def __str__(self) -> str:
        rows = ", ".join(map(str, self.rows))
        more = ", ..." if self.count > len(self.rows) else ""
        one = self.count == 1
        return (
            f"{self.count} {self.column}{'' if one else 's'} {'is' if one else 'are'} {self.what} "
            f"(data row{'' if one else 's'} {rows}{more})"
        )


class DataRefused(AuroraError):
    """A list cannot be encoded exactly; `faults` names every kind of fault with its data rows.

    Data rows are counted from 1. The text never holds a score or a label.
    """

    def __init__(self, what: str, *, faults: Sequence[Fault] = (), advice: str = "") -> None:
        super().__init__("; ".join([what, *map(str, faults)]), advice=advice)
        self.faults = tuple(faults)

    @property
    def column(self) -> str:
        """The column of the first fault."""
        return self.faults[0].column if self.faults else ""

    @property
    def row(self) -> int | None:
        """The data row of the first fault."""
        return self.faults[0].rows[0] if self.faults else None


class OptionRefused(AuroraError):
    """An option of the study that does not exist, or does not go with the others."""

    def __init__(self, option: str, what: str, *, advice: str = "") -> None:
        super().__init__(f"{option} {what}", advice=advice)
        self.option = option
