"""The net benefit of treating those called positive, as decision curves show it.

At the threshold t, with w = t / (1 - t) the harm of a false positive in true positives, and
w = (1 - t) / t where lower scores speak for the positive class, 1 - t being what t says of it,

    (TP - w·FP) / n,    from -w to 1,

exact; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from ppaurora.mpc.party import Party
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.thresholds import AtThreshold, Fractions, RatesAtCuts


@dataclass(frozen=True, slots=True)
class NetBenefit(AtThreshold, RatesAtCuts):
    """(TP - w·FP) / n."""

    name: ClassVar[str] = "net_benefit"
    short: ClassVar[str] = "Net benefit"
    reference: ClassVar[str] = "Vickers and Elkin, Medical Decision Making 2006"
    title: ClassVar[str] = "net benefit at a threshold (decision curve)"
    known_as: ClassVar[str] = "dcurves net_benefit"
    undefined: ClassVar[str] = "never"
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("net_benefit",)

    def check_scale(self, scale: Scale) -> None:
        if not scale.probabilities or not all(0 < at < 1 for at in self.at):
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, whose thresholds are probabilities between 0 and 1",
                advice="Leave it out, or have all owners give probabilities, range = [0, 1].",
            )

    @property
    def harms(self) -> list[Fraction]:
        """w at each threshold."""
        return [self._harm(at) for at in self.at]

    def _harm(self, threshold: Fraction) -> Fraction:
        odds = threshold / (1 - threshold)
        return odds if self.study.higher else 1 / odds

    @property
    def within(self) -> PublicRange:
        most = ceil(max(self.harms))
        return PublicRange(len(str(most)), most)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        # w = a/b: (b·TP - a·FP) / (b·n)
        a = np.array([harm.numerator for harm in self.harms])
        b = np.array([harm.denominator for harm in self.harms])
        a, b = (np.resize(one, len(at.TP)) for one in (a, b))
        return [(at.TP * b - at.FP * a, (at.P + at.N) * b)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        excess = counts.tp - self._harm(threshold) * counts.fp
        return [excess / counts.n if counts.n else None]

    def largest(self, n: int) -> int:
        return n * max(harm.denominator for harm in self.harms)
