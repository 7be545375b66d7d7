"""The released word as text: exactly the study's decimals, or why there is no number."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.statistics.catalogue import METRICS

NO_SAMPLES = "there are no samples"


@dataclass(frozen=True, slots=True)
class Released:
    """One result as its receivers read it: `value` is a decimal text, or None with a `reason`."""

    metric: str
    value: str | None
    reason: str = ""

    def __str__(self) -> str:
        return f"undefined: {self.reason}" if self.value is None else self.value


def release(metric: str, word: int, *, decimals: int, samples: int) -> Released:
    """What the opened word says about `metric`; a word that no division yields is refused."""
    if word == undefined(decimals):
        return Released(metric, None, NO_SAMPLES if samples == 0 else METRICS[metric].undefined)
    one = 10**decimals
    if not 0 <= word <= one:
        raise RemoteProtocolError(
            f"the shares of {metric} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return Released(metric, f"{word // one}.{word % one:0{decimals}d}")
