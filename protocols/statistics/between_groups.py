"""Differences between two groups of the samples: of what one group has, less what another has.

A study of groups that asks for such a statistic releases it for each pair of groups: each group
less the first one of the study, or every group less each one before it. The groups share no sample,
so what is estimated in them is independent, and variances add.

    auroc_groups@male@female     of the men less of the women

The number is not released of all samples. It tells no more than both groups' own numbers to as many
decimals as both need, but it is counted beside them, in each of the two groups, where a site holds
what is released against the fewest samples of a group (`ppaurora.protocols.disclosure.cells`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.pipelines.pipeline import Pipeline
from ppaurora.protocols.release.values import Released
from ppaurora.protocols.statistics.in_group import IN_GROUP, SIGN, InGroup
from ppaurora.protocols.statistics.parameters import choice
from ppaurora.protocols.statistics.statistic import Statistic, Topic

FIRST, ALL = "first", "all"


def compared() -> Any:
    """The parameter that says which groups are compared."""
    help = "which groups are compared: each with the first one of the study, or all pairs"
    return choice(help, FIRST, (FIRST, ALL))


class GroupDifference(Statistic[Any, Any]):
    """A statistic of two groups; its data are a pair, with None for a group without samples."""

    __slots__ = ()

    topic: ClassVar[Topic] = Topic.GROUPS
    compares_groups: ClassVar[bool] = True
    pairs: str
    """Made by `compared`."""

    def pairs_of(self, groups: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of groups: the number is of the first of a pair less the second.

        >>> from ppaurora.protocols.statistics.registry import statistic
        >>> statistic("auroc_groups").pairs_of(["a", "b", "c"])
        [('b', 'a'), ('c', 'a')]
        """
        if self.pairs == FIRST:
            return [(other, groups[0]) for other in groups[1:]]
        return [(other, one) for one, other in combinations(groups, 2)]


@dataclass(frozen=True, slots=True)
class BetweenGroups(InGroup):
    """The difference `of` the samples of one group less those of the group `against`."""

    against: str = ""

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{self.of.title}, of group {self.group} less group {self.against}"

    @property
    def short(self) -> str:  # type: ignore[override]
        return f"{self.of.short}, {self.group} less {self.against}" if self.of.short else ""

    @property
    def text(self) -> str:
        return f"{self.of.text}{SIGN}{self.group}{SIGN}{self.against}"

    @property
    def groups(self) -> tuple[str, ...]:
        return self.group, self.against

    def data_in(self, pipeline: Pipeline[Any, Any], data: Any) -> Any:
        return tuple(pipeline.part(self.pipeline, data, group) for group in self.groups)

    def vectors_in(self, pipeline: Pipeline[Any, Any], sizes: Sequence[int]) -> tuple[int, ...]:
        member = pipeline.member(self.pipeline)
        return tuple(n for group in self.groups for n in member.vectors(sizes, group))

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        return self.of.private(party, data, decimals)

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        return self.of.plaintext_words(data, decimals)

    def words(self, decimals: int) -> int:
        return self.of.words(decimals)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return self.of.decode(words, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.of.cost(n, decimals)

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        return self.of.cost_of(vectors, decimals)

    def readings(self) -> frozenset[str]:
        return frozenset(
            f"{one}{IN_GROUP}{group}" for one in self.of.readings() for group in self.groups
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        where = f"in group {self.group} less group {self.against}"
        return tuple(f"{where}: {text}" for text in self.of.warnings(sizes, decimals))
