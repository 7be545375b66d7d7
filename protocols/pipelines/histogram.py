"""The pipeline of the histogram: owners count their samples on a public grid, nothing is sorted.

An upload has as many words however long the list is: for every bin the positives and the negatives.
The proxies check the counts privately and add up their shares, which takes no message. What is
computed from the bins is exact for the binned scores; scores of one bin count as tied.

Scores between 0 and 1 (`code = "unit"`). Where lower scores speak for the positive class, 1 - score
takes the place of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.check import check_counts, check_counts_cost
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.encoding import decode
from ppaurora.protocols.pipelines.pipeline import Choices, Foreseen, Inputs, Pipeline
from ppaurora.protocols.ranking.binned import Binned, PooledBins

CODE = "unit"


@dataclass(frozen=True, slots=True)
class Histogram(Pipeline[Binned, PooledBins]):
    """The sum of all owners' histograms."""

    name: ClassVar[str] = "histogram"
    mode: ClassVar[str] = "grid"
    sound: ClassVar[str] = "made of counts that add up to the stated number of samples"
    inputs: ClassVar[Inputs] = frozenset()
    grid: Grid

    @classmethod
    def of(cls, choices: Choices) -> Histogram:
        if choices.code != CODE:
            raise OptionRefused(
                "code",
                f'is "{choices.code}", but a grid is over scores from 0 to 1',
                advice=f'Use code = "{CODE}", with scores that all owners map to [0, 1] alike.',
            )
        return cls(Grid(choices.bins))

    def upload(self, keys: Words, direction: str) -> Words:
        return self.grid.counts(*decode(keys, code=CODE, direction=direction), direction)

    def words(self, samples: int) -> int:
        return 2 * self.grid.bins

    def places(self, samples: int) -> int:
        return self.grid.bins

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> list[bool]:
        return check_counts(party, uploads, sizes)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Binned:
        return Binned.of(reduce(add, uploads), sum(sizes))

    def in_clear(self, uploads: Sequence[Words]) -> PooledBins:
        return PooledBins.of(uploads, self.grid.bins)

    def foreseen(self, sizes: Sequence[int], inputs: Inputs) -> tuple[Foreseen, ...]:
        return (Foreseen("check", check_counts_cost([self.words(size) for size in sizes])),)

    def proxies_learn(self) -> tuple[str, ...]:
        return ()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return ()
