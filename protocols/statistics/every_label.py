"""Statistics that a receiver computes from every point of the curve, such as areas.

Released is, for each place of the sorted list, whether a group of tied scores ends there and how
many of the samples up to it are positive. **That is the label of every sample, in the order of the
scores**: an owner who takes part in the study and reads the result finds the place of each of its
own samples in that order, and between them everybody else's labels. So these statistics have to be
asked for with the number of samples that may be disclosed, and count as a reading at every rank: a
site sends nothing to a study that asks for one unless its policy names it
(`ppaurora.parties.site.policy`).

Exact. The servers learn nothing and send nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.curve_areas import Point, rounded
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.at_top import at_ranks
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Statistic

MOST_SAMPLES_DISCLOSED = 1 << 13


@dataclass(frozen=True, slots=True)
class FromEveryLabel(Statistic[Ranked, Pooled]):
    """A function of V_j + con_j: 0 within a group, 1 more than the positives at its end."""

    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.TIES})
    undefined: ClassVar[str] = NO_POSITIVES
    samples: int = whole(
        "the most samples whose labels may be disclosed", least=1, most=MOST_SAMPLES_DISCLOSED
    )

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        rest = Shared.zeros(party.role, self.samples - data.n)
        return concatenate([data.V + data.con, rest])

    def cost(self, n: int, decimals: int) -> Cost:
        return Cost()

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        found = np.zeros(self.samples, np.int64)
        for _, t, _, j in data.steps:
            found[j - 1] = t + 1
        return found.tolist()

    def words(self, decimals: int) -> int:
        return self.samples

    def points(self, words: Sequence[int]) -> list[Point]:
        """(j, t) at the end of each group; words that no ranking has are refused."""
        found = [(j, word - 1) for j, word in enumerate(words, 1) if word]
        ends = [(0, 0), *found]
        sound = found and all(
            0 <= later[1] - one[1] <= later[0] - one[0]
            for one, later in zip(ends, found, strict=False)
        )
        if not sound:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return found

    def fits(self, n: int, decimals: int) -> bool:
        return n <= self.samples

    def readings(self) -> frozenset[str]:
        return frozenset(at_ranks(range(1, self.samples + 1)))

    def leaks(self, decimals: int) -> str:
        return (
            "THE LABEL OF EVERY SAMPLE in the order of the scores, and which scores are tied: all "
            "points of the ROC and of the precision-recall curve. Who also knows some of the "
            "scores can tell whose labels lie between them"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if not sum(sizes):
            return ()
        return (
            f"{self.text}: the receivers get the label of every one of the {sum(sizes)} samples in "
            "the order of their scores; nothing about the labels stays hidden but whose they are",
        )


class AreaOfPoints(FromEveryLabel):
    """One number of all points, which the receiver rounds half up to the study's decimals."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.SCALAR

    @abstractmethod
    def area(self, points: Sequence[Point]) -> Decimal:
        """The area of points of which the last has a positive."""

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        points = self.points(words)
        if not points[-1][1]:
            return Scalar(undefined=self.undefined)
        return Scalar(rounded(self.area(points), decimals))

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)
