"""The pipeline of joined lists: scores at some owners, labels at others, rows by a secret tag.

An upload consists of three lists, most of which are empty: rows with a score only, rows with a
label only, and rows with both. Each row has two words:

    its tag     62 bits (`ppaurora.protocols.lists.tags`), strictly descending; 0 of one with both
    its value   the code of its score, its label, or the key 2·code + label of a row with both

and in a study of groups, folds or weights another, of the rows of the side that has them and of
rows with both; in the other rows it is not read (`ppaurora.protocols.pipelines.joined_beside`).
Where scores are summed that are no decimals of which the code can be added, the words of what a row
adds follow, of the rows with a score (`ppaurora.protocols.grid.row_sums`).

1. All rows with a score or a label are merged by 2·tag + side, and partners are found among
   neighbours (`ppaurora.protocols.ranking.joining`). A row with both is a pair by itself and
   nobody's partner.
2. With J of a pair 1 if it is one, m = Σ J. One secret bit says whether m is at least the study's
   `least_join`: m' = m if so, and 0 if not. Everything that follows is computed as if m' pairs were
   there, so fewer look like none.
3. The pairs are sorted by score; those without partners have the key -1 and come last. So the pair
   at place i, from 0, counts if and only if i < m'. The bits [i < m'] take their hops beside the
   sort.
4. Each place counts as p = y·[i < m'] positives and n = [i < m'] - p negatives
   (`ppaurora.protocols.ranking.weighted_rows`): cells of one score each, from which every statistic
   of such cells is computed. None of them uses a public number of samples.
5. What owners count over their own rows in other studies is counted here over the pairs as they
   are before the sort (`ppaurora.protocols.pipelines.joined_counts`).

Where rows have groups or weights, what a pair counts in each group, or by its weight, is found
before the sort and sorted along, in place of step 3's bits; it holds step 2's secret bit already.

Without statistics of the curve nothing is sorted by score, without others step 5 is left out.
Nobody learns which rows have partners, nor how many: both sorts open nothing, or comparisons after
a shuffle, of rows whose order nobody knows. The places are public: half of the rows with a score or
a label, rounded down, and the rows with both.

The check of an upload counts what is out of range or order: tags that do not descend strictly, and
codes, labels and keys that no row has, numbers of groups and weights that the study has not, and
words of sums to which no row adds as much. That these are of the row's score nobody can check: with
each of them within its bounds a row adds to a sum what that of some score would. That the tags are
those of the owner's people nobody can check, nor that a row is in its group: an owner can upload
any identifier that it knows (docs/THREATS.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, multiply, products, to_arithmetic
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate, low_bits, narrowed
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.sums import Sum
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.tags import LARGEST_TAG, Side, collision_bound, side_of, sides
from ppaurora.protocols.lists.verdicts import (
    Findings,
    check_negatives,
    check_negatives_cost,
    positive_labels,
    positive_labels_cost,
)
from ppaurora.protocols.pipelines.counted_folds import CountedFolds
from ppaurora.protocols.pipelines.folds import FOLD, Folds
from ppaurora.protocols.pipelines.groups import WHOLE
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram, OwnersSums
from ppaurora.protocols.pipelines.joined_beside import Beside, WordBeside, parts_of
from ppaurora.protocols.pipelines.joined_counts import JoinedCounts, JoinedPairs
from ppaurora.protocols.pipelines.pipeline import (
    Choices,
    Inputs,
    PhaseEstimate,
    Pipeline,
    Vector,
)
from ppaurora.protocols.pipelines.sorted_list import NARROW, Input, SortedList
from ppaurora.protocols.ranking.binned import Binned, CellCounts, PooledBins, PooledCounts
from ppaurora.protocols.ranking.joining import ALONE, pairs_of, partners, partners_cost
from ppaurora.protocols.ranking.ranked import Folded, PooledFolds
from ppaurora.protocols.ranking.weighted_rows import (
    cells_of_parts,
    cells_of_parts_cost,
    cells_of_rows,
    cells_of_rows_cost,
    pooled_rows,
)
from ppaurora.protocols.sorting import Sort
from ppaurora.protocols.sorting.sort import anew

TAG = "tag"
"""The kind of column that the identifiers are."""
WORDS = 2
"""The number of words of a row without any beside."""
OF_SIDES = "of each list, how many of its rows have a score, a label, or both"
TIES = "compare"
OPENING = "delta"
"""The sort that opens comparisons of rows in the owners' order."""
MOST_KEY = (1 << 63) - 3
TWO_COLUMNS: Inputs = frozenset({Input.POSITIONS})
"""Inputs by which a scan has as many columns."""


@lru_cache(maxsize=64)
def anew_cost(sort: Sort, pairs: int, *, narrow: bool, columns: int = 0) -> Cost:
    """The cost of sorting so many pairs; the plan of a network for many takes a while."""
    return sort.cost(anew(pairs), columns=columns, narrow=narrow) if pairs > 1 else Cost()


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one upload as they are shared, side by side: tags and values of each.

    `words` are those beside, each of all sides.
    """

    tags: tuple[Any, ...]
    values: tuple[Any, ...]
    words: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, upload: Vector, sizes: Sequence[int], words: int) -> Rows:
        """The rows of an upload whose lists have these sizes, with so many words beside."""
        bounds = [*pairwise(accumulate(sizes, initial=0))]
        n = sum(sizes)
        tags, values, *more = (
            tuple(upload[place * n + start : place * n + end] for start, end in bounds)
            for place in range(WORDS + words)
        )
        return cls(tags, values, tuple(more))


@dataclass(frozen=True, slots=True)
class JoinedData:
    """The joined rows as cells in the order of their scores, and as counts and sums at thresholds.

    Of each group and of all, by name; either has nothing where no statistic is of it.
    """

    cells: Mapping[str, CellCounts]
    sums: Mapping[str, Binned]


@dataclass(frozen=True, slots=True, repr=False)
class PooledJoin:
    """The same in the clear."""

    cells: Mapping[str, PooledCounts]
    sums: Mapping[str, PooledBins]


@dataclass(frozen=True, slots=True)
class Joined(Pipeline[JoinedData, PooledJoin]):
    """Pairs of a score and a label in the order of their scores, and their counts at thresholds.

    `each` says how they are sorted, and with fewer pairs than `least` it is as if there were none.
    With `curve` statistics are of the sorted pairs, and there are `counts` where some are of these.
    One side has words `beside`, its groups or weights, in a study of these.
    """

    name: ClassVar[str] = "joined lists"
    inputs: ClassVar[Inputs] = frozenset({PAIRS, *Sum})
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = (
        Histogram,
        OwnersSums,
        Folds,
        CountedFolds,
    )
    folded: ClassVar[bool] = True
    of_groups: ClassVar[bool] = False
    each: SortedList
    least: int
    curve: bool = True
    counts: JoinedCounts | None = None
    beside: Beside | None = None

    @classmethod
    def of(cls, choices: Choices) -> Joined:
        if choices.ties != TIES:
            raise OptionRefused(
                "ties",
                f'is "{choices.ties}", which would tell the helper how many rows have no partner',
                advice=f'Take ties = "{TIES}" in a study of joined lists.',
            )
        if choices.sort == OPENING:
            raise OptionRefused(
                "merge",
                f'is "{OPENING}", which sorts sorted lists only, and pairs are in no order',
                advice='Take merge = "auto", "network" or "shuffled" in a study of joined lists.',
            )
        each = SortedList.of(choices)
        if each.largest_key > MOST_KEY:
            raise OptionRefused(
                "range",
                "leaves no room for pairs without partners beside the scores",
                advice="Take a narrower range, or another resolution.",
            )
        found = cls(each, choices.least_join)
        kinds = {getattr(one, "pipeline", None) for one in choices.asked}
        beside = Beside.of(choices)
        counts = JoinedCounts.of(choices, narrow=found.narrow, beside=beside)
        if beside and beside.weighted and counts and len(counts.layout.grid) > 1:
            raise OptionRefused(
                "metrics",
                "are at thresholds, where the side that has the weights could let one joined row "
                "of the other count alone",
                advice="Leave them out of a study of joined lists with weights, or the weights.",
            )
        curve = bool(kinds & {Histogram, Folds})
        return replace(found, curve=curve, counts=counts, beside=beside)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.beside.kinds, TAG) if self.beside else (TAG,)

    def columns_of(self, holds: str) -> tuple[str, ...]:
        if not self.beside:
            return (TAG,)
        side, of = side_of(holds), zip(self.beside.kinds, self.beside.words, strict=True)
        return (*(kind for kind, word in of if word.has(side)), TAG)

    @property
    def words_beside(self) -> tuple[WordBeside, ...]:
        """The words of a row beside its tag and its value."""
        of_sums = self.counts.row_limits if self.counts else ()
        return (
            *(self.beside.words if self.beside else ()),
            *(WordBeside(Side.SCORES, most) for most in of_sums),
        )

    def _rows(self, uploads: Sequence[Vector], sizes: Sequence[int]) -> list[Rows]:
        """The rows of each upload."""
        words = len(self.words_beside)
        pairs = zip(uploads, self.of_uploads(sizes), strict=True)
        return [Rows.of(upload, own, words) for upload, own in pairs]

    @property
    def narrow(self) -> bool:
        """True if the pairs' keys are sorted and compared mod 2^32: with -1 among them."""
        return self.each.narrow and self.each.largest_key - ALONE < NARROW

    @property
    def top(self) -> int:
        """The largest code of a score."""
        return self.each.largest_key // 2

    @property
    def sound(self) -> str:
        kinds = [f"{kind}s" for kind in self.beside.kinds] if self.beside else []
        of_words = f", and {' and '.join(kinds)} of the study" if kinds else ""
        if self.counts and self.counts.row_limits:
            of_words += ", and what rows add to sums within its bounds"
        return f"sorted by different tags, with scores and labels in range{of_words}"

    # -- the upload ----------------------------------------------------------------------------

    def upload(self, keys: Sequence[Words]) -> Words:
        rows, *beside, tagged = keys
        of_side = sides(tagged)
        columns: list[list[Words]] = [[] for _ in range(WORDS + len(self.words_beside))]
        for side in Side:
            own = of_side == side
            tag, key = tagged[own] & np.uint64(LARGEST_TAG), rows[own]
            words = [column[own] for column in beside]
            if self.counts and side is not Side.LABELS:
                words += self.counts.row_words(key >> np.uint64(1))
            else:
                words += [tag] * (len(self.words_beside) - len(beside))
            words = [
                word if kind.has(side) else np.zeros_like(tag)
                for kind, word in zip(self.words_beside, words, strict=True)
            ]
            if side is Side.BOTH:
                tag, value = np.zeros_like(tag), key
                order = np.lexsort([*(~word for word in reversed(words[: len(beside)])), ~value])
            else:
                value = key >> np.uint64(1) if side is Side.SCORES else key & np.uint64(1)
                order = np.argsort(~tag)
            for column, word in zip(columns, (tag, value, *words), strict=True):
                column.append(word[order])
        return np.concatenate([part for column in columns for part in column])

    @property
    def lists_each(self) -> int:
        return len(Side)

    def sizes(self, keys: Sequence[Words]) -> tuple[int, ...]:
        of_side = sides(keys[-1]).astype(np.int64)
        return tuple(np.bincount(of_side, minlength=len(Side)).tolist())

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words((WORDS + len(self.words_beside)) * samples)

    # -- the check -----------------------------------------------------------------------------

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        return check_negatives(party, [*map(self._signs, self._rows(uploads, sizes))])

    def _signs(self, rows: Rows) -> Shared:
        """The numbers that must not be negative."""
        found = []
        for tags in rows.tags[: Side.BOTH]:
            if len(tags):
                found += [tags, tags[:-1] - tags[1:] - 1, -tags[:1] + LARGEST_TAG]
        for values, most in zip(rows.values, (self.top, 1, self.each.largest_key), strict=True):
            found += [values, -values + most]
        for kind, of_sides in zip(self.words_beside, rows.words, strict=True):
            for side, words in zip(Side, of_sides, strict=True):
                found += [words, -words + kind.top] if kind.has(side) else []
        signs: Shared = concatenate(found)
        return signs

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        counts = []
        for own in self.of_uploads(sizes):
            scores, labels, both = own
            beside = sum(own[side] for kind in self.words_beside for side in Side if kind.has(side))
            counts.append(4 * (scores + labels) + 2 * both + 2 * beside)
        return check_negatives_cost(counts)

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        # of the rows with a label, whether they have partners or not
        rows = self._rows(uploads, sizes)
        labels = concatenate(one.values[Side.LABELS].sum() for one in rows)
        found: Shared = labels + positive_labels(party, [one.values[Side.BOTH] for one in rows])
        return found

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return positive_labels_cost(sum(sizes[Side.BOTH :: len(Side)]))

    # -- the data ------------------------------------------------------------------------------

    def tagged(self, sizes: Sequence[int]) -> list[int]:
        """The sizes of the lists with tags that are merged; none where a side is missing."""
        scores, labels = sizes[Side.SCORES :: len(Side)], sizes[Side.LABELS :: len(Side)]
        return [*scores, *labels] if any(scores) and any(labels) else []

    def pairs(self, sizes: Sequence[int]) -> int:
        """The places of pairs, one at least; how many have partners nobody knows."""
        both = sum(sizes[Side.BOTH :: len(Side)])
        return max(1, pairs_of(sum(self.tagged(sizes))) + both)

    def most_pairs(self, sizes: Sequence[int]) -> int:
        """The most pairs that there may be, one at least."""
        scores, labels, both = (sum(sizes[side :: len(Side)]) for side in Side)
        return max(1, min(scores, labels) + both)

    def check_sizes(self, sizes: Sequence[int]) -> None:
        if self.counts:
            self.counts.check_addable(self.most_pairs(sizes))

    def places(self, samples: int) -> int:
        return max(1, samples)

    def vectors(self, sizes: Sequence[int], group: str = "") -> tuple[int, ...]:
        return (self.pairs(sizes),) * (len(self._folds) or 1)

    def member(self, of: type[Pipeline[Any, Any]]) -> Pipeline[Any, Any]:
        if not self.counts:
            return self
        sums = OwnersSums(self.counts.layout)
        if of is CountedFolds:
            return _SumsOfFolds(sums, self._folds)
        return sums if of is OwnersSums else self

    @property
    def _folds(self) -> tuple[str, ...]:
        """The names of the folds, none in a study without."""
        return self.beside.names if self.beside and self.beside.kind == FOLD else ()

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = "") -> Any:
        found = data.sums if of in (OwnersSums, CountedFolds) else data.cells
        if not self._folds:
            return found[group]
        folds = tuple(found[name] for name in self._folds)
        return PooledFolds(folds) if isinstance(data, PooledJoin) else Folded(len(folds), folds)

    @property
    def largest(self) -> int:
        """The most that a joined row counts."""
        return self.beside.largest if self.beside else 1

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> JoinedData:
        with party.phase("join"):
            pairs = self._paired(party, self._rows(uploads, sizes), sizes)
        cells: Mapping[str, CellCounts] = {}
        sums: Mapping[str, Binned] = {}
        most, columns = self.most_pairs(sizes) * self.largest, None
        if self.beside:
            with party.phase(self.beside.kind):
                columns = self.beside.columns(party, pairs.there, pairs.beside, self.least)
        if self.counts:
            sums = self.counts.prepare(party, pairs, columns, most=most)
        if self.curve and columns:
            cells = self._cells_of_parts(party, pairs.keys, columns, most=most)
        elif self.curve:
            with party.phase("sort"):
                counted, ordered = self._in_order(
                    party, pairs.keys, pairs.there.sum(), self.pairs(sizes)
                )
            with party.phase("ties"):
                cells = {WHOLE: self._cells(party, ordered, counted, most=most)}
        return JoinedData(cells, sums)

    def _paired(self, party: Party, rows: Sequence[Rows], sizes: Sequence[int]) -> JoinedPairs:
        """The key of each pair, and 1 where it is one: of rows with both, and of partners."""
        of_both = [one.values[Side.BOTH] for one in rows if len(one.values[Side.BOTH])]
        keys = [*of_both]
        there = [Shared.public(party.role, np.ones(len(own), np.uint64)) for own in of_both]
        words = [
            [of_sides[Side.BOTH] for of_sides in one.words]
            for one in rows
            if len(one.values[Side.BOTH])
        ]
        tagged = self.tagged(sizes)
        if tagged:
            # 2·tag + side
            lists = [
                [one.tags[side] * 2 + int(side), one.values[side], *self._beside(party, one, side)]
                for side in (Side.SCORES, Side.LABELS)
                for one in rows
            ]
            found = partners(party, *self._sort_of(tagged).sorted_rows(party, lists))
            keys.append(found.keys)
            there.append(found.there)
            words.append([*found.words])
        if not keys:
            keys, there = [Shared.public(party.role, [ALONE])], [Shared.zeros(party.role, 1)]
            words = [there * len(self.words_beside)]
        beside = [concatenate(column) for column in zip(*words, strict=True)]
        own = len(self.beside.words) if self.beside else 0
        return JoinedPairs(
            concatenate(keys),
            concatenate(there),
            self._ends(sizes),
            tuple(beside[:own]),
            tuple(beside[own:]),
        )

    def _beside(self, party: Party, rows: Rows, side: Side) -> list[Shared]:
        """The words beside the rows of this side, 0 where it has none."""
        nothing = Shared.zeros(party.role, len(rows.tags[side]))
        return [
            of_sides[side] if kind.has(side) else nothing
            for kind, of_sides in zip(self.words_beside, rows.words, strict=True)
        ]

    def _both(self, sizes: Sequence[int]) -> list[int]:
        """The rows of each owner that has some with both."""
        return [size for size in sizes[Side.BOTH :: len(Side)] if size]

    def _ends(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """The places at which the pairs of each owner with both end, and then all."""
        return (*accumulate(self._both(sizes)), self.pairs(sizes))

    def _in_order(
        self, party: Party, keys: Shared, m: Shared, number: int
    ) -> tuple[Shared, SharedNumbers]:
        """[i < m'] for each place i, and the keys in descending order."""
        sort = self._anew(number)

        def counted(own: Party) -> SharedNumbers:
            few = is_negative(own, m - self.least)
            kept = multiply(own, 1 - few, m)
            return is_negative(own, np.arange(number) - narrowed(kept).repeat(number))

        def in_order(own: Party) -> SharedNumbers:
            [found] = sort.sorted_anew(own, [narrowed(keys) if self.narrow else keys])
            return found

        counts, ordered = side_by_side(party, [counted, in_order])
        assert isinstance(counts, Shared)
        return counts, ordered

    def _cells_of_parts(
        self, party: Party, keys: Shared, columns: Sequence[Shared], *, most: int
    ) -> Mapping[str, CellCounts]:
        """The cells of each part of the pairs, and of all, from what each pair counts in each."""
        assert self.beside
        with party.phase("sort"):
            sort = self._anew(len(keys))
            ordered, *counted = sort.sorted_anew(party, [keys, *columns])
        with party.phase("ties"):
            y = to_arithmetic(party, low_bits(ordered))
            pairs = [(0, place) for place in range(1, len(counted) + 1)]
            positives = products(party, [y, *counted], pairs)
            parts = [(p, c - p) for p, c in zip(positives, counted, strict=True)]
            few_hops = self._few_hops(len(keys))
            found, whole = cells_of_parts(party, ordered - y, parts, most=most, few_hops=few_hops)
        return parts_of(found, self.beside.names, whole) if self.beside.names else {WHOLE: whole}

    def _few_hops(self, pairs: int) -> bool:
        """True if the scan takes few hops, and not few bytes."""
        return self.each.scan(pairs, TWO_COLUMNS).few_hops

    def _cells(
        self, party: Party, keys: SharedNumbers, counted: Shared, *, most: int
    ) -> CellCounts:
        """The positives and negatives of each group of tied scores, at its last place."""
        y = to_arithmetic(party, low_bits(keys))
        scores = keys - y if isinstance(keys, Shared) else keys - narrowed(y)
        positives = multiply(party, y, counted)
        few_hops = self._few_hops(len(keys))
        return cells_of_rows(
            party, scores, positives, counted - positives, most=most, few_hops=few_hops
        )

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledJoin:
        found: dict[int, list[tuple[Side, int, tuple[int, ...]]]] = {}
        segments: list[list[tuple[int, tuple[int, ...]]]] = []
        kinds = self.beside.words if self.beside else ()
        for rows in self._rows(uploads, sizes):
            lists: list[list[tuple[int, int, tuple[int, ...]]]] = []
            for side in Side:
                n = len(rows.tags[side])
                columns = [
                    own[side].tolist() if kind.has(side) else [0] * n
                    for kind, own in zip(kinds, rows.words, strict=False)
                ]
                of_rows = [*zip(*columns, strict=True)] if columns else [()] * n
                tags, values = rows.tags[side].tolist(), rows.values[side].tolist()
                lists.append([*zip(tags, values, of_rows, strict=True)])
            if lists[Side.BOTH]:
                segments.append([(key, words) for _, key, words in lists[Side.BOTH]])
            for side in (Side.SCORES, Side.LABELS):
                for tag, value, words in lists[side]:
                    found.setdefault(tag, []).append((side, value, words))
        pairs = []
        for run in found.values():
            of_tag = {side: value for side, value, _ in run}
            if len(run) == len(of_tag) == 2:
                key = 2 * of_tag[Side.SCORES] + of_tag[Side.LABELS]
                both = zip(*(words for *_, words in run), strict=True)
                pairs.append((key, tuple(map(sum, both))))
        segments.append(pairs)
        joined = sum(map(len, segments))
        rows_of_all = [word for own in segments for _, word in own]
        if not self._enough(rows_of_all):
            segments = [[] for _ in segments]
        counted = [self._plain_columns([word for _, word in own]) for own in segments]
        split = [([key // 2 for key, _ in own], [key % 2 for key, _ in own]) for own in segments]
        cells = {
            name: _pooled_cells(split, [own[place] for own in counted])
            for place, name in enumerate(self._parts)
        }
        sums: Mapping[str, PooledBins] = {}
        if self.counts:
            sums = self.counts.plaintext(split, counted, joined)
        return PooledJoin(cells, sums)

    @property
    def _parts(self) -> tuple[str, ...]:
        """The names of all together and of each part of the joined rows."""
        return (WHOLE, *self.beside.names) if self.beside else (WHOLE,)

    def _enough(self, words: Sequence[Sequence[int]]) -> bool:
        if self.beside:
            return self.beside.enough(words, self.least)
        return len(words) >= self.least

    def _plain_columns(self, words: Sequence[Sequence[int]]) -> list[list[int]]:
        """Counts of joined rows with these words, in all and in each part."""
        if not self.beside:
            return [[1] * len(words)]
        found = self.beside.columns_plaintext(words)
        return [[*map(sum, zip(*found, strict=True))], *found] if self.beside.names else found

    # -- what is known beforehand --------------------------------------------------------------

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        tagged, n = self.tagged(sizes), self.pairs(sizes)
        phases = []
        join, exact = Cost(), True
        if tagged:
            merge = self._sort_of(tagged)
            words = len(self.words_beside)
            join = merge.cost(tagged, columns=1 + words)
            join += partners_cost(sum(tagged), words=words)
            exact = merge.cost_is_exact
        phases.append(PhaseEstimate("join", join, exact))
        if self.beside:
            phases.append(PhaseEstimate(self.beside.kind, self.beside.columns_cost(n)))
        if self.counts:
            phases += self.counts.preparing(n, self._ends(sizes))
        if not self.curve:
            return tuple(phases)
        sort = self._anew(n)
        if self.beside:
            return (*phases, *self._preparing_parts(n, len(self.beside.parts)))
        negative = is_negative.cost
        counted = negative().of(1) + multiply.cost().of(1) + negative(narrow=True).of(n)
        sorting = anew_cost(sort, n, narrow=self.narrow)
        phases.append(PhaseEstimate("sort", counted | sorting, sort.cost_is_exact))
        cells = cells_of_rows_cost(n, narrow=self.narrow, few_hops=self._few_hops(n))
        cells = to_arithmetic.cost().of(n) + multiply.cost().of(n) + cells
        return (*phases, PhaseEstimate("ties", cells))

    def _preparing_parts(self, n: int, parts: int) -> tuple[PhaseEstimate, ...]:
        """The cost of the cells of so many parts of n pairs."""
        sort = self._anew(n)
        sorting = anew_cost(sort, n, narrow=False, columns=parts)
        positives = products.cost(factors=1 + parts, pairs=parts).of(n)
        cells = cells_of_parts_cost(n, parts, few_hops=self._few_hops(n))
        return (
            PhaseEstimate("sort", sorting, sort.cost_is_exact),
            PhaseEstimate("ties", to_arithmetic.cost().of(n) + positives + cells),
        )

    def _sort_of(self, tagged: Sequence[int]) -> Sort:
        """The sort by tags."""
        columns = 1 + len(self.words_beside)
        return self.each.sort.chosen(tagged, self.each.conditions, columns=columns)

    def _anew(self, pairs: int) -> Sort:
        """The sort by scores; what pairs count goes along, in words."""
        narrow, each = self.narrow and self.beside is None, self.each
        return each.sort.chosen_anew(pairs, each.conditions, narrow=narrow)

    def proxies_learn(self) -> tuple[str, ...]:
        return (OF_SIDES, *self.each.proxies_learn())

    def can_be_turned(self) -> tuple[str, ...]:
        return self.each.can_be_turned()

    def onlookers_learn(self) -> tuple[str, ...]:
        return self.each.onlookers_learn()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return (OF_SIDES, *self.each.sort.helper_learns())

    def helper_sees(self) -> tuple[str, ...]:
        return self.each.helper_sees()

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        rows = sum(self.tagged(sizes))
        found = [
            "lists are joined by identifiers, and nobody learns which rows are joined or how many; "
            f"fewer than {self.least} joined rows{self._in_any} look like none",
            "an owner that knows all joined rows but one may learn from the released numbers "
            "whether that one is joined, and its label; if they are "
            f"{self.least - 1}, it learns it from whether there is a number at all",
            "areas by themselves hardly tell how many rows are joined; an interval, a standard "
            "error, a test or a rate does, roughly",
        ]
        if rows:
            found.append(
                "two different identifiers may have one tag, with a probability of "
                f"{collision_bound(rows)}: then neither is joined"
            )
        return tuple(found)

    @property
    def _in_any(self) -> str:
        """The parts of the joined rows of which each has to have enough, in words."""
        parted = self.beside is not None and bool(self.beside.names)
        return f" in all or in any {self.beside.kind}" if self.beside and parted else ""

    def merge(self, sizes: Sequence[int]) -> str | None:
        tagged = self.tagged(sizes)
        chosen = {self._anew(self.pairs(sizes)).name} if self.curve else set()
        if tagged:
            chosen.add(self._sort_of(tagged).name)
        return next(iter(chosen)) if len(chosen) == 1 else None


@dataclass(frozen=True, slots=True)
class _SumsOfFolds(CountedFolds):
    """The counts and sums of folds of joined rows, of which each has as many places."""

    def vectors(self, sizes: Sequence[int], group: str = WHOLE) -> tuple[int, ...]:
        return (self.each.places(sum(sizes)),) * len(self.names)


def _pooled_cells(
    segments: Sequence[tuple[Sequence[int], Sequence[int]]], columns: Sequence[Sequence[int]]
) -> PooledCounts:
    """The cells of all segments' rows, of which each counts so much, in the clear."""
    codes = np.array([code for own, _ in segments for code in own], np.uint64)
    labels = [label for _, own in segments for label in own]
    counts = [count for own in columns for count in own]
    positives = [label * count for label, count in zip(labels, counts, strict=True)]
    negatives = [count - p for count, p in zip(counts, positives, strict=True)]
    return pooled_rows(codes, positives, negatives)
