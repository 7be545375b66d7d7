"""Rows that cannot be used, gathered by column and kind, and told together.

A message names the source, the column, the data row and, for a text, the line of the file. It
never repeats a score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError

SHOWN_ROWS = 5
CORRECT = "Correct or remove what is faulty there, then try again."


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault in the singular, as in "no score", and what to do about it."""

    what: str
    advice: str = CORRECT


@dataclass(slots=True)
class Found:
    """The number of faults of one kind in one column, and the first of their rows."""

    count: int = 0
    rows: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)


class Faults:
    """The faults of one source; `line_of` gives the line for a record's offset in the file."""

    def __init__(self, source: str, line_of: Callable[[int], int] | None = None) -> None:
        self._source = source
        self._line_of = line_of
        self._found: dict[tuple[str, FaultKind], Found] = {}

    def add(
        self,
        column: str,
        kind: FaultKind,
        faulty: NDArray[np.bool_],
        *,
        before: int = 0,
        offsets: NDArray[np.int64] | None = None,
    ) -> None:
        """Count the marked rows, the first of which is data row `before` + 1."""
        places = np.flatnonzero(faulty)
        if not places.size:
            return
        faults = self._found.setdefault((column, kind), Found())
        faults.count += places.size
        shown = places[: SHOWN_ROWS - len(faults.rows)]
        faults.rows += (shown + before + 1).tolist()
        if offsets is not None:
            faults.offsets += offsets[shown].tolist()

    def add_count(self, column: str, kind: FaultKind, number: int) -> None:
        """Count rows whose places nobody knows."""
        self._found.setdefault((column, kind), Found()).count += number

    def refuse(self, hint: Callable[[FaultKind], str] = lambda _: "") -> None:
        """Raise if there is any fault; `hint` adds words to a kind."""
        if not self._found:
            return
        column, first = next(iter(self._found))
        sentences = [
            f"{kind.what} in {self._place(faults)}{hint(kind)}"
            for (name, kind), faults in self._found.items()
            if name == column
        ]
        raise DataError(
            f'{self._source}, column "{column}": {"; ".join(sentences)}', advice=first.advice
        )

    def _place(self, faults: Found) -> str:
        rows = _listing("row", faults.rows)
        if not faults.rows:
            return f"{faults.count} row{'s' if faults.count > 1 else ''}"
        if faults.count > SHOWN_ROWS:
            rows = f"{faults.count} rows, the first {rows.partition(' ')[2]}"
        if self._line_of is None or not faults.offsets:
            return rows
        return f"{rows} ({_listing('line', [self._line_of(offset) for offset in faults.offsets])})"


def _listing(word: str, numbers: list[int]) -> str:
    return f"{word}{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
