"""Numbers that an owner computes of its own rows alone: nothing is compared across sites.

With P positives and N negatives of one owner, in the clear there,

    won     2·U, U the pairs of a positive and a negative that are in order, ties counted half,
    spread  (P·N)²·Var A of A = U/(P·N), with DeLong's variance; of a class of a single sample,
            which has none, with A·(1 - A), the most that the variance of such an A can be,
    area    the logit of A with the variance that DeLong's gives it, by the delta method,
    ratio   ln O/E of the O = P positives and the E = Σ f that the scores make expect, with the
            variance (1 - O/n)/O,
    slope   the calibration slope with the variance of its standard error, by logistic regression
            on the logits of the scores (`ppaurora.protocols.lists.own_slope`).

A number is one word or several, each between 0 and a limit that follows from the public size of
the list; 2·U is at most 2·P·N, too. So a number of a size that no list has is found; an owner that
means to give another one of the right size can.

`check_sites` counts what no list has: a count or a word below 0 or above its limit, counts that do
not add up to the stated size, more pairs won than there are. Counts between 0 and the size have
exact products and totals, and words below 2^63 exact differences, so that where a sign is wrong
another fault is found. Nobody learns anything. Five hops: a product of the counts, then two
comparisons for each word and three for counts and pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists import site_estimate
from ppaurora.protocols.lists.site_estimate import SiteEstimate
from ppaurora.protocols.lists.verdicts import Findings, check_negatives, check_negatives_cost

Numbers: TypeAlias = "NDArray[np.int64]"
SPREAD_BITS, SPREAD_WORDS = 60, 3
"""Behind the point of a spread, and of each of its words, the high one first."""
SPREAD_MASK = (1 << SPREAD_BITS) - 1
HALF_BITS = 31
HALF = (1 << HALF_BITS) - 1
COUNTS = 2
"""The words before the numbers: P and N."""


class SiteNumber(StrEnum):
    """A number of one owner's rows that a statistic may ask for."""

    WON = "pairs won within the site"
    SPREAD = "variance of the pairs won within the site"
    AREA = "logit of the site's AUROC"
    RATIO = "logarithm of the site's observed over expected positives"
    SLOPE = "calibration slope of the site"

    @property
    def estimates(self) -> bool:
        """True of an estimate with its variance (`ppaurora.protocols.lists.site_estimate`)."""
        return self in (SiteNumber.AREA, SiteNumber.RATIO, SiteNumber.SLOPE)

    @property
    def words(self) -> int:
        """The number of its words."""
        return {SiteNumber.WON: 1, SiteNumber.SPREAD: SPREAD_WORDS}.get(self, site_estimate.WORDS)


@dataclass(frozen=True, slots=True, repr=False)
class OwnRows:
    """The rows of one owner in the clear: positives and negatives of each score, lowest first."""

    positives: Numbers
    negatives: Numbers
    expected: Fraction = Fraction(0)
    """Σ f, where it is asked for."""
    slope: SiteEstimate | None = None
    """The calibration slope, where it is asked for and there is one."""

    @classmethod
    def of(
        cls, keys: Words, expected: Fraction = Fraction(0), slope: SiteEstimate | None = None
    ) -> OwnRows:
        """The rows of these keys, 2·code + label, in any order.

        >>> OwnRows.of(np.array([7, 2, 6, 2], np.uint64)).won
        5
        """
        ordered = np.sort(keys)
        codes = ordered >> np.uint64(1)
        first = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]][: codes.size])
        ones = np.r_[0, np.cumsum((ordered & np.uint64(1)).astype(np.int64))]
        ends = np.r_[first[1:], codes.size][: first.size]
        positives = ones[ends] - ones[first]
        return cls(positives, ends - first - positives, expected, slope)

    @property
    def P(self) -> int:
        """The number of positives."""
        return int(self.positives.sum())

    @property
    def N(self) -> int:
        """The number of negatives."""
        return int(self.negatives.sum())

    @property
    def won(self) -> int:
        """2·U."""
        below = np.cumsum(self.negatives) - self.negatives
        return int((self.positives * (2 * below + self.negatives)).sum())

    @property
    def variance(self) -> Fraction | None:
        """DeLong's variance of the AUROC; None where a class has fewer than two samples.

        With the placements a = 2·#below + #tied - N of a positive among the negatives, and
        b = 2·#above + #tied - P of a negative among the positives, W = Σ b, A2 = Σ a² and B2 = Σ b²
        it is

            ((N - 1)·(P·A2 - W²) + (P - 1)·(N·B2 - W²)) / (4·P²·N²·(P - 1)·(N - 1)).
        """
        P, N = self.P, self.N
        if P < 2 or N < 2:
            return None
        a = 2 * np.cumsum(self.negatives) - self.negatives - N
        b = P - 2 * np.cumsum(self.positives) + self.positives
        W, A2, B2 = self.won - P * N, _squares(self.positives, a), _squares(self.negatives, b)
        spread = (N - 1) * (P * A2 - W * W) + (P - 1) * (N * B2 - W * W)
        return Fraction(spread, 4 * (P * N) ** 2 * (P - 1) * (N - 1))

    @property
    def spread(self) -> Fraction:
        """(P·N)² times the variance; 0 where a class is missing."""
        pairs = self.P * self.N
        if self.variance is None:
            return Fraction(self.won * (2 * pairs - self.won), 4)
        return self.variance * pairs**2

    @property
    def logit_area(self) -> SiteEstimate | None:
        """The logit of the AUROC; None where it is infinite, or has no variance or one of 0."""
        if self.variance is None:
            return None
        return site_estimate.logit(Fraction(self.won, 2 * self.P * self.N), self.variance)

    @property
    def log_ratio(self) -> SiteEstimate | None:
        """ln O/E; None where it is infinite, or all rows are positive."""
        return site_estimate.log_ratio(self.P, self.P + self.N, self.expected)


def _squares(counts: Numbers, values: Numbers) -> int:
    """Σ count·value² of values below 2^31, in two halves of the squares."""
    squares = values * values
    high, low = ((counts * half).sum() for half in (squares >> HALF_BITS, squares & HALF))
    return (int(high) << HALF_BITS) + int(low)


def numbers(which: SiteNumber, rows: OwnRows) -> list[int]:
    """The words of a number."""
    match which:
        case SiteNumber.WON:
            return [rows.won]
        case SiteNumber.SPREAD:
            scaled = round(rows.spread * (1 << SPREAD_BITS))
            return [
                scaled >> 2 * SPREAD_BITS,
                scaled >> SPREAD_BITS & SPREAD_MASK,
                scaled & SPREAD_MASK,
            ]
        case SiteNumber.AREA:
            return site_estimate.to_words(rows.logit_area)
        case SiteNumber.RATIO:
            return site_estimate.to_words(rows.log_ratio)
        case SiteNumber.SLOPE:
            return site_estimate.to_words(rows.slope)


def limits(which: SiteNumber, size: int) -> list[int]:
    """The largest words of a number of `size` rows."""
    # P·N <= n²/4
    pairs = size * size // 4
    match which:
        case SiteNumber.WON:
            return [2 * pairs]
        case SiteNumber.SPREAD:
            # no variance of a number between 0 and 1 is above 1
            most = pairs * pairs
            return [most >> SPREAD_BITS, min(most, SPREAD_MASK), SPREAD_MASK]
        case SiteNumber.AREA | SiteNumber.RATIO | SiteNumber.SLOPE:
            return site_estimate.limits()


def check_sites(
    party: Party,
    uploads: Sequence[Shared],
    sizes: Sequence[int],
    asked: Sequence[SiteNumber],
    more: Sequence[int] = (),
) -> Findings:
    """The findings on uploads of P, N and the words of the numbers asked for.

    `more` are the largest words of what stands behind these.
    """
    wanted = [room(upload, size, asked, more) for upload, size in zip(uploads, sizes, strict=True)]
    if SiteNumber.WON in asked:
        at = COUNTS + sum(one.words for one in asked[: asked.index(SiteNumber.WON)])
        P, N, won = (concatenate(one[k : k + 1] for one in uploads) for k in (0, 1, at))
        lost = multiply(party, P, N) * 2 - won
        wanted = [concatenate([own, lost[place : place + 1]]) for place, own in enumerate(wanted)]
    return check_negatives(party, wanted)


def check_sites_cost(uploads: int, asked: Sequence[SiteNumber], more: int = 0) -> Cost:
    """The cost of `check_sites` for so many uploads, with so many words more in each."""
    words = COUNTS + sum(one.words for one in asked) + more
    if SiteNumber.WON in asked:
        return multiply.cost().of(uploads) + check_negatives_cost([2 * words + 3] * uploads)
    return check_negatives_cost([2 * words + 2] * uploads)


def room(
    upload: Shared, size: int, asked: Sequence[SiteNumber], more: Sequence[int] = ()
) -> Shared:
    """The numbers of an upload of `size` rows that must not be negative."""
    total = upload[:COUNTS].sum()
    most = [size, size, *(word for one in asked for word in limits(one, size)), *more]
    return concatenate([upload, -upload + np.array(most, np.uint64), total - size, -total + size])
