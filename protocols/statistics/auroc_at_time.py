"""AUC(t): the chance that who has the event by t scores higher than who is followed for longer.

[Hung and Chiang, Canadian Journal of Statistics 38:8-26, 2010; Blanche et al., Statistics in
Medicine 32:5381-5397, 2013], cumulative cases and dynamic controls with inverse probability of
censoring weights (`ppaurora.protocols.statistics.censoring_weights`). The weights of controls are
all alike and cancel, so with e_j[s] events in the j-th cell of times and s-th of scores, R[s]
samples followed for longer than t, r of them in all, and u_j = S_(j-1)/r_j,

    AUC(t) = Σ_(j <= k) u_j·Σ_s e_j[s]·(2·Σ_(s' > s) R[s'] + R[s]) / (2·r·(1 - S_k)),

tied scores counted half. Of scores in bins it is that of the binned scores.

How exact: the numerator is never too low and the denominator never too high; of n samples in K
cells the number is too high by less than n·(5·n + 4·K + 9)·2^-96, which sizes that fit keep below
10^-(d+5) for d decimals. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_zero, multiply, wide_products, widen
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.pipelines.times import TimedCounts
from ppaurora.protocols.ranking.survival_curve import POINT
from ppaurora.protocols.statistics.censoring_weights import (
    CensoringWeighted,
    Places,
    Weighed,
    fits_wide,
    later_than,
)
from ppaurora.protocols.statistics.of_times import AT
from ppaurora.protocols.statistics.parameters import time


@dataclass(frozen=True, slots=True)
class AurocAtTime(CensoringWeighted):
    """AUC(t) for each time."""

    name: ClassVar[str] = "auroc_at_time"
    short: ClassVar[str] = "AUC(t)"
    title: ClassVar[str] = (
        "AUC(t), cumulative cases and dynamic controls, weighed by inverse chances of censoring"
    )
    reference: ClassVar[str] = "Blanche et al., Statistics in Medicine 32:5381-5397, 2013"
    known_as: ClassVar[str] = (
        "R timeROC(weighting=marginal), scikit-survival cumulative_dynamic_auc"
    )
    column: ClassVar[str] = "auroc"
    undefined: ClassVar[str] = "nobody has the event by the time, or is followed for longer"

    at: tuple[Fraction, ...] | None = time(AT)

    def ratio(self, party: Party, data: TimedCounts, u: WideShared, k: Places) -> WideRatio:
        e, times = data.positives, len(self.times)
        size = len(e) // times
        later = later_than(e + data.negatives, times, k)
        below = [R.sum().repeat(size) - R.cumsum() for R in later]
        won = [W * 2 + R for W, R in zip(below, later, strict=True)]
        before = [e[: (int(one) + 1) * size] for one in k]
        rows = [np.tile(np.arange(size), int(one) + 1) for one in k]
        happened = concatenate(own.sum() for own in before)
        pairs, none = side_by_side(
            party,
            [
                lambda own: multiply(
                    own,
                    concatenate(before),
                    concatenate(W[row] for W, row in zip(won, rows, strict=True)),
                ),
                lambda own: is_zero(own, happened),
            ],
        )
        left = multiply(party, data.curve.left[k + 1], 1 - none)
        ends = pairs.cumsum()[np.arange(len(pairs) // size) * size + size - 1]
        X = concatenate([ends[:1], ends[1:] - ends[:-1]])
        wide = widen(party, concatenate([X, left]))
        weights = concatenate_wide([u[: int(one) + 1] for one in k])
        events = concatenate_wide([weights, -data.curve.S[k] + (1 << POINT)])
        [found] = wide_products(party, [wide, events], [(0, 1)])
        starts = np.cumsum([0, *(k + 1)]).tolist()
        N = concatenate_wide([found[a:b].sum() for a, b in pairwise(starts)])
        return WideRatio(N, found[len(X) :] * 2, max(1, data.n) * (2 << POINT))

    def ratio_cost(self, n: int) -> Cost:
        size, rows = n // len(self.times), len(self.ends)
        cells = sum(self._cells)
        return (
            (multiply.cost().of(cells * size) | is_zero.cost().of(rows))
            + multiply.cost().of(rows)
            + widen.cost().of(cells + rows)
            + wide_products.cost(factors=2, pairs=1).of(cells + rows)
        )

    @property
    def _cells(self) -> list[int]:
        """The number of cells of times up to each of the times; 1 where there is no such grid."""
        places = (self.times.place(at) for at in self.ends)
        return [1 if place is None else place + 1 for place in places]

    def exact(self, data: Weighed) -> Fraction | None:
        if not data.left or not any(map(any, data.events)):
            return None
        won, below = Fraction(0), 0
        for s in reversed(range(len(data.later))):
            weight = sum(
                (u * own[s] for u, own in zip(data.weights, data.events, strict=True)),
                Fraction(0),
            )
            won += weight * (2 * below + data.later[s])
            below += data.later[s]
        return won / (2 * data.left * (1 - data.S))

    def fits(self, n: int, decimals: int) -> bool:
        error = n * (5 * n + 4 * len(self.times) + 9) * 10 ** (decimals + 5)
        return error <= 1 << POINT and fits_wide(max(1, n) * (2 << POINT))
