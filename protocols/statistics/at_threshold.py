"""Tables of rates at thresholds that a study names: `at=0.25/0.5`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.rates_at_cuts import RatesAtCuts

AT = (
    "the thresholds in the owners' own scores, with a slash between them, each between two bins of "
    "the grid: called positive is a score of that or higher, and with direction lower one of that "
    "or lower"
)


@dataclass(frozen=True, slots=True)
class AtThreshold(Cutting):
    """What is read at the thresholds of `at`."""

    at: tuple[Fraction, ...] = number(AT, closed=False, several=True)

    def thresholds(self) -> Sequence[Fraction]:
        return self.at


class OfCounts(AtThreshold, RatesAtCuts):
    """Rates that are linear in the counts, so that they take no message."""

    __slots__ = ()

    def rates_cost(self, count: int) -> Cost:
        return Cost()


def rate(part: int, whole: int) -> list[Fraction | None]:
    """One column's rate: undefined where the whole is empty."""
    return [Fraction(part, whole) if whole else None]
