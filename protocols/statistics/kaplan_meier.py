"""The Kaplan-Meier curve at public times, with its interval and the numbers at risk.

[Kaplan and Meier, JASA 53:457-481, 1958]. With r_j samples followed up to the j-th cell of the grid
of times and d_j events in it,

    S(t) = Π (1 - d_j/r_j) over the cells up to t,      V(t) = Σ d_j/(r_j·(r_j - d_j)),

and the interval of Greenwood's variance S²·V on the scale of log(-log S), R's conf.type="log-log",

    S^exp(±z·√V/ln S).

Released are for each time the number of events until then, the number followed for longer (at risk
behind it), S and n·V. The receivers hold these two to four decimals more than they are shown, each
rounded down, and make the limits of them; so S is correctly rounded, and so are limits whose exact
value is further than 10^-(d+2) from a rounding boundary, of d decimals. Where S is 1 or 0 there are
no limits.

S and n·V are found with 96 bits behind the point (`ppaurora.protocols.ranking.survival_curve`), too
high by less than 10^-(d+9): what is held can be one unit too high, only if the exact number lies as
close below that. Sizes for which 96 bits do not do are refused.

A time is withheld where the study's least cell is not reached, by itself or by the difference to
another time (`ppaurora.protocols.grid.least_interval`). S of a grid finer than the times that are
shown tells a little of what happened between them: its decimals count as such that tell labels.
Nobody learns anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, wide_divide_to_wide
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.grid.least_cell import LEAST_CELL
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.times import CURVE, GREENWOOD, ShownAtTimes, TimedCounts
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.survival_curve import POINT, pooled_curve
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    WITHHELD,
    Released,
    Table,
    ValueKind,
    decimal_text,
)
from ppaurora.protocols.statistics.of_times import AT, AtTimes
from ppaurora.protocols.statistics.parameters import number, time

MORE_DECIMALS = 4
"""So many more decimals the receivers hold."""
TENS = 10
"""Digits before the point of n·V, which is at most a little more than n."""
COLUMNS = ("time", "survival", "lower", "upper", "at_risk", "events")
QUANTILE_DIGITS = 30
NO_LIMITS = "a curve that is still 1, or is 0, has no interval of this kind"
"""Reason for limits that do not exist."""


@dataclass(frozen=True, slots=True)
class KaplanMeier(AtTimes, ShownAtTimes):
    """A row for each time."""

    name: ClassVar[str] = "kaplan_meier"
    short: ClassVar[str] = "Kaplan-Meier curve"
    title: ClassVar[str] = (
        "Kaplan-Meier curve at public times, with limits (log-log) and numbers at risk"
    )
    reference: ClassVar[str] = "Kaplan and Meier, JASA 53:457-481, 1958"
    known_as: ClassVar[str] = (
        "R survival survfit(conf.type=log-log), lifelines KaplanMeierFitter, scikit-survival "
        "kaplan_meier_estimator"
    )
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    inputs: ClassVar[Inputs] = frozenset({CURVE, GREENWOOD})
    undefined: ClassVar[str] = NO_LIMITS

    at: tuple[Fraction, ...] | None = time(AT)
    level: Fraction = number("of the interval", "0.95", closed=False)
    least: int = field(default=1, kw_only=True)

    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> KaplanMeier:
        return replace(self, times=times, least=least).with_edges(self.text)

    @property
    def shown_at(self) -> Sequence[Fraction]:
        return self.ends

    @property
    def _places(self) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """The cells that end at the times."""
        return np.array([self.times.edges.index(at) for at in self.ends], np.intp)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        assert isinstance(data, TimedCounts)
        curve, k = data.curve, self._places
        assert curve.V is not None
        n, held = data.n, 10 ** self.decimals_held(decimals)
        S, V = curve.S[k], curve.V[k]
        # rounded half up, x - 1/2 is x rounded down
        half = WideShared.public(party.role, [1 << POINT] * len(k))
        numbers = concatenate_wide([S * (2 * held) - half, V * (2 * held * n) - half])
        whole = _whole(held)
        found = wide_divide_to_wide(
            party,
            numbers,
            WideShared.public(party.role, [whole] * (2 * len(k))),
            digits=self.decimals_held(decimals) + TENS,
            bound=whole,
        ).low()
        events = data.of_times(data.positives, len(self.times)).cumsum()[k]
        size = len(data.positives) // len(self.times)
        shown = data.shown[np.array([data.cuts.shown.index((one + 1) * size) for one in k])]
        words = concatenate([found, events, curve.left[k + 1]])
        # a word of 0 says that the time is withheld
        kept = multiply(party, words + 1, concatenate([shown] * 4))
        return concatenate([Shared.public(party.role, [n]), kept])

    def cost(self, n: int, decimals: int) -> Cost:
        rows = len(self.ends)
        held = self.decimals_held(decimals)
        division = wide_divide_to_wide.cost(digits=held + TENS, bound=_whole(10**held))
        return division.of(2 * rows) + multiply.cost().of(4 * rows)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        times = len(self.times)
        size = len(data.positives) // times
        events, censored = (
            [sum(cells[k * size : (k + 1) * size]) for k in range(times)]
            for cells in (data.positives, data.negatives)
        )
        curve, held = pooled_curve(events, censored), 10 ** self.decimals_held(decimals)
        rows = []
        for k in self._places.tolist():
            row = (
                held * curve.S[k] // 1,
                held * data.n * curve.V[k] // 1,
                sum(events[: k + 1]),
                curve.left[k + 1],
            )
            shown = (k + 1) * size in data.shown
            rows.append([int(word) + 1 if shown else 0 for word in row])
        return [data.n, *(word for column in zip(*rows, strict=True) for word in column)]

    def words(self, decimals: int) -> int:
        return 1 + 4 * len(self.ends)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        n, *rest = words
        rows = len(self.ends)
        columns = [rest[start : start + rows] for start in range(0, 4 * rows, rows)]
        shown = [self._row(n, row, decimals) for row in zip(*columns, strict=True)]
        cells = {cell for row in shown for cell in row}
        return Table(
            COLUMNS,
            tuple((decimal(at), *row) for at, row in zip(self.ends, shown, strict=True)),
            undefined=self.undefined if None in cells else "",
            withheld=self._few if WITHHELD in cells else "",
        )

    @property
    def _few(self) -> str:
        return (
            f"1 to {self.least - 1} events or censored samples between this time and another, or "
            f"followed for longer, in some owner's eyes"
        )

    def _row(self, n: int, words: Sequence[int], decimals: int) -> tuple[str | None, ...]:
        """The cells of one time behind it."""
        if not any(words):
            return (WITHHELD,) * (len(COLUMNS) - 1)
        survival, variance, events, left = (word - 1 for word in words)
        held = 10 ** self.decimals_held(decimals)
        if min(survival, variance, events, left) < 0 or not (survival <= held and left <= n):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        more = 10**MORE_DECIMALS
        value = decimal_text((survival + more // 2) // more, decimals)
        limits: Sequence[str | None] = (None, None)
        if 0 < survival < held:
            limits = _limits(
                Fraction(survival, held), Fraction(variance, held * n), self.level, decimals
            )
        return (value, *limits, str(left), str(events))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        # n·V is too high by less than 3·n·K·2^-96
        sure = 3 * n * len(self.times) * 10 ** (decimals + 9) <= 1 << POINT
        return n == 0 or (sure and 10 ** self.decimals_held(decimals) * (2 * n + 2) < 1 << 63)

    def readings(self) -> frozenset[str]:
        times = "/".join(map(decimal, sorted(self.ends)))
        if self.least >= LEAST_CELL:
            # which are withheld depends on all of them
            return frozenset({f"events up to the times {times}, least cell {self.least}"})
        under = f", least cell {self.least} beside {times}" if self.least > 1 else ""
        return frozenset(f"events up to time {decimal(at)}{under}" for at in self.ends)

    def decimals_held(self, decimals: int) -> int:
        return decimals + MORE_DECIMALS

    def label_digits(self, decimals: int) -> int:
        return 2 * len(self.ends) * self.decimals_held(decimals)

    def leaks(self, decimals: int) -> str:
        held = self.decimals_held(decimals)
        return (
            "for each time the numbers of events until then and of samples followed for longer, "
            f"the estimate and Greenwood's sum to {held} decimals, or whether it is withheld, "
            "because the least cell of the study is not reached; all owners but one together "
            "learn these counts of the last one's rows"
        )


def _whole(held: int) -> int:
    """The divisor of numbers with 96 bits behind the point."""
    whole: int = (2 * held << POINT) * 10**TENS
    return whole


def _limits(S: Fraction, V: Fraction, level: Fraction, decimals: int) -> tuple[str, str]:
    """The limits of Greenwood's variance on the scale of log(-log S).

    >>> _limits(Fraction(1, 2), Fraction(1, 100), Fraction(19, 20), 3)
    ('0.399', '0.593')
    """
    with localcontext() as context:
        context.prec = QUANTILE_DIGITS + 10
        log = (Decimal(S.numerator) / S.denominator).ln()
        z = Decimal(scaled_quantile((1 - level) / 2, QUANTILE_DIGITS)).scaleb(-QUANTILE_DIGITS)
        width = z * (Decimal(V.numerator) / V.denominator).sqrt() / -log
        found = sorted((log * (sign * width).exp()).exp() for sign in (1, -1))
        lower, upper = (one.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) for one in found)
    return f"{lower:f}", f"{upper:f}"
