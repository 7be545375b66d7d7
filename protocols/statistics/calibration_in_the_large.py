"""Calibration-in-the-large: the intercept of a logistic regression whose slope is held at 1.

    P(y = 1) = σ(intercept + logit f)

of the binned scores (`ppaurora.protocols.statistics.of_logits`). An intercept above 0 says that the
scores are too low on the whole. It is e to the power of this by which the odds are to be
multiplied, so that as many positives are expected as there are. The standard error is that of the
information, 1/sqrt(I), so that intercept ± 1.96·intercept_se are the limits of a 95% interval.

The digits of the intercept are found in `ppaurora.protocols.ranking.logit_offset`, which says what
P0 and P1 learn; the information stays shared. Both numbers are correctly rounded unless they lie
within 10^-10 of a rounding boundary, for data with n/I below 10^7. They depend on the labels
through the number of positives alone. An error is at most 256: logits lie at most 2·ln 32767 apart,
so that with w = σ·(1 - σ)

    P·N = Σ_ij σ_i·(1 - σ_j) <= 32767·Σ_ij sqrt(w_i·w_j) <= 32767·n·I.

49 hops, and five for every two digits of the error, of which there are three more than decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_root
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.tabulated import ONE
from ppaurora.protocols.ranking.logit_offset import OFFSET_BITS, offset, offset_cost
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.recalibration import offset as recalibrated
from ppaurora.protocols.statistics.of_logits import ERROR, WITHIN, OfLogits, logits
from ppaurora.protocols.statistics.statistic import NO_CLASS


@dataclass(frozen=True, slots=True)
class CalibrationInTheLarge(OfLogits):
    """The intercept beside the logits as they are."""

    name: ClassVar[str] = "calibration_in_the_large"
    short: ClassVar[str] = "Calibration-in-the-large"
    reference: ClassVar[str] = "Cox, Biometrika 1958"
    title: ClassVar[str] = (
        "calibration-in-the-large: intercept of the logistic regression with logit scores as an "
        "offset, with its standard error"
    )
    known_as: ClassVar[str] = "CalibrationCurves val.prob.ci.2, statsmodels GLM with an offset"
    undefined: ClassVar[str] = NO_CLASS
    columns: ClassVar[tuple[str, ...]] = ("intercept", "intercept_se")
    ranges: ClassVar[tuple[PublicRange, ...]] = (WITHIN, ERROR)

    def fitted(
        self, party: Party, positives: Shared, samples: Shared, n: int, decimals: int
    ) -> Shared:
        line = offset(party, logits(self.bins), positives, samples)
        word = WITHIN.scaled_word(line.value, OFFSET_BITS, decimals, line.found)
        # 1/(1000²·I)
        error = wide_root(
            party,
            WideShared.public(party.role, [ONE * line.found]),
            line.information * (10 ** (2 * ERROR.tens) * line.found),
            digits=decimals + ERROR.tens,
            bound=_largest(n),
        )
        return concatenate([Shared.public(party.role, [word]), error])

    def cost(self, n: int, decimals: int) -> Cost:
        root = wide_root.cost(digits=decimals + ERROR.tens, bound=_largest(n))
        return offset_cost(self.bins) + root.of(1)

    def numbers(
        self, x: Sequence[float], positives: Sequence[int], samples: Sequence[int]
    ) -> Sequence[float] | None:
        found = recalibrated(x, positives, samples)
        return None if found is None else (found.intercept, found.error)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, which tell who knows the scores roughly how many positives "
            f"there are, and whether they are undefined: {self.undefined}"
        )

    def proxies_learn(self, decimals: int) -> str:
        return "the intercept to 12 decimals, or that a class is missing"


def _largest(n: int) -> int:
    """1000²·I of n samples is at most this, in units of 2^-62."""
    largest: int = n * 10 ** (2 * ERROR.tens) * ONE
    return max(1, largest)
