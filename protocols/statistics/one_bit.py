"""Statistics that are one bit, the outcome of a test: what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.release.values import NO_SAMPLES, Decision, Released, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic

NOT_REJECTED, REJECTED, UNDEFINED = 0, 1, 2


class OneBit(Statistic[Data, Clear]):
    """Whether a null hypothesis is rejected; the word is one of the three above."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TEST

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        [word] = words
        if word == UNDEFINED:
            return Decision(undefined=self.undefined)
        if word not in (NOT_REJECTED, REJECTED):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Decision(rejected=word == REJECTED)

    def value_without_samples(self) -> Released:
        return Decision(undefined=NO_SAMPLES)

    def leaks(self, decimals: int) -> str:
        return (
            "one bit, whether the null hypothesis is rejected, and whether the test is undefined: "
            f"{self.undefined}"
        )
