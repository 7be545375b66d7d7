"""Statistics that are one number between 0 and 1 with its confidence limits: what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.release.decimals import ratio_text
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic


class OneInterval(Statistic[Data, Clear]):
    """A value, its lower and its upper limit: all three undefined, or none."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    without_width: ClassVar[str]
    """Why both limits may be one number, and what to take instead."""

    @property
    def reason(self) -> str:
        """Why there is no number."""
        return self.undefined

    def words(self, decimals: int) -> int:
        return 3

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, upper = (ratio_text(self.text, word, decimals) for word in words)
        if value is lower is upper is None:
            return Interval(undefined=self.reason)
        if value is None or lower is None or upper is None:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Interval(value, lower, upper, note=no_width(lower, upper, self.without_width))

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)


def no_width(lower: str, upper: str, why: str) -> str | None:
    """Why the limits are one number; None where they are not."""
    return why if why and lower == upper else None
