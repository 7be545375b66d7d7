"""The Brier score at t of scores that are chances of having the event by t.

[Graf et al., Statistics in Medicine 18:2529-2545, 1999]. With f the score, (1 - f)² of those with
their event by t and f² of those followed for longer, each with its inverse probability of censoring
weight (`ppaurora.protocols.statistics.censoring_weights`), over the number of all samples. With
Y_j = Σ (1 - f)² over the events in the j-th cell of times, Z = Σ f² over the r samples followed for
longer than t, and u_j = S_(j-1)/r_j,

    BS(t) = Σ_(j <= k) u_j·Y_j + S_k·Z/r = (r·Σ u_j·Y_j + S_k·Z) / r.

Scores have few decimals, so Y and Z are sums of counts times public numbers, which take no message.
A model has one horizon for which its scores are chances: ask for that time.

How exact: never too low; of n samples in K cells too high by less than (5·n + 4·K + 9)·2^-96, which
sizes that fit keep below 10^-(d+5) for d decimals. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_products, widen
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Resolution, Scale
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
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class BrierAtTime(CensoringWeighted):
    """The Brier score for each time; scores are whole multiples of 1/`steps`."""

    name: ClassVar[str] = "brier_at_time"
    short: ClassVar[str] = "Brier score at t"
    title: ClassVar[str] = "Brier score of chances of an event by t, weighed for censoring"
    reference: ClassVar[str] = "Graf et al., Statistics in Medicine 18:2529-2545, 1999"
    known_as: ClassVar[str] = "scikit-survival brier_score, R pec(cens.model=marginal)"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    column: ClassVar[str] = "brier"
    undefined: ClassVar[str] = "nobody is followed for longer than the time"

    at: tuple[Fraction, ...] | None = time(AT)
    steps: int = 1

    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> Self:
        if not scale.probabilities or scale.kind is not Resolution.DECIMALS:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which squares chances of few decimals, and the study's "
                f"scores are {scale.holds}",
                advice='Take a range of [0, 1] and a resolution such as "decimals:2" (owners that '
                "have more decimals say --round), or leave it out.",
            )
        found = CensoringWeighted.on_grid(self, times, scale, least)
        return replace(found, steps=10**scale.number)

    def ratio(self, party: Party, data: TimedCounts, u: WideShared, k: Places) -> WideRatio:
        e, times = data.positives, len(self.times)
        # the s-th score is (steps - s)/steps, or as far from 1 where lower ones speak for events
        missed = np.arange(len(e) // times, dtype=np.uint64)
        Y = data.of_times(e * np.tile(missed**2, times), times)[: times - 1]
        f = (np.uint64(self.steps) - missed) ** 2
        Z = concatenate((R * f).sum() for R in later_than(e + data.negatives, times, k))
        left = data.curve.left[k + 1]
        wide = widen(party, concatenate([Y, Z, left]))
        K, rows = len(Y), len(k)
        Y_wide, Z_wide, r = wide[:K], wide[K : K + rows], wide[K + rows :]
        [found] = wide_products(
            party,
            [concatenate_wide([Y_wide, Z_wide]), concatenate_wide([u, data.curve.S[k]])],
            [(0, 1)],
        )
        sums = concatenate_wide([found[: int(one) + 1].sum() for one in k])
        [of_events] = wide_products(party, [sums, r], [(0, 1)])
        D = r * (self.steps**2 << POINT)
        return WideRatio(of_events + found[K:], D, max(1, data.n) * self.steps**2 << POINT)

    def ratio_cost(self, n: int) -> Cost:
        K, rows = len(self.times.edges), len(self.ends)
        each = wide_products.cost(factors=2, pairs=1)
        return widen.cost().of(K + 2 * rows) + each.of(K + rows) + each.of(rows)

    def exact(self, data: Weighed) -> Fraction | None:
        if not data.left:
            return None
        scores = [Fraction(self.steps - s, self.steps) for s in range(len(data.later))]
        lost = sum(
            (
                u * sum(own[s] * (1 - f) ** 2 for s, f in enumerate(scores))
                for u, own in zip(data.weights, data.events, strict=True)
            ),
            Fraction(0),
        )
        kept = sum((R * f**2 for R, f in zip(data.later, scores, strict=True)), Fraction(0))
        return lost + data.S * kept / data.left

    def fits(self, n: int, decimals: int) -> bool:
        error = (5 * n + 4 * len(self.times) + 9) * 10 ** (decimals + 5)
        counted = n * self.steps**2 < 1 << 62
        bound = max(1, n) * self.steps**2 << POINT
        return n == 0 or (error <= 1 << POINT and counted and fits_wide(bound))
