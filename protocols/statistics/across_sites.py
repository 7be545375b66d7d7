"""Random-effects summaries across sites: what such statistics share.

Each owner shares its own estimate with its variance, and the servers find the mean over sites, its
interval and a prediction interval, for what a next hospital would have
(`ppaurora.protocols.ranking.random_effects`). Owners without an estimate are left out, and the
receivers learn how many these are. One row is released:

    the mean, lower and upper limit, lower and upper prediction limit, owners left out,

and with heterogeneity=true τ² and I². Of fewer than five estimates nothing is released but that.

What owners can solve for. On the scale of the summary the limits lie evenly around the mean, so the
default releases three numbers, of which τ² follows. Each owner has two that others do not know, θ
and v: one of five owners has three equations for eight unknowns, and finds the estimate of nobody.
All owners but one have three for two, and learn the last one's θ and v; those who know all v, or
guess them from class counts, can find up to three estimates. I² is a fourth equation where v are
not known: all owners but two then learn the others' θ and v. The attacks stand as tests in
tests/protocols/statistics/test_across_sites.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, wide_divide
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.lists.site_estimate import (
    MOST_SITES,
    POINT_BITS,
    VARIANCE_BITS,
    from_words,
)
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.sites import PerSite, PooledSites, Sites
from ppaurora.protocols.ranking.random_effects import (
    BETWEEN_BITS,
    BETWEEN_TENS,
    LEAST_SITES,
    SQUARE_BITS,
    SUM_BITS,
    SiteEstimates,
    Summary,
    summary,
    summary_cost,
)
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.random_effects import pooled_summary
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic, Topic

MOST_DECIMALS = 8
LIMITS = 5
BESIDE = ("lower", "upper", "prediction_lower", "prediction_upper")
LEFT_OUT = "left_out"
HETEROGENEITY = ("tau2", "i2")
VARIANCE = PublicRange(tens=4)
"""Of τ², which is at most 2^13."""
SHARE = PublicRange()
"""Of I²."""


class AcrossSites(Statistic[PerSite, PooledSites]):
    """A table of one row; the columns that an instance adds say what it is the mean of."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TABLE
    topic: ClassVar[Topic] = Topic.SITES
    pipeline: ClassVar[type[Sites]] = Sites
    fewest_owners: ClassVar[int] = LEAST_SITES
    estimate: ClassVar[SiteNumber]
    """The number that each owner shares."""
    mean: ClassVar[str]
    """The name of the mean's column."""
    within: ClassVar[PublicRange] = PublicRange()
    """The range of the mean and its limits, as they are released."""
    level: Fraction
    heterogeneity: bool

    @abstractmethod
    def back(self, party: Party, limits: WideShared, decimals: int) -> Shared:
        """The words of the mean and its limits, from the scale of the summary."""

    @abstractmethod
    def back_cost(self, decimals: int) -> Cost:
        """The cost of `back`."""

    @abstractmethod
    def back_plaintext(self, limit: Decimal) -> Fraction:
        """The same of one number in the clear."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the released numbers."""
        more = HETEROGENEITY if self.heterogeneity else ()
        return (self.mean, *BESIDE, *more, LEFT_OUT)

    @property
    def ranges(self) -> tuple[PublicRange, ...]:
        """The ranges of all but the last of them, which is a count."""
        more = (VARIANCE, SHARE) if self.heterogeneity else ()
        return (*[self.within] * LIMITS, *more)

    @property
    def tail(self) -> Fraction:
        return (1 - self.level) / 2

    def private(self, party: Party, data: PerSite, decimals: int) -> Shared:
        words = data.numbers[self.estimate]
        found = summary(party, SiteEstimates(*words), self.tail)
        programs: list[Callable[[Party], Shared]] = [
            lambda own: self.back(own, found.limits, decimals)
        ]
        if self.heterogeneity:
            programs += [
                lambda own: _between(own, found, decimals),
                lambda own: _inconsistency(own, found, decimals),
            ]
        # a count travels as one more than it is
        left_out = 1 + len(words[0]) - found.sites
        released = concatenate([*side_by_side(party, programs), left_out])
        missing = [*(one.missing(decimals) for one in self.ranges), 0]
        return released + multiply(
            party, -released + Shared.public(party.role, missing), found.few.repeat(len(released))
        )

    def cost(self, n: int, decimals: int) -> Cost:
        released = self.back_cost(decimals)
        if self.heterogeneity:
            released = released | _between_cost(decimals) | _inconsistency_cost(decimals)
        return summary_cost(n) + released + multiply.cost().of(self.words(decimals))

    def plaintext_words(self, data: PooledSites, decimals: int) -> Sequence[int]:
        found = [from_words(words) for words in data.numbers[self.estimate]]
        there = [one for one in found if one is not None]
        if len(there) < LEAST_SITES:
            return [*(one.missing(decimals) for one in self.ranges), 0]
        pooled = pooled_summary(
            [Decimal(one.θ) / (1 << POINT_BITS) for one in there],
            [Decimal(one.v) / (1 << VARIANCE_BITS) for one in there],
            self.tail,
        )
        numbers = [self.back_plaintext(limit) for limit in pooled.limits]
        if self.heterogeneity:
            numbers += [Fraction(pooled.between), Fraction(pooled.inconsistency)]
        words = [
            one.word(number, decimals) for one, number in zip(self.ranges, numbers, strict=True)
        ]
        return [*words, 1 + len(found) - len(there)]

    def words(self, decimals: int) -> int:
        return len(self.columns)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        *numbers, left_out = words
        cells = [
            one.text(self.text, word, decimals)
            for one, word in zip(self.ranges, numbers, strict=True)
        ]
        if left_out == 0 and all(cell is None for cell in cells):
            return Table(self.columns, undefined=self.undefined)
        if None in cells or not 1 <= left_out <= MOST_SITES:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Table(self.columns, ((*cells, str(left_out - 1)),))

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n == 0 or decimals <= MOST_DECIMALS

    def label_digits(self, decimals: int) -> int:
        return len(self.ranges) * decimals

    def leaks(self, decimals: int) -> str:
        numbers, others = ("four", "two") if self.heterogeneity else ("three", "one")
        return (
            f"the released decimals, which come to {numbers} numbers, and how many owners have no "
            "estimate; one owner alone cannot solve them for another's estimate; all owners but "
            f"{others} together can for what is missing, with its standard error, and all but "
            "three if they know the standard errors; and whether the metric is undefined: "
            f"{self.undefined}"
        )


def _between(party: Party, found: Summary, decimals: int) -> Shared:
    """τ², rounded."""
    whole = 10**VARIANCE.tens << BETWEEN_BITS
    return wide_divide(
        party,
        found.between,
        WideShared.public(party.role, [whole]),
        digits=decimals + VARIANCE.tens,
        bound=whole,
    )


def _between_cost(decimals: int) -> Cost:
    whole = 10**VARIANCE.tens << BETWEEN_BITS
    return wide_divide.cost(digits=decimals + VARIANCE.tens, bound=whole).of(1)


def _inconsistency(party: Party, found: Summary, decimals: int) -> Shared:
    """I², rounded; 0 where Q is 0. One unit of 2^-164 more in the denominator changes no digit."""
    return wide_divide(
        party, found.beyond, found.about + 1, digits=decimals, bound=_largest_about()
    )


def _inconsistency_cost(decimals: int) -> Cost:
    return wide_divide.cost(digits=decimals, bound=_largest_about()).of(1)


def _largest_about() -> int:
    return 1 << 2 * SUM_BITS + SQUARE_BITS + BETWEEN_TENS
