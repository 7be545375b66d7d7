"""Calibration slope and intercept, by logistic regression of the labels on the scores' logits.

    P(y = 1) = σ(intercept + slope·logit f)

of the binned scores (`ppaurora.protocols.statistics.of_logits`). A slope below 1 says that the
scores are too sure. The intercept is that of the same regression; with the slope held at 1 it is
`calibration_in_the_large`.

The standard errors are those of the inverse information, so that slope ± 1.96·slope_se are the
limits of a 95% interval. An error is below 317, as n times its square stays below 10^5.

The servers do the regression on shared counts, see `ppaurora.protocols.ranking.logit_scoring` for
what P0 and P1 learn; the inverse stays shared, and roots are taken of its diagonal. All numbers are
correctly rounded unless they lie within 10^-9 of a rounding boundary. 87 hops for the regression,
two for a better inverse, and five for every two digits of the errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_root
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.tabulated import LINE_BITS
from ppaurora.protocols.ranking.logit_scoring import BITS, bits_of, grouped, scored, scored_cost
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.recalibration import MOST_STEPS
from ppaurora.protocols.release.recalibration import line as recalibrated
from ppaurora.protocols.statistics.of_logits import ERROR, WITHIN, OfLogits, logits


@dataclass(frozen=True, slots=True)
class CalibrationSlope(OfLogits):
    """Slope and intercept of the line through the logits."""

    name: ClassVar[str] = "calibration_slope"
    short: ClassVar[str] = "Calibration"
    reference: ClassVar[str] = "Cox, Biometrika 1958"
    title: ClassVar[str] = (
        "calibration slope and intercept, with standard errors: logistic regression on logit scores"
    )
    known_as: ClassVar[str] = "rms val.prob, statsmodels Logit of the binned scores"
    steps_by_chance: ClassVar[bool] = True
    undefined: ClassVar[str] = (
        "a class is missing, a threshold separates the classes, the scores differ too little, or "
        f"the regression is not done in {MOST_STEPS} steps"
    )
    columns: ClassVar[tuple[str, ...]] = ("slope", "intercept", "slope_se", "intercept_se")
    ranges: ClassVar[tuple[PublicRange, ...]] = (WITHIN, WITHIN, ERROR, ERROR)

    def fitted(
        self, party: Party, positives: Shared, samples: Shared, n: int, decimals: int
    ) -> Shared:
        line = scored(party, grouped(party, logits(self.bins), positives, samples, n))
        words = [
            WITHIN.scaled_word(number, LINE_BITS, decimals, line.found)
            for number in (line.slope, line.intercept)
        ]
        of_intercept, _, of_slope = line.inverse
        unit = _largest_square(n)
        errors = wide_root(
            party,
            concatenate_wide([of_slope, of_intercept]) * line.found,
            WideShared.public(party.role, [unit * line.found] * 2),
            digits=decimals + ERROR.tens,
            bound=unit,
        )
        return concatenate([Shared.public(party.role, words), errors])

    def cost(self, n: int, decimals: int) -> Cost:
        root = wide_root.cost(digits=decimals + ERROR.tens, bound=_largest_square(n))
        return scored_cost(self.bins) + root.of(2)

    def numbers(
        self, x: Sequence[float], positives: Sequence[int], samples: Sequence[int]
    ) -> Sequence[float] | None:
        found = recalibrated(x, positives, samples)
        return None if found is None else (found.slope, found.intercept, *reversed(found.errors))

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, of which the errors tell roughly how many positives there are, "
            f"and whether they are undefined: {self.undefined}"
        )

    def proxies_learn(self, decimals: int) -> str:
        return (
            f"slope and intercept after each of at most {MOST_STEPS} steps of the regression, to "
            "12 decimals, and whether the samples tell enough for a line"
        )

    def label_digits(self, decimals: int) -> int:
        # who knows all scores can compute the errors from slope and intercept: the information
        # depends on labels through these alone
        return 2 * self.decimals_held(decimals)


def _largest_square(n: int) -> int:
    """1000^2 in the units of the inverse information of n samples."""
    thousand: int = 10**ERROR.tens
    return thousand**2 << BITS + bits_of(n)
