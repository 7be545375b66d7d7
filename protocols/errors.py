"""Errors of the protocols: data that the encoding cannot represent, options that make no sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import AuroraError, RemoteProtocolError

SHOWN_ROWS = 5


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault in one column: how often it occurs, and in which data rows first.

    Data rows are counted from 1, below the header if there is one.
    """

    column: str
    what: str
    count: int
    rows: tuple[int, ...]

    @classmethod
    def found(cls, column: str, what: str, faulty: NDArray[np.bool_]) -> Self | None:
        """The fault of the rows that are marked; None where no row is."""
        rows = np.flatnonzero(faulty)
        first = tuple(int(row) + 1 for row in rows[:SHOWN_ROWS])
        return cls(column, what, rows.size, first) if rows.size else None

    @property
    def where(self) -> str:
        """The rows in words: all of them, or how many there are and the first few."""
        rows = ", ".join(map(str, self.rows))
        if self.count == 1:
            return f"row {rows}"
        if self.count == len(self.rows):
            return f"rows {rows}"
        return f"{self.count} rows, the first {rows}"

    def __str__(self) -> str:
        return f"a {self.column} is {self.what} in {self.where}"


class DataRefused(AuroraError):
    """A list cannot be encoded exactly; `faults` names every kind of fault with its data rows.

    The text never holds a score or a label.
    """

    def __init__(self, what: str, *, faults: Sequence[Fault] = (), advice: str = "") -> None:
        super().__init__("; ".join([what, *map(str, faults)]), advice=advice)
        self.faults = tuple(faults)
        self._where = what

    def in_source(self, kept: NDArray[np.bool_] | None) -> DataRefused:
        """The same with the rows as the source counts them, of which only these are in the list."""
        if kept is None:
            return self
        rows = np.flatnonzero(kept) + 1
        faults = [
            replace(fault, rows=tuple(int(rows[row - 1]) for row in fault.rows))
            for fault in self.faults
        ]
        return DataRefused(self._where, faults=faults, advice=self.advice)

    @property
    def column(self) -> str:
        """The column of the first fault."""
        return self.faults[0].column if self.faults else ""

    @property
    def row(self) -> int | None:
        """The data row of the first fault."""
        return self.faults[0].rows[0] if self.faults else None


class ShareRefused(RemoteProtocolError):
    """Bytes that are not a share of a list of the length that was told."""


class OptionRefused(AuroraError):
    """An option of the study that does not exist, or does not go with the others."""

    def __init__(self, option: str, what: str, *, advice: str = "") -> None:
        super().__init__(f"{option} {what}", advice=advice)
        self.option = option


class ListsRefused(AuroraError):
    """A covert computation stops where lists are not sound: `refused` are the indices of uploads.

    What the helper had committed to deal is for all of them. An owner's list may be at fault, or a
    server that cheats, in one run: so nobody may leave the lists out because of this error alone,
    and it stops a study as a difference between its runs does.
    """

    def __init__(self, refused: Sequence[int]) -> None:
        which = ", ".join(str(index + 1) for index in refused)
        super().__init__(
            f"the uploads {which}, counted from 1, are not sound",
            advice="Have their owners look at them and send them again. If that does not help, "
            "one of the servers may be at fault.",
        )
        self.refused = tuple(refused)
