"""A statistic of one group of the samples: of the ward, the sex, the age group that it names.

It is the same program as of all samples, over the data of the group. What is asked of a study of
groups is released of all samples and of each group. The groups are disjoint, so that their numbers
are independent: the standard error of a difference is the root of the sum of both squares.

Before the words of the statistic stands a public one: 1, or 0 where no sample is in the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.pipelines.pipeline import Inputs, Pipeline
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.values import Released, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic, Topic

SIGN = "@"
"""The sign between a statistic and its group, which no statistic has in its text."""


IN_GROUP = " in group "
"""Between the words for a cut and the group whose samples it divides."""


@dataclass(frozen=True, slots=True)
class InGroup(Statistic[Any, Any]):
    """The statistic `of` the samples of one group; its data are None where no sample is in it."""

    listed: ClassVar[bool] = False
    of: Statistic[Any, Any]
    group: str  # type: ignore[misc]

    # what a class says of a statistic, this says of its own
    @property
    def name(self) -> str:  # type: ignore[override]
        return self.of.name

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{self.of.title}, in group {self.group}"

    @property
    def short(self) -> str:  # type: ignore[override]
        return f"{self.of.short}, {self.group}" if self.of.short else ""

    @property
    def reference(self) -> str:  # type: ignore[override]
        return self.of.reference

    @property
    def known_as(self) -> str:  # type: ignore[override]
        return self.of.known_as

    @property
    def topic(self) -> Topic:  # type: ignore[override]
        return self.of.topic

    @property
    def kind(self) -> ValueKind:  # type: ignore[override]
        return self.of.kind

    @property
    def pipeline(self) -> type[Pipeline[Any, Any]]:  # type: ignore[override]
        return self.of.pipeline

    @property
    def inputs(self) -> Inputs:  # type: ignore[override]
        return self.of.inputs

    @property
    def undefined(self) -> str:  # type: ignore[override]
        return self.of.undefined

    @property
    def source(self) -> str:
        return self.of.source

    @property
    def text(self) -> str:
        return f"{self.of.text}{SIGN}{self.group}"

    def private(self, party: Party, data: Any, decimals: int) -> Shared:
        there = Shared.public(party.role, [int(data is not None)])
        if data is None:
            nothing = [undefined(decimals)] * self.of.words(decimals)
            return concatenate([there, Shared.public(party.role, nothing)])
        return concatenate([there, self.of.private(party, data, decimals)])

    def plaintext_words(self, data: Any, decimals: int) -> Sequence[int]:
        if data is None:
            return [0, *[undefined(decimals)] * self.of.words(decimals)]
        return [1, *self.of.plaintext_words(data, decimals)]

    def words(self, decimals: int) -> int:
        return 1 + self.of.words(decimals)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        there, *own = words
        if there not in (0, 1):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return self.of.decode(own, decimals) if there else self.of.value_without_samples()

    def value_without_samples(self) -> Released:
        return self.of.value_without_samples()

    def fits(self, n: int, decimals: int) -> bool:
        return self.of.fits(n, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.of.cost(n, decimals) if n else Cost()

    def leaks(self, decimals: int) -> str:
        return self.of.leaks(decimals)

    def readings(self) -> frozenset[str]:
        return frozenset(f"{one}{IN_GROUP}{self.group}" for one in self.of.readings())

    def label_digits(self, decimals: int) -> int:
        return self.of.label_digits(decimals)

    def decimals_held(self, decimals: int) -> int:
        return self.of.decimals_held(decimals)

    def proxies_learn(self, decimals: int) -> str:
        return self.of.proxies_learn(decimals)

    def privacy(self, decimals: int) -> Privacy | None:
        return self.of.privacy(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return tuple(f"in group {self.group}: {text}" for text in self.of.warnings(sizes, decimals))


def of_any_group(one: Statistic[Any, Any]) -> Statistic[Any, Any]:
    """The statistic itself, be it of all samples or of a group."""
    return one.of if isinstance(one, InGroup) else one


def shows_cuts(one: Statistic[Any, Any]) -> bool:
    """True if a statistic, of all samples or of a group, is of thresholds that count as such."""
    of = of_any_group(one)
    return isinstance(of, Cutting) and of.shows_counts
