"""The pipeline of groups: what another pipeline prepares, of each group of the samples and of all.

A group is a public category of the samples, such as a sex or a ward; every sample is in one. An
upload has what the other pipeline needs of each group, one behind the other, and how many of an
owner's samples are in each group is told to the servers. The groups are prepared side by side, in
the hops of the longest, and beside them all samples together: their lists are merged once more, or
their counts added.

A cut point that the least cell keeps back in any group is kept back in all groups and in the whole:
otherwise the difference between the whole and the other groups would tell what the group does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import accumulate, pairwise
from operator import add, or_
from typing import Any, ClassVar, Self

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.verdicts import Findings
from ppaurora.protocols.pipelines.histogram import CountPipeline
from ppaurora.protocols.pipelines.pipeline import (
    Choices,
    Inputs,
    PhaseEstimate,
    Pipeline,
    Vector,
)

GROUP = "group"
"""The kind of column from which a sample's group follows."""
WHOLE = ""
"""The name of all samples together, beside those of the groups."""
OF_GROUPS = "of each list, how many of its samples are in each group"
DOMAIN = b"ppAURORA group 1\0"
FEW_IN_GROUP = 20


@dataclass(frozen=True, slots=True)
class ByGroup(Pipeline[Mapping[str, Any], Mapping[str, Any]]):
    """The data of `each`, by the names of the groups, and of `WHOLE`; None of no samples."""

    name: ClassVar[str] = "groups"
    folded: ClassVar[bool] = True
    with_whole: ClassVar[bool] = True
    """False if nothing is of all samples together."""
    each: Pipeline[Any, Any]
    names: tuple[str, ...]

    @classmethod
    def of(cls, choices: Choices) -> ByGroup:
        raise TypeError("groups are those of another pipeline")

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.each.columns, GROUP)

    @property
    def inputs(self) -> Inputs:  # type: ignore[override]
        return self.each.inputs

    @property
    def feeds(self) -> tuple[type[Pipeline[Any, Any]], ...]:  # type: ignore[override]
        return (type(self.each), *self.each.feeds)

    @property
    def sorts(self) -> bool:  # type: ignore[override]
        return self.each.sorts

    @property
    def sound(self) -> str:
        return f"{self.each.sound} in every group"

    @property
    def lists_each(self) -> int:
        return len(self.names)

    # -- the upload ----------------------------------------------------------------------------

    def upload(self, keys: Sequence[Words]) -> Words:
        return np.concatenate([*map(self.each.upload, self._parted(keys))])

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        own = [
            hashlib.sha256(DOMAIN + secret + place.to_bytes(4)).digest()[:KEY_BYTES]
            for place in range(len(self.names))
        ]
        # rows without a score or a label are of no group; the number of the whole is their sum
        without = [left_out, *[0] * (len(self.names) - 1)]
        parted = zip(self._parted(keys), own, without, strict=True)
        return np.concatenate([self.each.repeatable(*one) for one in parted])

    def _parted(self, keys: Sequence[Words]) -> list[list[Words]]:
        """The keys of each group."""
        *columns, groups = keys
        rows = [groups == place for place in range(len(self.names))]
        return [[column[own] for column in columns] for own in rows]

    def sizes(self, keys: Sequence[Words]) -> tuple[int, ...]:
        groups = keys[-1].astype(np.int64)
        return tuple(np.bincount(groups, minlength=len(self.names)).tolist())

    def form(self, samples: int) -> UploadForm:
        if not self.each.adds:
            return self.each.form(samples)
        return reduce(add, [self.each.form(0)] * len(self.names))

    def _lists(self, uploads: Sequence[Vector], sizes: Sequence[int]) -> list[Vector]:
        """The uploads group by group, one upload behind the other."""
        return [
            upload[start:stop]
            for upload, own in zip(uploads, self.of_uploads(sizes), strict=True)
            for start, stop in pairwise(accumulate(map(self.each.words, own), initial=0))
        ]

    def _of_whole(
        self, lists: Sequence[Vector], sizes: Sequence[int]
    ) -> tuple[list[Vector], list[int]]:
        """The uploads of all samples together, as `each` takes them, and their sizes."""
        k = len(self.names)
        if not self.each.adds:
            return list(lists), list(sizes)
        starts = range(0, len(lists), k)
        return (
            [reduce(add, lists[start : start + k]) for start in starts],
            [sum(own) for own in self.of_uploads(sizes)],
        )

    # -- the check -----------------------------------------------------------------------------

    def _filled(self, sizes: Sequence[int]) -> list[int]:
        """The places of the lists that have words."""
        return [place for place, size in enumerate(sizes) if self.each.words(size)]

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        lists = self.each.lifted(party, self._lists(uploads, sizes), sizes)
        k = len(self.names)
        return [concatenate(lists[k * place : k * (place + 1)]) for place in range(len(uploads))]

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        return self.each.lifting_cost(sizes)

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        lists, filled = self._lists(uploads, sizes), self._filled(sizes)
        own_sizes = [sizes[place] for place in filled]
        found = self.each.check(party, [lists[place] for place in filled], own_sizes)
        sound = [True] * len(uploads)
        for place, fine in zip(filled, found.sound, strict=True):
            sound[place // len(self.names)] &= bool(fine)
        return Findings(sound, self._spread(party, found.faults, sizes, each=1))

    def _spread(self, party: Party, numbers: Shared, sizes: Sequence[int], *, each: int) -> Shared:
        """The numbers found for each list that has words, for all lists, or added up by uploads.

        Of every upload there are `each`.
        """
        filled = self._filled(sizes)
        at = np.full(len(sizes), len(filled))
        at[filled] = np.arange(len(filled))
        of_lists = concatenate([numbers, Shared.zeros(party.role, 1)])[at]
        if each > 1:
            return of_lists
        k = len(self.names)
        return concatenate(of_lists[start : start + k].sum() for start in range(0, len(sizes), k))

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return self.each.check_cost([sizes[place] for place in self._filled(sizes)])

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        lists, filled = self._lists(uploads, sizes), self._filled(sizes)
        found = self.each.positives(
            party, [lists[place] for place in filled], [sizes[place] for place in filled]
        )
        return self._spread(party, found, sizes, each=len(self.names))

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return self.each.positives_cost([sizes[place] for place in self._filled(sizes)])

    # -- the data ------------------------------------------------------------------------------

    def _named(
        self, lists: Sequence[Vector], sizes: Sequence[int]
    ) -> dict[str, tuple[list[Vector], list[int]]]:
        """Lists and sizes from which the data of each name are prepared, those without words left
        out; a name of no samples has none."""
        k = len(self.names)
        found = {WHOLE: self._of_whole(lists, sizes)} if self.with_whole else {}
        for place, name in enumerate(self.names):
            found[name] = list(lists[place::k]), list(sizes[place::k])
        for name, (own, own_sizes) in found.items():
            there = self._filled(own_sizes) if any(own_sizes) else []
            found[name] = [own[place] for place in there], [own_sizes[place] for place in there]
        return found

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Mapping[str, Any]:
        named = self._named(self._lists(uploads, sizes), sizes)
        filled = {name: both for name, both in named.items() if both[0]}
        with party.phase(self._phase):
            found = side_by_side(
                party,
                [
                    partial(self.each.prepare, uploads=own, sizes=own_sizes, inputs=inputs)
                    for own, own_sizes in filled.values()
                ],
            )
            if self._cuts.withhold:
                seen = product_of(party, [one.shown for one in found])
                found = [replace(one, shown=seen) for one in found]
        return {**dict.fromkeys(named), **dict(zip(filled, found, strict=True))}

    def at_hand(self) -> Self | None:
        each = self.each.at_hand()
        return None if each is None else replace(self, each=each)

    @property
    def _cuts(self) -> Cuts:
        """The cut points that may be kept back."""
        return self.each.cuts if isinstance(self.each, CountPipeline) else Cuts()

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> Mapping[str, Any]:
        named = self._named(self._lists(uploads, sizes), sizes)
        found = {
            name: self.each.plaintext(own, own_sizes) if own else None
            for name, (own, own_sizes) in named.items()
        }
        if not self._cuts.withhold:
            return found
        seen = reduce(frozenset.intersection, [one.shown for one in found.values() if one])
        return {name: one and replace(one, shown=seen) for name, one in found.items()}

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = WHOLE) -> Any:
        found = data[group]
        return None if found is None else self.each.part(of, found)

    # -- what is known beforehand --------------------------------------------------------------

    def places(self, samples: int) -> int:
        return self.each.places(samples)

    def owners(self, sizes: Sequence[int], group: str = WHOLE) -> list[int]:
        if group == WHOLE:
            return [sum(own) for own in self.of_uploads(sizes)]
        return list(sizes[self.names.index(group) :: len(self.names)])

    def vectors(self, sizes: Sequence[int], group: str = WHOLE) -> tuple[int, ...]:
        samples = sum(self.owners(sizes, group))
        return (self.each.places(samples) if samples else 0,)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        # only the sizes matter, and lists stand for themselves
        fixed = [np.zeros(0, np.uint64)] * len(sizes)
        phases = [
            self.each.preparing(own_sizes, inputs)
            for own, own_sizes in self._named(fixed, sizes).values()
            if own
        ]
        each = [sum((phase.spent for phase in own), Cost()) for own in phases]
        spent = reduce(or_, each, Cost())
        if self._cuts.withhold:
            spent += product_cost(len(phases), len(self._cuts.shown) + 1)
        exact = all(phase.exact for own in phases for phase in own)
        return (PhaseEstimate(self._phase, spent, exact),)

    @property
    def _phase(self) -> str:
        """The name of its phase, which other parts of a study do not have."""
        return f"{self.name}, {self.each.name}"

    @property
    def most_uploads(self) -> int:
        return self.each.most_uploads // len(self.names)

    def proxies_learn(self) -> tuple[str, ...]:
        return (OF_GROUPS, *self.each.proxies_learn())

    def can_be_turned(self) -> tuple[str, ...]:
        return self.each.can_be_turned()

    def onlookers_learn(self) -> tuple[str, ...]:
        return self.each.onlookers_learn()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return (OF_GROUPS, *self.each.helper_learns(samples, inputs))

    def helper_only_deals(self) -> bool:
        return self.each.helper_only_deals()

    def helper_sees(self) -> tuple[str, ...]:
        return self.each.helper_sees()

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        small = sum(0 < size < FEW_IN_GROUP for size in sizes)
        if not small:
            return ()
        return (
            f"{small} groups of single lists have fewer than {FEW_IN_GROUP} samples: who knows the "
            "other lists and scores can relate a group's number to so few",
        )

    def merge(self, sizes: Sequence[int]) -> str | None:
        fixed = [np.zeros(0, np.uint64)] * len(sizes)
        named = self._named(fixed, sizes).values()
        chosen = {self.each.merge(own_sizes) for own, own_sizes in named if own}
        # of several that differ none is named: what holds for each of them is told
        return chosen.pop() if len(chosen) == 1 else None


def product_of(party: Party, factors: Sequence[Shared]) -> Shared:
    """The product of these vectors, entry by entry: a hop for each halving of their number."""
    while len(factors) > 1:
        pairs, left = len(factors) // 2, factors[2 * (len(factors) // 2) :]
        n = len(factors[0])
        products = multiply(
            party, concatenate(factors[0 : 2 * pairs : 2]), concatenate(factors[1 : 2 * pairs : 2])
        )
        factors = [*(products[n * place : n * (place + 1)] for place in range(pairs)), *left]
    return factors[0]


def product_cost(factors: int, n: int) -> Cost:
    """The cost of `_product` for so many vectors of n entries."""
    spent = Cost()
    while factors > 1:
        spent += multiply.cost().of(n * (factors // 2))
        factors -= factors // 2
    return spent
