"""Areas under the precision-recall curve: exact from the sum to the rounding.

[ppAURORA, Alg. 4, errata 1 and 2]: the precision at place j is TP_j / j with public j, so that no
vector is divided. An area is Y/(c·P) with Y = Σ_j S_j/j, in the trapezoid plus a whole number, and

    round_half_up(10^d·Y/cP) = floor((2·10^d·Y + cP) / 2cP) = floor((floor(2·10^d·Y) + cP) / 2cP),

so the whole part of 2·10^d·Y suffices (`Reciprocals`), and nothing is rounded before it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_divisor, multiply, whole_quotient
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.reciprocals import Reciprocals
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import OneNumber
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Topic


class PrecisionRecallArea(OneNumber[Ranked, Pooled]):
    """An area Y/(c·P), with `c` 1 for steps and 2 for trapezoids."""

    __slots__ = ()

    topic: ClassVar[Topic] = Topic.PRECISION
    pipeline: ClassVar[type[SortedList]] = SortedList
    undefined: ClassVar[str] = NO_POSITIVES
    c: ClassVar[int]

    @abstractmethod
    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        """Two vectors whose products are S_j."""

    def factors_cost(self, n: int) -> Cost:
        """The cost of `factors` for n samples."""
        return Cost()

    def whole(self, data: Ranked) -> Shared | int:
        """The whole number that Y has beside the sum."""
        return 0

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        P, n, c = data.labels.P, data.n, self.c
        weights = Reciprocals.fitting(n, c, decimals)
        if weights is None:
            raise LocalProtocolError(f"no weights for {n} samples and {decimals} decimals")
        S = multiply(party, *self.factors(party, data))
        # P² = n·P - P·N
        Y2 = weights.whole_sum(party, S, P * n - data.PN)
        Y2 = Y2 + self.whole(data) * (2 * 10**decimals)
        return whole_quotient(party, Y2 + P * c, P * (2 * c), digits=decimals, bound=2 * c * n)

    def cost(self, n: int, decimals: int) -> Cost:
        weights = Reciprocals.fitting(n, self.c, decimals)
        chain = Cost() if weights is None else weights.cost()
        sum_of_fractions = self.factors_cost(n) + multiply.cost().of(n) + chain
        division = whole_quotient.cost(digits=decimals, bound=2 * self.c * n).of(1)
        return sum_of_fractions + division

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        fits = 2 * self.c * n <= largest_divisor(decimals)
        return fits and Reciprocals.fitting(n, self.c, decimals) is not None

    def label_digits(self, decimals: int) -> int:
        return decimals
