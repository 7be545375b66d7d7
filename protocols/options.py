"""What a study asks for: metrics, decimals, and which of the interchangeable protocols run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.statistics.catalogue import METRICS

MERGES = ("network", "delta")
TIES = ("compare", "helper")
MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that all parties must share; checked when made.

    - `metrics`: names from the catalogue, in the order in which results are wanted.
    - `decimals`: how many are released, correctly rounded (half up).
    - `merge`: `network` opens nothing; `delta` is the paper's merge with the odd parameter `delta`,
      which opens comparisons for `delta` > 1 (see the ledger).
    - `ties`: `compare` leaks nothing; `helper` shows the helper the number of ties plus dummies.
    - `code`: how scores are encoded, `unit` for [0, 1] or `real`.
    """

    metrics: tuple[str, ...] = ("auroc",)
    decimals: int = 4
    merge: str = "network"
    delta: int = 1
    ties: str = "compare"
    code: str = "unit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", tuple(self.metrics))
        if not self.metrics:
            raise OptionRefused("metrics", "is empty", advice="Ask for at least one metric.")
        for name in self.metrics:
            _one_of("metrics", name, tuple(METRICS))
        if len(set(self.metrics)) != len(self.metrics):
            raise OptionRefused("metrics", "names a metric twice")
        if not _whole(self.decimals) or not 1 <= self.decimals <= MOST_DECIMALS:
            raise OptionRefused("decimals", f"must be a whole number from 1 to {MOST_DECIMALS}")
        _one_of("merge", self.merge, MERGES)
        _one_of("ties", self.ties, TIES)
        _one_of("code", self.code, tuple(CODES))
        if not _whole(self.delta) or self.delta < 1 or self.delta % 2 == 0:
            raise OptionRefused(
                "delta",
                "must be an odd whole number, 1 or more",
                advice="An even delta can shuffle without effect [ppAURORA, section 4].",
            )
        if self.merge == "network" and self.delta != 1:
            raise OptionRefused("delta", 'belongs to the merge "delta" only')

    @property
    def needs_ties(self) -> bool:
        """Whether any metric needs to know where scores are tied."""
        return any(METRICS[name].needs_ties for name in self.metrics)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _one_of(option: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        listing = ", ".join(f'"{one}"' for one in allowed)
        raise OptionRefused(option, f'names "{value}"', advice=f"Choose from {listing}.")
