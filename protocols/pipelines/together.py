"""The pipeline of several parts: one upload that has what every statistic of a study needs.

A part is what one pipeline makes of the same rows: a sorted list, counts in bins, sums. The parts
stand in an upload one behind the other, each with as many words as the number of samples says. Each
is checked by itself, and all have equally many positives; both add to the number of hidden faults
that decides the one bit that is opened for an upload. A verdict for each part, or one on the
positives alone, would be a bit about a label: a proxy that turns the label of a row in one part
would learn from it which one it was. The check finds an owner's mistakes; an owner who means to
give other rows in one part than in another one can.

With d the difference of the positives of two parts, neither d nor -d may be negative: the labels of
lists take one hop, and the comparisons four, beside the other checks. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import accumulate, chain, pairwise
from operator import add, or_
from typing import Any, ClassVar, TypeVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.sums import Numbers
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_negatives,
    check_negatives_cost,
)
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, PhaseEstimate, Pipeline

Vector = TypeVar("Vector", Shared, Words)
AnyPipeline = Pipeline[Any, Any]


@dataclass(frozen=True, slots=True)
class Together(Pipeline[tuple[Any, ...], tuple[Any, ...]]):
    """Several pipelines over the same rows, of which at most one is of lists.

    Those at the places `unprepared` have no data.
    """

    name: ClassVar[str] = "several parts"
    inputs: ClassVar[Inputs] = frozenset()
    parts: tuple[AnyPipeline, ...]
    unprepared: frozenset[int] = frozenset()

    @classmethod
    def of(cls, choices: Choices) -> Together:
        raise TypeError("the parts are made one by one")

    @property
    def sound(self) -> str:
        each = ", ".join(part.sound for part in self.parts)
        return f"{each}, with equally many positives in each of {len(self.parts)} parts"

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return _once(part.columns for part in self.parts)

    @property
    def lists_each(self) -> int:
        return max(part.lists_each for part in self.parts)

    @property
    def totals_each(self) -> int:
        return max(part.totals_each for part in self.parts)

    @property
    def folded(self) -> bool:  # type: ignore[override]
        return any(part.folded for part in self.parts)

    def sizes(self, keys: Sequence[Words]) -> tuple[int, ...]:
        return self.parts[0].sizes(self._own(self.parts[0], keys))

    @property
    def most_uploads(self) -> int:
        return min(part.most_uploads for part in self.parts)

    def owners(self, sizes: Sequence[int], group: str = "") -> list[int]:
        return self.parts[0].owners(sizes, group)

    @property
    def sorts(self) -> bool:  # type: ignore[override]
        return any(part.sorts for part in self.parts)

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        # one part at most draws from the secret
        return np.concatenate(
            [part.repeatable(self._own(part, keys), secret, left_out) for part in self.parts]
        )

    def showing(self, shows: bool) -> Together:
        return replace(self, parts=tuple(part.showing(shows) for part in self.parts))

    def upload(self, keys: Sequence[Words]) -> Words:
        return np.concatenate([part.upload(self._own(part, keys)) for part in self.parts])

    def _own(self, part: AnyPipeline, keys: Sequence[Words]) -> list[Words]:
        """The keys of a part: of the scores, and of the columns that it needs."""
        scores, *others = keys
        return [scores, *(others[self.columns.index(name)] for name in part.columns)]

    @property
    def counting_grid(self) -> Grid | None:
        grids = {part.counting_grid for part in self.parts}
        return grids.pop() if len(grids) == 1 else None

    def of_counts(self, counts: Sequence[Numbers], secret: bytes, left_out: int = 0) -> Words:
        return np.concatenate([part.of_counts(counts, secret, left_out) for part in self.parts])

    def form(self, samples: int) -> UploadForm:
        return reduce(add, (part.form(samples) for part in self.parts))

    def places(self, samples: int) -> int:
        return max(part.places(samples) for part in self.parts)

    def member(self, of: type[AnyPipeline]) -> AnyPipeline:
        return self.parts[self._place(of)]

    def part(self, of: type[AnyPipeline], data: Any, group: str = "") -> Any:
        place = self._place(of)
        return self.parts[place].part(of, data[place], group)

    def _place(self, of: type[AnyPipeline]) -> int:
        return next(
            place for place, part in enumerate(self.parts) if of in (type(part), *part.feeds)
        )

    def at_hand(self) -> Together | None:
        found = [part.at_hand() for part in self.parts]
        waiting = frozenset(place for place, part in enumerate(found) if part is None)
        if len(waiting) == len(found):
            return None
        parts = tuple(own or part for own, part in zip(found, self.parts, strict=True))
        return replace(self, parts=parts, unprepared=waiting)

    def of_only(self, kinds: Collection[type[AnyPipeline]]) -> Together:
        wanted = {*map(self._place, kinds)}
        places = frozenset(range(len(self.parts)))
        return replace(self, unprepared=self.unprepared | (places - wanted))

    def _split(
        self, uploads: Sequence[Vector], sizes: Sequence[int]
    ) -> tuple[tuple[Vector, ...], ...]:
        """The uploads part by part."""
        found = []
        for upload, own in zip(uploads, self.of_uploads(sizes), strict=True):
            ends = accumulate((part.words(sum(own)) for part in self.parts), initial=0)
            found.append(tuple(upload[start:end] for start, end in pairwise(ends)))
        return tuple(zip(*found, strict=True))

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        split = self._split(uploads, sizes)
        programs = [
            partial(_lifted, part=part, uploads=own, sizes=sizes)
            for part, own in zip(self.parts, split, strict=True)
        ]
        return [concatenate(own) for own in zip(*side_by_side(party, programs), strict=True)]

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        return reduce(or_, (part.lifting_cost(_filled(part, sizes)) for part in self.parts))

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        split = self._split(uploads, sizes)
        each: list[Callable[[Party], Findings]] = [
            partial(_checked, part=part, uploads=own, sizes=sizes)
            for part, own in zip(self.parts, split, strict=True)
        ]
        found = side_by_side(party, [*each, lambda own: self._differing(own, split, sizes)])
        faults = reduce(add, (one.faults for one in found))
        sound = [all(bits) for bits in zip(*(one.sound for one in found), strict=True)]
        return Findings(sound, faults)

    def _differing(
        self, party: Party, split: Sequence[Sequence[Shared]], sizes: Sequence[int]
    ) -> Findings:
        """The findings on how many positives the parts have."""
        first, *others = side_by_side(
            party,
            [
                partial(_positives, part=part, uploads=own, sizes=sizes)
                for part, own in zip(self.parts, split, strict=True)
            ],
        )
        signs = [sign for other in others for sign in (first - other, other - first)]
        each = self.totals_each
        count = each * len(split[0])
        return check_negatives(
            party,
            [
                concatenate(sign[start : start + each] for sign in signs)
                for start in range(0, count, each)
            ],
        )

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        each = reduce(or_, (part.check_cost(_filled(part, sizes)) for part in self.parts))
        counted = reduce(or_, (part.positives_cost(_filled(part, sizes)) for part in self.parts))
        totals = len(self.of_uploads(sizes)) * self.totals_each
        signs = check_negatives_cost([2 * (len(self.parts) - 1)] * totals)
        return each | (counted + signs)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        first, *_ = self._split(uploads, sizes)
        return _positives(party, part=self.parts[0], uploads=first, sizes=sizes)

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return self.parts[0].positives_cost(_filled(self.parts[0], sizes))

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> tuple[Any, ...]:
        split = zip(self.parts, self._split(uploads, sizes), strict=True)
        return tuple(
            None
            if place in self.unprepared
            else part.prepare(party, own, sizes, inputs & part.inputs)
            for place, (part, own) in enumerate(split)
        )

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> tuple[Any, ...]:
        split = zip(self.parts, self._split(uploads, sizes), strict=True)
        return tuple(part.plaintext(own, sizes) for part, own in split)

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        each = (
            part.preparing(sizes, inputs & part.inputs)
            for place, part in enumerate(self.parts)
            if place not in self.unprepared
        )
        return tuple(chain.from_iterable(each))

    def proxies_learn(self) -> tuple[str, ...]:
        return _once(part.proxies_learn() for part in self.parts)

    def can_be_turned(self) -> tuple[str, ...]:
        return _once(part.can_be_turned() for part in self.parts)

    def onlookers_learn(self) -> tuple[str, ...]:
        return _once(part.onlookers_learn() for part in self.parts)

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return _once(part.helper_learns(samples, inputs & part.inputs) for part in self.parts)

    def helper_only_deals(self) -> bool:
        return all(part.helper_only_deals() for part in self.parts)

    def helper_sees(self) -> tuple[str, ...]:
        return _once(part.helper_sees() for part in self.parts)

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        return _once(part.warnings(sizes) for part in self.parts)

    def merge(self, sizes: Sequence[int]) -> str | None:
        merges = (part.merge(sizes) for part in self.parts)
        return next((name for name in merges if name is not None), None)


def _filled(part: AnyPipeline, sizes: Sequence[int]) -> list[int]:
    """The sizes of the lists of uploads in which a part has words."""
    return [size for own in part.of_uploads(sizes) if part.words(sum(own)) for size in own]


def _of_filled(
    party: Party,
    part: AnyPipeline,
    uploads: Sequence[Shared],
    sizes: Sequence[int],
    found: Callable[[Sequence[Shared], Sequence[int]], Shared],
    *,
    each: int = 1,
) -> Shared:
    """The numbers found for each upload of which a part has words, and 0 for all others.

    Of every upload there are `each`.
    """
    filled = [place for place, upload in enumerate(uploads) if len(upload)]
    if not filled:
        return Shared.zeros(party.role, each * len(uploads))
    numbers = found([uploads[place] for place in filled], _filled(part, sizes))
    none = Shared.zeros(party.role, each)
    own = {place: numbers[each * at : each * (at + 1)] for at, place in enumerate(filled)}
    return concatenate(own.get(place, none) for place in range(len(uploads)))


def _positives(
    party: Party, part: AnyPipeline, uploads: Sequence[Shared], sizes: Sequence[int]
) -> Shared:
    """The number of positives in one part of each upload, in each of its groups if it has any.

    Where samples have weights, these follow.
    """
    found = partial(part.positives, party)
    return _of_filled(party, part, uploads, sizes, found, each=part.totals_each)


def _checked(
    party: Party, part: AnyPipeline, uploads: Sequence[Shared], sizes: Sequence[int]
) -> Findings:
    """The findings on one part of each upload; one without words is sound."""
    sound = [True] * len(uploads)

    def faults(own: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        found = part.check(party, own, sizes)
        filled = (place for place, upload in enumerate(uploads) if len(upload))
        for place, fine in zip(filled, found.sound, strict=True):
            sound[place] = fine
        return found.faults

    return Findings(sound, _of_filled(party, part, uploads, sizes, faults))


def _lifted(
    party: Party, part: AnyPipeline, uploads: Sequence[Shared], sizes: Sequence[int]
) -> Sequence[Shared]:
    """One part of each upload as it is computed with."""
    return part.lifted(party, uploads, sizes)


def _once(texts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The texts of all parts, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(texts)))
