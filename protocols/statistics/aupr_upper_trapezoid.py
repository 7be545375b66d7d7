"""The area under the precision-recall curve by upper trapezoids: for comparison only, too high.

[Thesis, Eq. 4.4]: from one recall to the next a straight line from the largest precision at the
first to the smallest at the second. With y_(n+1) = 1, the places j and the positives TP_j up to
them,

    area = 1/2P · Σ_j TP_j·(y_j·[TP_j < P] + y_(j+1)·[TP_j >= 2])/j.

The precision is no straight line between two recalls, so the area is too high [Thesis, section
4.3]. The definition has a place for every sample. Within tied scores the positives come first, so
ties count in favour, as in `ppaurora.protocols.statistics.at_top`.

Always correctly rounded, as far as `ppaurora.protocols.arithmetic.reciprocals` says. Nobody learns
anything. Six hops, 4 a limb and 4 for every two decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import scaled_sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.precision_recall import PrecisionRecallArea


@dataclass(frozen=True, slots=True)
class UpperTrapezoid(PrecisionRecallArea):
    """Lines from the largest precision at a recall to the smallest one at the next."""

    name: ClassVar[str] = "aupr_upper_trapezoid"
    title: ClassVar[str] = (
        "area under the precision-recall curve by upper trapezoids, ties in favour; too high, for "
        "comparison only"
    )
    known_as: ClassVar[str] = "upper trapezoid estimator of the AUCPR"
    inputs: ClassVar[Inputs] = frozenset({Input.TIES})
    c: ClassVar[int] = 2

    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        y, TP, n = data.labels.y, data.labels.TP, data.n
        flags = is_negative(party, concatenate([TP - data.labels.P.repeat(n), TP - 2]))
        not_last, first = flags[:n], flags[n:]
        following = concatenate([y[1:], Shared.public(party.role, [1])])
        from_here, to_here = products(party, [y, not_last, following, 1 - first], [(0, 1), (2, 3)])
        return TP, from_here + to_here

    def factors_cost(self, n: int) -> Cost:
        return is_negative.cost().of(2 * n) + products.cost(factors=4, pairs=2).of(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        if not data.P:
            return None
        # the places of the positives, and behind the last of them the place after all
        places = [*(np.flatnonzero(data.labels) + 1).tolist(), data.n + 1]

        def terms() -> Iterator[tuple[int, int]]:
            levels = [(k, j, after - 1) for k, (j, after) in enumerate(pairwise(places), 1)]
            for (k, j, _), (_, _, last) in pairwise(levels):
                yield k, j
                yield k + 1, last

        return scaled_sum(terms, 2 * data.P, scale)
