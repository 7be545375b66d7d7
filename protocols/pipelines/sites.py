"""The pipeline of sites: each owner's own numbers, which are added or compared as they are.

An upload has the owner's two class counts and the numbers that the study's statistics ask for
(`ppaurora.protocols.lists.within_site`), as many words however long the list is. Nothing is sorted,
and no row of one owner is compared with a row of another. The proxies keep the numbers apart, owner
by owner; P·N of each takes one hop. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

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
    PhaseEstimate,
    Pipeline,
)

PAIRS_WITHIN = "pairs within sites"
"""A statistic may ask for P·N of each owner."""


@dataclass(frozen=True, slots=True)
class PerSite:
    """For each owner its positives, its negatives, P·N, and the words of its numbers."""

    P: Shared
    N: Shared
    n: int
    numbers: Mapping[SiteNumber, tuple[Shared, ...]]
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
    numbers: Mapping[SiteNumber, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True, slots=True)
class Sites(Pipeline[PerSite, PooledSites]):
    """Numbers of each owner's own rows."""

    name: ClassVar[str] = "sites"
    inputs: ClassVar[Inputs] = frozenset({*SiteNumber, PAIRS_WITHIN})
    sorts: ClassVar[bool] = False
    of_groups: ClassVar[bool] = False
    scale: Scale
    asked: tuple[SiteNumber, ...]

    @classmethod
    def of(cls, choices: Choices) -> Sites:
        return cls(choices.scale, tuple(one for one in SiteNumber if one in choices.inputs))

    @property
    def sound(self) -> str:
        return (
            "of class counts that add up to the stated number of samples, and numbers that such "
            "a list can have"
        )

    def upload(self, keys: Sequence[Words]) -> Words:
        expected, slope = Fraction(0), None
        if {SiteNumber.RATIO, SiteNumber.SLOPE}.intersection(self.asked):
            scores, labels = decode(keys[0], self.scale)
            higher = self.scale.direction == HIGHER
        if SiteNumber.RATIO in self.asked:
            parts = np.zeros(len(scores), np.int64)
            [expected] = sums_of(Sum.SCORES, scores, labels, parts, 1, higher)
        if SiteNumber.SLOPE in self.asked:
            slope = own_slope(scores, labels, higher)
        rows = OwnRows.of(keys[0], expected, slope)
        words = [rows.P, rows.N, *(word for one in self.asked for word in numbers(one, rows))]
        return np.array(words, np.uint64)

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words(COUNTS + sum(one.words for one in self.asked))

    def places(self, samples: int) -> int:
        return self.words(samples)

    def vectors(self, sizes: Sequence[int], group: str = "") -> tuple[int, ...]:
        return (len(sizes),)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return concatenate(upload[:1] for upload in uploads)

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return Cost()

    @property
    def most_uploads(self) -> int:
        return MOST_SITES if any(one.estimates for one in self.asked) else ANY_NUMBER

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        if len(uploads) > MOST_SITES and any(one.estimates for one in self.asked):
            raise BoundExceeded(
                f"estimates of {len(uploads)} uploads, of which {MOST_SITES} can be summed up",
                advice="Leave the summary out, or let owners join their lists.",
            )
        return check_sites(party, uploads, sizes, self.asked)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_sites_cost(len(sizes), self.asked)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> PerSite:
        columns = [
            concatenate(upload[place : place + 1] for upload in uploads)
            for place in range(self.words(0))
        ]
        P, N, *words = columns
        found, rest = {}, iter(words)
        for one in self.asked:
            found[one] = tuple(next(rest) for _ in range(one.words))
        products = None
        if PAIRS_WITHIN in inputs:
            with party.phase(PAIRS_WITHIN):
                products = multiply(party, P, N)
        return PerSite(P, N, sum(sizes), found, products)

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledSites:
        rows = [upload.tolist() for upload in uploads]
        found, start = {}, COUNTS
        for one in self.asked:
            end = start + one.words
            found[one] = tuple(tuple(row[start:end]) for row in rows)
            start = end
        return PooledSites(tuple(row[0] for row in rows), tuple(row[1] for row in rows), found)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        if PAIRS_WITHIN not in inputs:
            return ()
        return (PhaseEstimate(PAIRS_WITHIN, multiply.cost().of(len(sizes))),)

    def proxies_learn(self) -> tuple[str, ...]:
        return ()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return ()

    def helper_only_deals(self) -> bool:
        return True
