"""Average precision with its confidence interval, from the number of positives.

[Thesis, section 4.3, erratum 5]. `method=logit` takes the limits on the logit scale, which stay
between 0 and 1 by themselves, `method=binomial` on the plain scale, cut off at 0 and 1. How they
are computed, how sure they are and what they cost stands in
`ppaurora.protocols.ranking.logit_precision_limits` and
`ppaurora.protocols.ranking.precision_limits`.

What is released tells the number of positives, nearly exactly [Thesis, erratum 6]: from the
value and a limit it follows to within twice the last decimal over the interval's width, as a share
of itself.

How often the interval covers the true area depends on how samples are gathered: of two normal laws,
1,000 samples and a tenth of them positive, 95% intervals covered it in 97% (binomial) and 96%
(logit) of cases with the number of positives fixed, and in 95% with each class drawn by itself
(`tests/protocols/statistics/test_coverage.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import exact_sum, half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.logit_precision_limits import LogitPrecisionLimits
from ppaurora.protocols.ranking.precision_limits import BinomialLimits, PrecisionLimits
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import OneInterval
from ppaurora.protocols.statistics.parameters import choice, number
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Topic

METHODS: dict[str, type[PrecisionLimits]] = {
    "logit": LogitPrecisionLimits,
    "binomial": BinomialLimits,
}


@dataclass(frozen=True, slots=True)
class AveragePrecisionInterval(OneInterval[Ranked, Pooled]):
    """Average precision, lower and upper limit."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "average_precision_ci"
    short: ClassVar[str] = "Average precision"
    reference: ClassVar[str] = "Boyd, Eng and Page, ECML PKDD 2013"
    title: ClassVar[str] = (
        "average precision with its confidence interval, which tells the number of positives, "
        "nearly exactly"
    )
    known_as: ClassVar[str] = "logit and binomial intervals of the AUCPR"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    without_width: ClassVar[str] = (
        "no method of this statistic has a width where all positives come first; take auroc_ci, "
        "and say how many positives there are"
    )
    undefined: ClassVar[str] = NO_POSITIVES
    method: str = choice(
        "logit for limits on the logit scale, to at most eight decimals, binomial for limits on "
        "the plain scale",
        "logit",
        tuple(METHODS),
    )
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def _limits(self) -> PrecisionLimits:
        return METHODS[self.method]((1 - self.level) / 2)

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        return self._limits.private(party, data, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self._limits.cost(n, decimals)

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        if not data.P:
            return [undefined(decimals)] * self.words(decimals)
        A = exact_sum(((t - s) * t, j) for s, t, _, j in data.steps) / data.P
        return [
            half_up(10**decimals * number) for number in (A, *self._limits.plaintext(A, data.P))
        ]

    def fits(self, n: int, decimals: int) -> bool:
        return self._limits.fits(n, decimals)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, of which the value and the limits tell the number of positives "
            f"nearly exactly, and whether the metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 1:
            return ()
        return (
            f"{self.text}: with the value the interval tells the number of positives, nearly "
            "exactly; ask for average_precision alone where it is to stay hidden",
        )
