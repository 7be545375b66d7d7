"""Counts and sums of joined rows at the thresholds of a study, as owners count rows of their own.

The pairs stand in no order, at public places: those of each owner of rows with both, and then those
of partners, of which nobody knows how many there are. With J_i = 1 where there is a pair, k = 1 if
there are at least as many as the study asks for, and y_i the label,

    J'_i = k·J_i    p_i = y_i·J'_i

a row counts as p_i positives and J'_i - p_i negatives above each threshold
(`ppaurora.protocols.ranking.above_cuts`). Scores with at most `MOST_STEP_DECIMALS` decimals d are
summed, too. With U = 2·10^d and f_i = 2·code_i, the key less the label, a score is f_i / U, and

    the sum of the scores        U·Σ z_i / U²,                             z_i = J'_i·f_i
    the sum of squared errors    (U²·Σ p_i - 2·U·Σ y_i·z_i + Σ z_i·f_i) / U²

exact for the decimals as they are written; all sums stay below 2^63. Scores of other resolutions
have no such sums: their codes are no numbers that can be added.

The least cell is that of all joined rows together, and as each owner of rows with both sees them,
which can leave out its own. The others know one half of a row. Nobody learns anything. Eight hops,
more where there are so many comparisons that they are made in strips, and those of the least cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    multiply,
    products,
    sums_of_products,
    to_arithmetic,
)
from ppaurora.mpc.shares import Shared, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.layout import Layout
from ppaurora.protocols.grid.least_cell import shown, shown_cost, shown_plaintext
from ppaurora.protocols.grid.sums import WORDS, Sum
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Choices, PhaseEstimate
from ppaurora.protocols.ranking.above_cuts import above_cuts, above_cuts_cost, first_codes
from ppaurora.protocols.ranking.binned import Binned, PooledBins, between

SUMMED = frozenset({Sum.SCORES, Sum.SQUARES})
"""The sums that servers can make of joined rows."""
MOST_STEP_DECIMALS = 6
"""Decimals of scores that can be summed."""
LARGEST_SUM = (1 << 63) - 1
CLASSES = 2
Segments = Sequence[tuple[Sequence[int], Sequence[int]]]
"""The codes and the labels of the rows in each segment, in the clear."""


@dataclass(frozen=True, slots=True)
class JoinedPairs:
    """All pairs in no order, at public places: those of each owner with both, then partners.

    `keys` are theirs, -1 of a place without partners, where `there` is 0 and else 1. Of each owner
    with both, and then of the partners, the places end at `ends`.
    """

    keys: Shared
    there: Shared
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JoinedCounts:
    """Counts and sums as `layout` asks for them; of fewer pairs than `least`, as of none.

    With `narrow` keys are compared mod 2^32.
    """

    layout: Layout
    least: int
    narrow: bool

    @classmethod
    def of(cls, choices: Choices, *, narrow: bool) -> JoinedCounts | None:
        """Those that the statistics of a study ask for, if any is of counts and sums."""
        if all(getattr(one, "pipeline", None) is not OwnersSums for one in choices.asked):
            return None
        layout = OwnersSums.layout_of(choices)
        scale = layout.scale
        fine = scale.kind is Resolution.DECIMALS and scale.number <= MOST_STEP_DECIMALS
        if layout.sums and not fine:
            raise OptionRefused(
                "resolution",
                "is not one of which servers can sum the scores of joined rows",
                advice=f'Take "decimals:4", or up to {MOST_STEP_DECIMALS} decimals, or leave out '
                "the metrics of calibration, Brier scores and the expected number.",
            )
        return cls(layout, choices.least_join, narrow)

    @property
    def unit(self) -> int:
        """U, which a key less its label is divided by: a score of 1 has 2·10^d."""
        unit: int = 2 * 10**self.layout.scale.number
        return unit

    @property
    def _scaled(self) -> bool:
        """True if sums of scores are asked for between thresholds."""
        return self.layout.cuts.parts > 1

    @property
    def _columns(self) -> int:
        return 2 + self._scaled

    def check_addable(self, most: int) -> None:
        """Refuse more joined rows than there are whose scores can be summed."""
        fit = LARGEST_SUM // self.unit**2
        if self.layout.sums and most > fit:
            raise BoundExceeded(
                f"{most} joined rows, of which {fit} can be summed by scores of "
                f"{self.layout.scale.number} decimals",
                advice="Take a resolution of fewer decimals, or leave out the metrics of sums.",
            )

    def prepare(self, party: Party, pairs: JoinedPairs, *, most: int) -> Binned:
        """The counts and sums of at most so many pairs that there are."""
        layout, U = self.layout, self.unit
        with party.phase("counts"):
            J, y = side_by_side(
                party,
                [partial(self._counting, pairs=pairs), partial(_labels, keys=pairs.keys)],
            )
            f = pairs.keys - y
            p, z = products(party, [y, J, f], [(0, 1), (1, 2)])
            columns = [p, J, z][: self._columns]
            above, [squares] = side_by_side(
                party,
                [
                    partial(self._above, keys=pairs.keys, columns=columns, ends=pairs.ends),
                    partial(self._squares, y=y, z=z, f=f),
                ],
            )
        segments = _with_all(above, columns, pairs.ends)
        positives = [own[0] for own in segments]
        negatives = [own[1] - own[0] for own in segments]
        seen = self._shown(party, positives, negatives)
        sums: dict[Sum, tuple[Shared, ...]] = {}
        if Sum.SCORES in layout.sums:
            scores = z.sum()
            if self._scaled:
                ends = np.array([*layout.cuts.places, len(layout.grid)]) - 1
                scores = between(_total([own[2] for own in segments])[ends])
            sums[Sum.SCORES] = _in_words(scores * U)
        if Sum.SQUARES in layout.sums:
            yz, zf = squares
            sums[Sum.SQUARES] = _in_words(p.sum() * U**2 - yz * (2 * U) + zf)
        return Binned(
            between(_total(positives)),
            between(_total(negatives)),
            most,
            None,
            layout.grid,
            layout.cuts,
            seen,
            sums,
            scale=U**2,
            joined=pairs.there.sum(),
        )

    def _counting(self, party: Party, pairs: JoinedPairs) -> Shared:
        """J'."""
        few = is_negative(party, pairs.there.sum() - self.least)
        return multiply(party, pairs.there, (1 - few).repeat(len(pairs.there)))

    def _above(
        self, party: Party, keys: Shared, columns: Sequence[Shared], ends: Sequence[int]
    ) -> list[list[Shared]]:
        cuts = [2 * code for code in first_codes(self.layout.grid, self.layout.scale)]
        return above_cuts(party, keys, columns, cuts, ends=ends, narrow=self.narrow)

    def _squares(self, party: Party, y: Shared, z: Shared, f: Shared) -> list[list[Shared]]:
        """Σ y·z and Σ z·f, if they are asked for."""
        if Sum.SQUARES not in self.layout.sums:
            return [[]]
        return [sums_of_products(party, [y, z, f], [(0, 1), (1, 2)])]

    def _shown(
        self, party: Party, positives: Sequence[Shared], negatives: Sequence[Shared]
    ) -> Shared:
        cuts = self.layout.cuts
        if not cuts.withhold:
            return Shared.public(party.role, np.ones(len(cuts.shown) + 1, np.uint64))
        ends = np.array([*cuts.shown, len(self.layout.grid)]) - 1
        kinds = [[between(one[ends]) for one in kind] for kind in (positives, negatives)]
        with party.phase("least cell"):
            return shown(party, kinds, cuts.order, cuts.least, nobodys=1)

    def preparing(self, pairs: int, ends: Sequence[int]) -> tuple[PhaseEstimate, ...]:
        """The cost of `prepare` for so many places of pairs."""
        counting = is_negative.cost().of(1) + multiply.cost().of(pairs)
        labels = to_arithmetic.cost().of(pairs)
        chosen = products.cost(factors=3, pairs=2).of(pairs)
        cuts = len(self.layout.grid) - 1
        above = above_cuts_cost(pairs, self._columns, cuts, ends=ends, narrow=self.narrow)
        squares = Cost()
        if Sum.SQUARES in self.layout.sums:
            squares = sums_of_products.cost(factors=3, pairs=2).of(pairs)
        phases = [PhaseEstimate("counts", (counting | labels) + chosen + (above | squares))]
        if self.layout.cuts.withhold:
            views = CLASSES * max(1, len(ends) - 1)
            phases.append(PhaseEstimate("least cell", shown_cost(self.layout.cuts.order, views)))
        return tuple(phases)

    def plaintext(self, segments: Segments, joined: int) -> PooledBins:
        """The same in the clear, of rows that are enough, or none; so many are `joined`."""
        layout, cuts, cells = self.layout, self.layout.cuts, len(self.layout.grid)
        counts = np.zeros((len(segments), CLASSES, cells), np.int64)
        top = self.unit // 2
        scores, squares = np.zeros(cuts.parts, np.int64), 0
        for own, (codes, labels) in zip(counts, segments, strict=True):
            k, y = np.array(codes, np.uint64), np.array(labels, np.int64)
            places = layout.grid.places(layout.scale.scores(k))
            np.add.at(own, (1 - y, places), 1)
            if layout.sums:
                np.add.at(scores, cuts.part_of(places), k.astype(np.int64))
                squares += int(((y * top - k.astype(np.int64)) ** 2).sum())
        found = {
            Sum.SCORES: [Fraction(total, top) for total in scores.tolist()],
            Sum.SQUARES: [Fraction(squares, top**2)],
        }
        positives, negatives = counts.sum(axis=0).tolist()
        return PooledBins(
            tuple(positives),
            tuple(negatives),
            layout.grid,
            cuts,
            self._shown_plaintext(counts),
            {which: found[which] for which in layout.sums},
            joined=joined,
        )

    def _shown_plaintext(self, counts: NDArray[np.int64]) -> frozenset[int]:
        cuts = self.layout.cuts
        ends = (*cuts.shown, len(self.layout.grid))
        if not cuts.withhold:
            return frozenset(ends)
        parts = np.add.reduceat(counts, [0, *cuts.shown], axis=2)
        of_classes = [[own[kind].tolist() for own in parts] for kind in range(CLASSES)]
        fine = shown_plaintext(of_classes, cuts.order, cuts.least, nobodys=1)
        return frozenset(end for end, seen in zip(ends, fine, strict=True) if seen)


def _labels(party: Party, keys: Shared) -> Shared:
    return to_arithmetic(party, low_bits(keys))


def _with_all(
    above: Sequence[Sequence[Shared]], columns: Sequence[Shared], ends: Sequence[int]
) -> list[list[Shared]]:
    """The sums of each segment above each threshold, and then those of all its rows."""
    starts = [0, *ends]
    return [
        [
            concatenate([part, column[start:stop].sum()])
            for part, column in zip(own, columns, strict=True)
        ]
        for own, start, stop in zip(above, starts, ends, strict=False)
    ]


def _total(parts: Sequence[Shared]) -> Shared:
    total = parts[0]
    for one in parts[1:]:
        total = total + one
    return total


def _in_words(sums: Shared) -> tuple[Shared, ...]:
    """Sums in the place of the last of the words in which owners share theirs."""
    zeros = Shared.zeros(sums.role, len(sums))
    return (*[zeros] * (WORDS - 1), sums)
