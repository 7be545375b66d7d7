"""The pipeline of sums of folds: what owners count and add up, of each fold of a cross-validation.

[Folds]: an upload has the owner's counts and sums of its rows in each fold, one behind the other,
as a study of groups has those of each group (`ppaurora.protocols.pipelines.groups`). Nothing is of
all folds together, whose scores are of different models. Which of an owner's rows are in a fold
follows from their identifiers (`ppaurora.protocols.lists.folds`).

A cut point that the least cell keeps back in any fold is kept back in all of them: a mean over the
others would be another number, and say that this one has few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.pipelines.folds import FOLD, OF_FOLDS, warnings_of_folds
from ppaurora.protocols.pipelines.groups import WHOLE, ByGroup
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, Pipeline
from ppaurora.protocols.ranking.ranked import Folded, PooledFolds


@dataclass(frozen=True, slots=True)
class CountedFolds(ByGroup):
    """The counts and sums of each fold that has samples."""

    name: ClassVar[str] = "sums of folds"
    inputs: ClassVar[Inputs] = OwnersSums.inputs
    columns: ClassVar[tuple[str, ...]] = (FOLD,)
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = ()
    sorts: ClassVar[bool] = False
    of_groups: ClassVar[bool] = False
    with_whole: ClassVar[bool] = False

    @classmethod
    def of(cls, choices: Choices) -> CountedFolds:
        own = [one for one in choices.asked if getattr(one, "pipeline", Pipeline) is cls]
        each = OwnersSums(OwnersSums.layout_for(choices, own))
        return cls(each, tuple(map(str, range(choices.folds))))

    @property
    def sound(self) -> str:
        return f"{self.each.sound} in every fold"

    def prepare(  # type: ignore[override]
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Folded:
        found = ByGroup.prepare(self, party, uploads, sizes, inputs)
        return Folded(len(self.names), tuple(filter(None, found.values())))

    def plaintext(  # type: ignore[override]
        self, uploads: Sequence[Words], sizes: Sequence[int] = ()
    ) -> PooledFolds:
        found: Mapping[str, Any] = ByGroup.plaintext(self, uploads, sizes)
        return PooledFolds(tuple(found.values()))

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = WHOLE) -> Any:
        return data

    def vectors(self, sizes: Sequence[int], group: str = WHOLE) -> tuple[int, ...]:
        samples = [sum(own) for own in zip(*self.of_uploads(sizes), strict=True)]
        return tuple(self.each.places(n) if n else 0 for n in samples)

    def proxies_learn(self) -> tuple[str, ...]:
        return (OF_FOLDS, *self.each.proxies_learn())

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return (OF_FOLDS, *self.each.helper_learns(samples, inputs))

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        return warnings_of_folds(self.of_uploads(sizes))
