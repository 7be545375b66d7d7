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

exact for the decimals as they are written; all sums stay below 2^63. The codes of scores of other
resolutions are no numbers that can be added, and a logarithm or a fourth power is not of any. So
the owner of a score shares words of what its row adds to each sum, of a negative and of a positive
where this depends on the label (`ppaurora.protocols.grid.row_sums`). They go where the score goes,
to the pair, and word by word

    a sum of scores    Σ J'_i·F_i        any other one    Σ J'_i·V_i + Σ p_i·(W_i - V_i),

with V of a negative and W of a positive: for each row the one that its label says, below 2^63 in
all.

In a study of groups or weights what a pair counts in each part, c_i, stands in the place of J'_i
(`ppaurora.protocols.pipelines.joined_beside`), and the counts and sums are those of each part; of
all together they are the sum of the groups'. A threshold that the least cell keeps back in one of
these is kept back in all (`ppaurora.protocols.pipelines.groups`). There are none with weights.

The least cell is that of all joined rows together, and as each owner of rows with both sees them,
which can leave out its own. The others know one half of a row. Nobody learns anything. Eight hops,
more where there are so many comparisons that they are made in strips, and those of the least cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from operator import or_
from typing import Any

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
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import HIGHER
from ppaurora.protocols.grid.layout import Layout, Sums
from ppaurora.protocols.grid.least_cell import shown, shown_cost, shown_plaintext
from ppaurora.protocols.grid.row_sums import RowWords, kinds
from ppaurora.protocols.grid.sums import WORDS, Sum, Unit
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.pipelines.counted_folds import CountedFolds
from ppaurora.protocols.pipelines.groups import WHOLE, product_cost, product_of
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.joined_beside import Beside, parts_of
from ppaurora.protocols.pipelines.pipeline import Choices, PhaseEstimate
from ppaurora.protocols.ranking.above_cuts import above_cuts, above_cuts_cost, first_codes
from ppaurora.protocols.ranking.binned import Binned, PooledBins, between

BY_CODE = frozenset({Sum.SCORES, Sum.SQUARES})
"""The sums that servers can make of the codes of few decimals."""
MOST_STEP_DECIMALS = 6
"""Decimals of scores of which the codes can be summed."""
LARGEST_SUM = (1 << 63) - 1
CLASSES = 2
Segments = Sequence[tuple[Sequence[int], Sequence[int]]]
"""The codes and the labels of the rows in each segment, in the clear."""


@dataclass(frozen=True, slots=True)
class JoinedPairs:
    """All pairs in no order, at public places: those of each owner with both, then partners.

    `keys` are theirs, -1 of a place without partners, where `there` is 0 and else 1. Of each owner
    with both, and then of the partners, the places end at `ends`. `beside` are the words that one
    side has, and `sums` those of what a pair adds to sums; all are 0 without partners.
    """

    keys: Shared
    there: Shared
    ends: tuple[int, ...]
    beside: tuple[Shared, ...]
    sums: tuple[Shared, ...]


@dataclass(frozen=True, slots=True)
class JoinedCounts:
    """Counts and sums as `layout` asks for them; of fewer pairs than `least`, as of none.

    With `narrow` keys are compared mod 2^32. Pairs are counted in each part that the words `beside`
    make, where the study has any.
    """

    layout: Layout
    least: int
    narrow: bool
    beside: Beside | None = None

    @classmethod
    def of(
        cls, choices: Choices, *, narrow: bool, beside: Beside | None = None
    ) -> JoinedCounts | None:
        """Those that the statistics of a study ask for, if any is of counts and sums."""
        kinds = (OwnersSums, CountedFolds)
        own = [one for one in choices.asked if getattr(one, "pipeline", None) in kinds]
        if not own:
            return None
        layout = OwnersSums.layout_for(choices, own)
        return cls(layout, choices.least_join, narrow, beside)

    @property
    def unit(self) -> int:
        """U, which a key less its label is divided by: a score of 1 has 2·10^d."""
        unit: int = 2 * 10**self.layout.scale.number
        return unit

    def by_code(self, which: Sum) -> bool:
        """True if a sum is made of codes, and not of words that rows have for it."""
        scale = self.layout.scale
        few = scale.kind is Resolution.DECIMALS and scale.number <= MOST_STEP_DECIMALS
        return few and which in BY_CODE

    @property
    def _of_code(self) -> bool:
        return any(map(self.by_code, self.layout.sums))

    @property
    def _of_words(self) -> tuple[Sum, ...]:
        """The sums of which rows have words."""
        return tuple(which for which in self.layout.sums if not self.by_code(which))

    @property
    def _row_words(self) -> RowWords:
        return RowWords.of(self._largest)

    @property
    def _largest(self) -> int:
        """The most that a row counts."""
        return self.beside.largest if self.beside else 1

    @property
    def row_limits(self) -> list[int]:
        """The most that each word of a row with a score may be."""
        return [
            most
            for which in self._of_words
            for _ in range(kinds(which))
            for most in self._row_words.limits(which)
        ]

    def row_words(self, codes: Words) -> list[Words]:
        """The words of what rows of these scores add to sums."""
        scale, of = self.layout.scale, self._row_words
        scores = scale.scores(codes)
        return [
            words
            for which in self._of_words
            for numbers in of.whole(which, scores, scale.direction == HIGHER)
            for words in of.split(which, numbers)
        ]

    def _words_of(self, pairs: JoinedPairs) -> Iterator[tuple[Sum, Sequence[Sequence[Shared]]]]:
        """The words of each sum: of each row, or of a negative and then of a positive."""
        start = 0
        for which in self._of_words:
            count, found = RowWords.count(which), list[Sequence[Shared]]()
            for _ in range(kinds(which)):
                found.append(pairs.sums[start : start + count])
                start += count
            yield which, found

    @property
    def units(self) -> dict[Sum, Unit]:
        """The units of all sums."""
        return {
            which: Unit(self.unit**2) if self.by_code(which) else self._row_words.unit(which)
            for which in self.layout.sums
        }

    @property
    def _scaled(self) -> int:
        """The number of words that are summed between thresholds: none, or those of a score."""
        if Sum.SCORES not in self.layout.sums or self.layout.cuts.parts == 1:
            return 0
        return 1 if self.by_code(Sum.SCORES) else WORDS

    @property
    def _columns(self) -> int:
        return 2 + self._scaled

    def check_addable(self, most: int) -> None:
        """Refuse more joined rows than there are whose scores can be summed."""
        fit = []
        if self._of_code:
            fit.append(LARGEST_SUM // self.unit**2)
        if self._of_words:
            fit.append(self._row_words.most)
        if most * self._largest > min(fit, default=most * self._largest):
            raise BoundExceeded(
                f"{most} joined rows, of which {min(fit) // self._largest} can be summed by scores "
                f"of this resolution",
                advice="Take a resolution of fewer decimals, or leave out the metrics of sums.",
            )

    def prepare(
        self, party: Party, pairs: JoinedPairs, columns: Sequence[Shared] | None, *, most: int
    ) -> Mapping[str, Binned]:
        """The counts and sums of pairs that count at most so much in all: of each part, and of all.

        `columns` are what each pair counts in each part; without them each counts once.
        """
        with party.phase("counts"):
            if columns is None:
                J, y = side_by_side(
                    party,
                    [partial(self._counting, pairs=pairs), partial(_labels, keys=pairs.keys)],
                )
                columns = [J]
            else:
                y = _labels(party, pairs.keys)
            f, count = pairs.keys - y, len(columns)
            words = dict(self._words_of(pairs))
            # of each part y·c, and what is summed by code, or between thresholds, times c
            factors = [y, *([f] if self._of_code else [])]
            if self._scaled == WORDS:
                factors += words[Sum.SCORES][0]
            kinds_of, first = range(len(factors)), len(factors)
            found = products(
                party,
                [*factors, *columns],
                [(kind, first + place) for kind in kinds_of for place in range(count)],
            )
            p, *weighed = (found[kind * count : (kind + 1) * count] for kind in kinds_of)
            z = weighed[0] if self._of_code else []
            scores = weighed[len(weighed) - self._scaled :] if self._scaled else []
            counted = [one for of in zip(p, columns, *scores, strict=True) for one in of]
            programs: list[Callable[[Party], Any]] = [
                partial(self._above, keys=pairs.keys, columns=counted, ends=pairs.ends),
                partial(self._squares, y=y, z=z, f=f),
                partial(self._summed, p=p, columns=columns, words=words),
            ]
            above, squares, of_words = side_by_side(party, programs)
        segments = _with_all(above, counted, pairs.ends)
        names = self.beside.names if self.beside else ()
        own = []
        for place in range(count):
            part = _of_part(segments, place, self._columns)
            sums = of_words[place]
            if self._of_code:
                sums |= self._sums_by_code(p[place], z[place], squares[place])
            if self._scaled:
                sums[Sum.SCORES] = self._between_thresholds(part)
            own.append(
                Binned(
                    between(_total([one[0] for one in part])),
                    between(_total([one[1] - one[0] for one in part])),
                    most,
                    None,
                    self.layout.grid,
                    self.layout.cuts,
                    Shared.public(party.role, np.ones(len(self.layout.cuts.shown) + 1, np.uint64)),
                    sums,
                    units=self.units,
                    joined=pairs.there.sum(),
                )
            )
        of_all = parts_of(own, names, _whole(own)) if names else {WHOLE: own[0]}
        if not self.layout.cuts.withhold:
            return of_all
        seen = self._shown(party, segments, count)
        return {name: replace(one, shown=seen) for name, one in of_all.items()}

    @property
    def _with_whole(self) -> bool:
        """True if the least cell holds in all parts together, too."""
        return self.beside is not None and self.beside.with_whole

    def _sums_by_code(self, p: Shared, z: Shared, squares: Sequence[Shared]) -> Sums:
        """The sums of one part that are made of codes."""
        U, sums = self.unit, {}
        if self.by_code(Sum.SCORES) and Sum.SCORES in self.layout.sums:
            sums[Sum.SCORES] = _in_words(z.sum() * U)
        if squares:
            yz, zf = squares
            sums[Sum.SQUARES] = _in_words(p.sum() * U**2 - yz * (2 * U) + zf)
        return sums

    def _between_thresholds(self, part: Sequence[Sequence[Shared]]) -> tuple[Shared, ...]:
        """The sums of the scores of one part between thresholds."""
        ends = np.array([*self.layout.cuts.places, len(self.layout.grid)]) - 1
        found = [
            between(_total([own[2 + word] for own in part])[ends]) for word in range(self._scaled)
        ]
        return _in_words(found[0] * self.unit) if self.by_code(Sum.SCORES) else tuple(found)

    def _counting(self, party: Party, pairs: JoinedPairs) -> Shared:
        """J'."""
        few = is_negative(party, pairs.there.sum() - self.least)
        return multiply(party, pairs.there, (1 - few).repeat(len(pairs.there)))

    def _above(
        self, party: Party, keys: Shared, columns: Sequence[Shared], ends: Sequence[int]
    ) -> list[list[Shared]]:
        cuts = [2 * code for code in first_codes(self.layout.grid, self.layout.scale)]
        return above_cuts(party, keys, columns, cuts, ends=ends, narrow=self.narrow)

    def _squares(
        self, party: Party, y: Shared, z: Sequence[Shared], f: Shared
    ) -> list[list[Shared]]:
        """Σ y·z and Σ z·f of each part, if they are asked for."""
        if not self._squares_by_code:
            return [[] for _ in z]
        pairs = [(kind, 2 + place) for place in range(len(z)) for kind in (0, 1)]
        found = sums_of_products(party, [y, f, *z], pairs)
        return [found[place : place + 2] for place in range(0, len(found), 2)]

    @property
    def _squares_by_code(self) -> bool:
        return Sum.SQUARES in self.layout.sums and self.by_code(Sum.SQUARES)

    @property
    def _summed_words(self) -> tuple[Sum, ...]:
        """The sums of which rows have words, but for scores that are summed between thresholds."""
        return tuple(
            which for which in self._of_words if not (which is Sum.SCORES and self._scaled)
        )

    def _summed(
        self,
        party: Party,
        p: Sequence[Shared],
        columns: Sequence[Shared],
        words: Mapping[Sum, Sequence[Sequence[Shared]]],
    ) -> list[dict[Sum, tuple[Shared, ...]]]:
        """The sums of words of each part."""
        asked, parts = self._summed_words, len(columns)
        if not asked:
            return [{} for _ in columns]
        factors = [*columns, *p]
        for which in asked:
            first, *other = words[which]
            factors += first
            factors += [one - under for of in other for one, under in zip(of, first, strict=True)]
        found = iter(sums_of_products(party, factors, self._summed_pairs(parts)))
        sums: list[dict[Sum, tuple[Shared, ...]]] = [{} for _ in columns]
        for which in asked:
            for own in sums:
                one = [next(found) for _ in range(RowWords.count(which) * kinds(which))]
                # those of all rows, and what positives have more
                halves = [
                    one[start :: RowWords.count(which)] for start in range(RowWords.count(which))
                ]
                own[which] = tuple(map(_total, halves))
        return sums

    def _summed_pairs(self, parts: int) -> list[tuple[int, int]]:
        """The factors of `_summed` that are multiplied: counts of each part with words."""
        pairs, first = [], 2 * parts
        for which in self._summed_words:
            count = RowWords.count(which)
            pairs += [
                (kind * parts + part, first + kind * count + word)
                for part in range(parts)
                for kind in range(kinds(which))
                for word in range(count)
            ]
            first += count * kinds(which)
        return pairs

    @property
    def _summed_factors(self) -> int:
        """The number of words that are factors of `_summed`."""
        return sum(RowWords.count(which) * kinds(which) for which in self._summed_words)

    def _shown(self, party: Party, segments: Sequence[Sequence[Shared]], parts: int) -> Shared:
        """Thresholds that may be shown: where there are enough rows in each part, and in all."""
        cuts = self.layout.cuts
        ends = np.array([*cuts.shown, len(self.layout.grid)]) - 1
        views = [
            [(own[0], own[1] - own[0]) for own in _of_part(segments, place, self._columns)]
            for place in range(parts)
        ]
        if self._with_whole:
            views.append(
                [
                    (_total([one for one, _ in of]), _total([one for _, one in of]))
                    for of in zip(*views, strict=True)
                ]
            )
        with party.phase("least cell"):
            seen = side_by_side(
                party,
                [
                    partial(
                        shown,
                        counts=[[between(one[kind][ends]) for one in view] for kind in (0, 1)],
                        order=cuts.order,
                        least=cuts.least,
                        nobodys=1,
                    )
                    for view in views
                ],
            )
            return product_of(party, seen)

    def preparing(self, pairs: int, ends: Sequence[int]) -> tuple[PhaseEstimate, ...]:
        """The cost of `prepare` for so many places of pairs."""
        parts = len(self.beside.parts) if self.beside else 1
        counting = is_negative.cost().of(1) + multiply.cost().of(pairs)
        labels = to_arithmetic.cost().of(pairs)
        first = labels if self.beside else counting | labels
        of = 1 + self._of_code + (WORDS if self._scaled == WORDS else 0)
        chosen = products.cost(factors=of + parts, pairs=of * parts).of(pairs)
        cuts, columns = len(self.layout.grid) - 1, self._columns * parts
        above = above_cuts_cost(pairs, columns, cuts, ends=ends, narrow=self.narrow)
        squares = Cost()
        if self._squares_by_code:
            squares = sums_of_products.cost(factors=2 + parts, pairs=2 * parts).of(pairs)
        if self._summed_words:
            squares |= sums_of_products.cost(
                factors=2 * parts + self._summed_factors, pairs=len(self._summed_pairs(parts))
            ).of(pairs)
        phases = [PhaseEstimate("counts", first + chosen + (above | squares))]
        if self.layout.cuts.withhold:
            views = CLASSES * max(1, len(ends) - 1)
            kinds = parts + self._with_whole
            each = [shown_cost(self.layout.cuts.order, views)] * kinds
            seen = reduce(or_, each) + product_cost(kinds, len(self.layout.cuts.shown) + 1)
            phases.append(PhaseEstimate("least cell", seen))
        return tuple(phases)

    def plaintext(
        self, segments: Segments, columns: Sequence[Sequence[Sequence[int]]], joined: int
    ) -> Mapping[str, PooledBins]:
        """The same in the clear, of rows that are enough, or none; so many are `joined`.

        `columns` are what each row of a segment counts: in all, and in each part.
        """
        names = self.beside.names if self.beside else ()
        found = {
            name: self._plainly(segments, [own[place] for own in columns], joined)
            for place, name in enumerate((WHOLE, *names))
        }
        if not self.layout.cuts.withhold:
            return found
        seen = [
            self._shown_plaintext(self._counts(segments, [own[place] for own in columns]))
            for place in range(bool(names) and not self._with_whole, 1 + len(names))
        ]
        of_all = reduce(frozenset.intersection, seen)
        return {name: replace(one, shown=of_all) for name, one in found.items()}

    def _counts(self, segments: Segments, columns: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Counts of the rows of each segment in each cell: the positives, then the negatives."""
        layout = self.layout
        counts = np.zeros((len(segments), CLASSES, len(layout.grid)), np.int64)
        for own, (codes, labels), column in zip(counts, segments, columns, strict=True):
            places = layout.grid.places(layout.scale.scores(np.array(codes, np.uint64)))
            y = np.array(labels, np.int64)
            np.add.at(own, (1 - y, places), np.array(column, np.int64))
        return counts

    def _plainly(
        self, segments: Segments, columns: Sequence[Sequence[int]], joined: int
    ) -> PooledBins:
        layout, cuts = self.layout, self.layout.cuts
        found = {which: [Fraction(0)] * layout.count(which) for which in layout.sums}
        for (codes, labels), column in zip(segments, columns, strict=True):
            scores = layout.scale.scores(np.array(codes, np.uint64))
            parts = cuts.part_of(layout.grid.places(scores)).tolist()
            for which, total in found.items():
                added = self._added(which, codes, labels)
                for one, count, part in zip(added, column, parts, strict=True):
                    total[part if which is Sum.SCORES else 0] += count * one
        positives, negatives = self._counts(segments, columns).sum(axis=0).tolist()
        ends = (*cuts.shown, len(layout.grid))
        return PooledBins(
            tuple(positives),
            tuple(negatives),
            layout.grid,
            cuts,
            frozenset(ends),
            found,
            joined=joined,
        )

    def _added(self, which: Sum, codes: Sequence[int], labels: Sequence[int]) -> Iterator[Fraction]:
        """The numbers that rows add to a sum."""
        if self.by_code(which):
            top = self.unit // 2
            for code, label in zip(codes, labels, strict=True):
                f = Fraction(code, top)
                yield f if which is Sum.SCORES else (label - f) ** 2
            return
        scale, of = self.layout.scale, self._row_words
        scores = scale.scores(np.array(codes, np.uint64))
        found = of.whole(which, scores, scale.direction == HIGHER)
        for place, label in enumerate(labels):
            yield Fraction(found[label % len(found)][place], of.unit(which).scale)

    def _shown_plaintext(self, counts: NDArray[np.int64]) -> frozenset[int]:
        cuts = self.layout.cuts
        ends = (*cuts.shown, len(self.layout.grid))
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


def _of_part(
    segments: Sequence[Sequence[Shared]], place: int, columns: int
) -> list[Sequence[Shared]]:
    """The sums of each segment in the columns of one part."""
    return [own[place * columns : (place + 1) * columns] for own in segments]


def _whole(parts: Sequence[Binned]) -> Binned:
    """The counts and sums of all parts, added up."""
    sums = {
        which: tuple(
            _total(words) for words in zip(*(one.sums[which] for one in parts), strict=True)
        )
        for which in parts[0].sums
    }
    return replace(
        parts[0],
        positives=_total([one.positives for one in parts]),
        negatives=_total([one.negatives for one in parts]),
        sums=sums,
    )


def _total(parts: Sequence[Shared]) -> Shared:
    total = parts[0]
    for one in parts[1:]:
        total = total + one
    return total


def _in_words(sums: Shared) -> tuple[Shared, ...]:
    """Sums in the place of the last of the words in which owners share theirs."""
    zeros = Shared.zeros(sums.role, len(sums))
    return (*[zeros] * (WORDS - 1), sums)
