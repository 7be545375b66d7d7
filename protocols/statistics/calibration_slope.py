"""Calibration slope and intercept, by logistic regression of the labels on the scores' logits.

    P(y = 1) = σ(intercept + slope·logit f)

of the binned scores, f being the middle of a bin; so scores of 0 and 1, whose logits are infinite,
count as half a bin away from them. A slope below 1 says that the scores are too sure. The intercept
is that of the same regression, not the one with the slope held at 1.

The standard errors are those of the inverse information, so that slope ± 1.96·slope_se are the
limits of a 95% interval.

The servers do the regression on shared counts, see `ppaurora.protocols.ranking.logit_scoring` for
what P0 and P1 learn; the inverse stays shared, and roots are taken of its diagonal. All numbers are
correctly rounded unless they lie within 10^-9 of a rounding boundary. 87 hops for the regression,
two for a better inverse, and five for every two digits of the errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_root
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.tabulated import LINE_BITS
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.logit_scoring import BITS, bits_of, grouped, scored, scored_cost
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange, one_row
from ppaurora.protocols.release.recalibration import FARTHEST, MOST_STEPS
from ppaurora.protocols.release.recalibration import line as recalibrated
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic

COLUMNS = ("slope", "intercept", "slope_se", "intercept_se")
MOST_GROUPS, MOST_DECIMALS = 1 << 14, 9
DIGITS = 50
WITHIN = PublicRange(tens=2, shift=FARTHEST)
ERROR = PublicRange(tens=3)
"""An error is below 317, as n times its square stays below 10^5."""
RANGES = (WITHIN, WITHIN, ERROR, ERROR)


@dataclass(frozen=True, slots=True)
class CalibrationSlope(Statistic[Binned, PooledBins], EqualParts):
    """Slope and intercept of the line through the logits."""

    name: ClassVar[str] = "calibration_slope"
    short: ClassVar[str] = "Calibration"
    reference: ClassVar[str] = "Cox, Biometrika 1958"
    title: ClassVar[str] = (
        "calibration slope and intercept, with standard errors: logistic regression on logit scores"
    )
    known_as: ClassVar[str] = "rms val.prob, statsmodels Logit of the binned scores"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    shows_counts: ClassVar[bool] = False
    undefined: ClassVar[str] = (
        "a class is missing, a threshold separates the classes, the scores differ too little, or "
        f"the regression is not done in {MOST_STEPS} steps"
    )
    bins: int = whole(
        "equal parts of the range of the scores", 1024, least=2, most=MOST_GROUPS
    )  # fmt: skip

    @property
    def parts(self) -> int:
        return self.bins

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        positives, negatives = data.between(self.thresholds())
        groups = grouped(party, logits(self.bins), positives, positives + negatives, data.n)
        line = scored(party, groups)
        words = [
            WITHIN.scaled_word(number, LINE_BITS, decimals, line.found)
            for number in (line.slope, line.intercept)
        ]
        of_intercept, _, of_slope = line.inverse
        unit = _largest_square(data.n)
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

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        positives, negatives = data.between(self.thresholds())
        samples = [sum(both) for both in zip(positives, negatives, strict=True)]
        found = recalibrated(list(map(float, logits(self.bins))), positives, samples)
        if found is None:
            return [one.missing(decimals) for one in RANGES]
        numbers = found.slope, found.intercept, *reversed(found.errors)
        return [
            one.word(Fraction(number), decimals)
            for one, number in zip(RANGES, numbers, strict=True)
        ]

    def words(self, decimals: int) -> int:
        return len(COLUMNS)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return one_row(self.text, COLUMNS, words, RANGES, decimals, self.undefined)

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n == 0 or decimals <= MOST_DECIMALS

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

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


def _largest_square(n: int) -> int:
    """1000^2 in the units of the inverse information of n samples."""
    thousand: int = 10**ERROR.tens
    return thousand**2 << BITS + bits_of(n)


@cache
def logits(parts: int) -> tuple[Decimal, ...]:
    """logit f of the middle of each of so many equal parts of the scores, the highest first."""
    with localcontext() as context:
        context.prec = DIGITS
        odd = [Decimal(2 * place + 1) for place in range(parts)]
        return tuple((high / low).ln() for high, low in zip(reversed(odd), odd, strict=True))
