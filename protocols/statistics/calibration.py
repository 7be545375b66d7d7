"""The calibration curve: the mean score and the rate of positives in parts of equal width.

[ROC-GLM, "calibration curve"], with a least count for each point: two parts between which the cut
may not be shown, by the least cell of the study (`ppaurora.protocols.grid.least_cell`), are one
row, instead of leaving out parts of single hospitals, which moves the curve. An empty part at
either end is in the row beside it, and the rows cover all scores. Where two parts meet, a score
belongs to that which speaks more for the positive class, so that parts are closed below, as printed
there, if that is the higher one. From and to are the owners' scores; the mean score is that of
1 - score, which is then compared with the rate of positives, where lower scores speak for them.

With s = 1 for the cut points that may be shown, and X the positives, samples and scores above each
cut point, a scan carries s·X to the next one that may; the difference is what lies in the part.
The rate is exact; the error of a mean score is that of `ppaurora.protocols.grid.sums`.
Nobody learns anything. Two hops, 2·log2(bins), one and five for every two
decimals, or for each of more than 64 bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, largest_wide_denominator, products, wide_divide, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import score_text
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.grid.sums import SCALE, WORDS, Sum, Unit, together
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, Part, PooledBins, places_of
from ppaurora.protocols.ranking.ranked import after_nothing
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic
from ppaurora.protocols.statistics.thresholds import MOST_PARTS

COLUMNS = ("from", "to", "predicted", "observed")
RATE = PublicRange()


@dataclass(frozen=True, slots=True)
class Merged:
    """The contents of each row, at the place of the last of its parts; 0 at all others."""

    positives: Shared
    samples: Shared
    scores: tuple[Shared, ...]
    unit: Unit

    def wide(self, party: Party) -> tuple[WideShared, WideShared, WideShared]:
        """Positives, samples, and the sum of scores in its unit; one hop."""
        columns = (self.positives, self.samples, *self.scores)
        found, m = widen(party, concatenate(columns)), len(self.positives)
        P, n, *scores = (found[k * m : (k + 1) * m] for k in range(len(columns)))
        return P, n, together(scores, self.unit)


def merged(party: Party, data: Binned, thresholds: Sequence[Fraction]) -> Merged:
    """The parts between these thresholds, of which those between two that are shown are one."""
    places = sorted(places_of(data.grid, thresholds))
    shown = [data.cuts.shown.index(place) for place in places]
    s = data.shown[np.array([*shown, len(data.cuts.shown)])]
    X = [*data.up_to(thresholds), *data.scores_up_to(thresholds)]
    pairs = [(0, 1 + column) for column in range(len(X))]
    ends = products(party, [s, *X], pairs)
    carried = [after_nothing(column) for column in carry(party, s, ends)]
    starts = products(party, [s, *carried], pairs)
    P, n, *scores = (end - start for end, start in zip(ends, starts, strict=True))
    return Merged(P, n, tuple(scores), data.unit(Sum.SCORES))


def merged_cost(parts: int) -> Cost:
    """The cost of `merged` and of widening it."""
    columns = 2 + WORDS
    chosen = products.cost(factors=1 + columns, pairs=columns).of(parts)
    carried = carry.cost(columns=columns).of(parts)
    return chosen + carried + chosen + widen.cost().of(columns * parts)


def merged_in_clear(data: PooledBins, thresholds: Sequence[Fraction]) -> list[Part | None]:
    """The same rows in the clear, None at the places of all other parts."""
    places = sorted(places_of(data.grid, thresholds))
    found: list[Part | None] = []
    pending = None
    ends = [*places, len(data.positives)]
    for end, part in zip(ends, data.parts(thresholds), strict=True):
        pending = part if pending is None else pending + part
        found.append(pending if end in data.shown and pending.samples > 0 else None)
        pending = None if end in data.shown else pending
    return found


@dataclass(frozen=True, slots=True)
class Calibration(Statistic[Binned, PooledBins], EqualParts):
    """A row for each part between two cuts that may be shown, from the lowest scores upwards."""

    name: ClassVar[str] = "calibration"
    short: ClassVar[str] = "Calibration curve"
    title: ClassVar[str] = "calibration curve: mean predicted probability and rate of positives"
    known_as: ClassVar[str] = "sklearn.calibration calibration_curve, rms val.prob"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    weighted: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = frozenset({Sum.SCORES})
    undefined: ClassVar[str] = "never"
    sums_scores: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    bins: int = whole("equal parts of the range of the scores", 8, least=2, most=MOST_PARTS)

    @property
    def parts(self) -> int:
        return self.bins

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        P, n, S = merged(party, data, self.thresholds()).wide(party)
        scale = data.unit(Sum.SCORES).scale
        return wide_divide(
            party,
            concatenate_wide([S, P * scale]),
            concatenate_wide([n * scale, n * scale]),
            digits=decimals,
            bound=max(1, data.n * SCALE),
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return merged_cost(self.bins) + wide_divide.cost(digits=decimals).of(2 * self.bins)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        parts = merged_in_clear(data, self.thresholds())
        predicted = [part.scores / part.samples if part else None for part in parts]
        observed = [Fraction(part.positives, part.samples) if part else None for part in parts]
        return [RATE.word(value, decimals) for value in (*predicted, *observed)]

    def words(self, decimals: int) -> int:
        return 2 * self.bins

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [RATE.text(self.text, word, decimals) for word in words]
        found: list[tuple[int, str, str]] = []
        for place in range(self.bins):
            predicted, observed = cells[place], cells[self.bins + place]
            if (predicted is None) != (observed is None):
                raise RemoteProtocolError(
                    f"the shares of {self.text} do not make a result",
                    advice="The two proxies hold shares of different runs; ask for the result "
                    "again.",
                )
            if predicted is not None and observed is not None:
                found.append((place + 1, predicted, observed))
        if not found:
            return Table(COLUMNS, withheld=self.study.too_few)
        # what is empty below the last part that is not belongs to it
        ends = [0, *(end for end, _, _ in found[:-1]), self.bins]
        rows = [
            (*self._scores(start, end), predicted, observed)
            for (start, end), (_, predicted, observed) in zip(pairwise(ends), found, strict=True)
        ]
        return Table(COLUMNS, tuple(reversed(rows) if self.study.higher else rows))

    def _scores(self, start: int, end: int) -> tuple[str, str]:
        """From where to where the scores of some parts reach."""
        higher = self.study.higher
        low, high = (self.bins - end, self.bins - start) if higher else (start, end)
        return score_text(Fraction(low, self.bins)), score_text(Fraction(high, self.bins))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n * SCALE <= largest_wide_denominator()

    def leaks(self, decimals: int) -> str:
        return (
            "which neighbouring parts are one row, and for each row the released "
            "decimals of the mean predicted probability and of the rate of positives"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if not 0 < sum(sizes) < 10**decimals * self.bins:
            return ()
        return (
            f"{self.text}: to {decimals} decimals the rate of a part with fewer than "
            f"{10**decimals} samples tells its counts",
        )
