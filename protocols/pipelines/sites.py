"""The pipeline of sites: each owner's own numbers, which are added or compared as they are.

An upload has the owner's two class counts and the numbers that the study's statistics ask for
(`ppaurora.protocols.lists.within_site`), as many words however long the list is. Nothing is sorted,
and no row of one owner is compared with a row of another. The proxies keep the numbers apart, owner
by owner; P·N of each takes one hop. Nobody learns anything.

Behind them stands what owners show as their own values (`ppaurora.protocols.lists.own_value`), each
by its site's policy: `showing` is the pipeline of an owner whose policy allows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self, TypeAlias

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import BoundExceeded, LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import HIGHER
from ppaurora.protocols.grid.sums import Sum, sums_of
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.own_slope import own_slope
from ppaurora.protocols.lists.own_value import OwnValue, own_values
from ppaurora.protocols.lists.scale import Scale, decode
from ppaurora.protocols.lists.site_estimate import MOST_SITES
from ppaurora.protocols.lists.verdicts import Findings
from ppaurora.protocols.lists.within_site import (
    COUNTS,
    OwnRows,
    SiteNumber,
    check_sites,
    check_sites_cost,
    numbers,
)
from ppaurora.protocols.pipelines.pipeline import (
    ANY_NUMBER,
    Choices,
    Inputs,
    OwnersNumbers,
    PhaseEstimate,
)

PAIRS_WITHIN = "pairs within sites"
"""A statistic may ask for P·N of each owner."""
MOST_SHOWN = 64
"""Owners of which own values are shown."""
Number: TypeAlias = SiteNumber | OwnValue


@dataclass(frozen=True, slots=True)
class PerSite:
    """For each owner its positives, its negatives, P·N, and the words of its numbers."""

    P: Shared
    N: Shared
    n: int
    numbers: Mapping[Number, tuple[Shared, ...]]
    products: Shared | None = None

    @property
    def PN(self) -> Shared:
        if self.products is None:
            raise LocalProtocolError("a statistic uses P·N of each site but did not ask for it")
        return self.products


@dataclass(frozen=True, slots=True, repr=False)
class PooledSites:
    """The same in the clear, for simulations and tests in one process."""

    P: tuple[int, ...]
    N: tuple[int, ...]
    numbers: Mapping[Number, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True, slots=True)
class Sites(OwnersNumbers[PerSite, PooledSites]):
    """Numbers of each owner's own rows."""

    name: ClassVar[str] = "sites"
    inputs: ClassVar[Inputs] = frozenset({*SiteNumber, PAIRS_WITHIN})
    of_groups: ClassVar[bool] = False
    scale: Scale
    asked: tuple[SiteNumber, ...]
    own: tuple[OwnValue, ...] = ()
    decimals: int = 0
    shows: bool = False

    @classmethod
    def of(cls, choices: Choices) -> Sites:
        asked = tuple(one for one in SiteNumber if one in choices.inputs)
        return cls(choices.scale, asked, own_values(choices.asked), choices.decimals)

    def showing(self, shows: bool) -> Self:
        return replace(self, shows=shows)

    @property
    def every(self) -> tuple[Number, ...]:
        """The numbers of an upload, in their order."""
        return (*self.asked, *self.own)

    @property
    def sound(self) -> str:
        return (
            "of class counts that add up to the stated number of samples, and numbers that such "
            "a list can have"
        )

    def upload(self, keys: Sequence[Words]) -> Words:
        expected, slope = Fraction(0), None
        needed = {*self.asked, *(one.number for one in self.own)}
        if {SiteNumber.RATIO, SiteNumber.SLOPE}.intersection(needed):
            scores, labels = decode(keys[0], self.scale)
            higher = self.scale.direction == HIGHER
        if SiteNumber.RATIO in needed:
            parts = np.zeros(len(scores), np.int64)
            [expected] = sums_of(Sum.SCORES, scores, labels, parts, 1, higher)
        if SiteNumber.SLOPE in needed:
            slope = own_slope(scores, labels, higher)
        rows = OwnRows.of(keys[0], expected, slope)
        words = [rows.P, rows.N, *(word for one in self.asked for word in numbers(one, rows))]
        for shown in self.own:
            words += shown.of(rows, self.decimals, shows=self.shows)
        return np.array(words, np.uint64)

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words(COUNTS + sum(one.words for one in self.every))

    def places(self, samples: int) -> int:
        return self.words(samples)

    def vectors(self, sizes: Sequence[int], group: str = "") -> tuple[int, ...]:
        return (len(sizes),)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return concatenate(upload[:1] for upload in uploads)

    @property
    def most_uploads(self) -> int:
        if self.own:
            return MOST_SHOWN
        return MOST_SITES if any(one.estimates for one in self.asked) else ANY_NUMBER

    @property
    def _largest(self) -> list[int]:
        """The largest words of the values that owners show."""
        return [word for one in self.own for word in one.limits(self.decimals)]

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        most = self.most_uploads
        if len(uploads) > most:
            done = "shown" if self.own else "summed up"
            raise BoundExceeded(
                f"estimates of {len(uploads)} uploads, of which {most} can be {done}",
                advice="Leave the metric out, or let owners join their lists.",
            )
        return check_sites(party, uploads, sizes, self.asked, self._largest)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_sites_cost(len(sizes), self.asked, len(self._largest))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> PerSite:
        columns = [
            concatenate(upload[place : place + 1] for upload in uploads)
            for place in range(self.words(0))
        ]
        P, N, *words = columns
        found: dict[Number, tuple[Shared, ...]] = {}
        rest = iter(words)
        for one in self.every:
            found[one] = tuple(next(rest) for _ in range(one.words))
        products = None
        if PAIRS_WITHIN in inputs:
            with party.phase(PAIRS_WITHIN):
                products = multiply(party, P, N)
        return PerSite(P, N, sum(sizes), found, products)

    def at_hand(self) -> Self | None:
        return self

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledSites:
        rows = [upload.tolist() for upload in uploads]
        found: dict[Number, tuple[tuple[int, ...], ...]] = {}
        start = COUNTS
        for one in self.every:
            end = start + one.words
            found[one] = tuple(tuple(row[start:end]) for row in rows)
            start = end
        return PooledSites(tuple(row[0] for row in rows), tuple(row[1] for row in rows), found)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        if PAIRS_WITHIN not in inputs:
            return ()
        return (PhaseEstimate(PAIRS_WITHIN, multiply.cost().of(len(sizes))),)
