"""An owner's own number with its limits, as readers are to see it: made and rounded by the owner.

Where a study asks for it (`OwnValue`), each owner uploads four words more:

    shown     1 if its site lets its own value be shown and it has `least_class` samples of each
              class, else 0
    value, lower, upper     the number and its limits in the words in which they are released, or
              those of undefined numbers where it has no estimate; 0 where it shows none

The value is the AUROC or O/E of the rows, or their calibration slope, rounded once; the limits are
θ ± z·√v on the scale of the summaries (`ppaurora.protocols.lists.site_estimate`), taken back from
there: as forest plots have them. Nothing is compared across sites, so that all that is left to find
on shares is whether rows may be opened. An owner that states its bit wrongly exposes itself alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.lists.site_estimate import (
    DIGITS,
    POINT_BITS,
    VARIANCE_BITS,
    SiteEstimate,
)
from ppaurora.protocols.lists.within_site import OwnRows, SiteNumber
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.random_effects import antilogarithm, logistic

NUMBERS = 3


@dataclass(frozen=True, slots=True)
class OwnValue:
    """The number of each owner that a study shows, and how it is released."""

    number: SiteNumber
    level: Fraction
    least_class: int
    within: PublicRange

    @property
    def words(self) -> int:
        """The number of its words."""
        return 1 + NUMBERS

    def limits(self, decimals: int) -> list[int]:
        """The largest words."""
        return [1, *[self.within.missing(decimals)] * NUMBERS]

    def of(self, rows: OwnRows, decimals: int, *, shows: bool) -> list[int]:
        """The words of an owner that lets its number be shown, or does not."""
        if not shows or min(rows.P, rows.N) < self.least_class:
            return [0] * self.words
        estimate = self._estimate(rows)
        numbers: tuple[Fraction | None, ...] = (None,) * NUMBERS
        if estimate is not None:
            numbers = (self._value(rows, estimate), *self._beside(estimate))
        return [1, *(self.within.word(self._inside(one), decimals) for one in numbers)]

    def _estimate(self, rows: OwnRows) -> SiteEstimate | None:
        match self.number:
            case SiteNumber.AREA:
                return rows.logit_area
            case SiteNumber.RATIO:
                return rows.log_ratio
            case _:
                return rows.slope

    def _value(self, rows: OwnRows, estimate: SiteEstimate) -> Fraction:
        match self.number:
            case SiteNumber.AREA:
                return Fraction(rows.won, 2 * rows.P * rows.N)
            case SiteNumber.RATIO:
                return Fraction(rows.P) / rows.expected
            case _:
                return Fraction(estimate.θ, 1 << POINT_BITS)

    def _beside(self, estimate: SiteEstimate) -> tuple[Fraction, Fraction]:
        """θ ± z·√v, taken back from its scale."""
        with localcontext() as context:
            context.prec = DIGITS
            z = Decimal(scaled_quantile((1 - self.level) / 2, DIGITS)).scaleb(-DIGITS)
            half = z * (Decimal(estimate.v) / (1 << VARIANCE_BITS)).sqrt()
            θ = Decimal(estimate.θ) / (1 << POINT_BITS)
            return self._back(θ - half), self._back(θ + half)

    def _back(self, limit: Decimal) -> Fraction:
        match self.number:
            case SiteNumber.AREA:
                return Fraction(logistic(limit))
            case SiteNumber.RATIO:
                return Fraction(antilogarithm(limit, 10**self.within.tens))
            case _:
                return Fraction(limit)

    def _inside(self, number: Fraction | None) -> Fraction | None:
        if number is None:
            return None
        low, whole = Fraction(-self.within.shift), Fraction(10**self.within.tens)
        return min(max(number, low), low + whole)


class ShowsOwnValues:
    """A statistic that releases the owners' own numbers."""

    __slots__ = ()

    @property
    def own_value(self) -> OwnValue:
        """The number that each owner uploads."""
        raise NotImplementedError


def own_values(asked: Iterable[object]) -> tuple[OwnValue, ...]:
    """The numbers that the statistics of a study show, each once."""
    return tuple(dict.fromkeys(one.own_value for one in asked if isinstance(one, ShowsOwnValues)))
