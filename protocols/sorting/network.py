"""Batcher's odd-even merge for two sorted lists of any lengths, all merges in one flat vector.

Batcher's network joins two lists of N/2 = 2^k elements. Shorter lists a, b are padded in thought:
list A in front with +infinity, list B behind with -infinity. No comparator ever moves a pad, so the
comparators that touch one are left out, and the runs [A | B] are merged in place, descending:

    first layer         i with i + N/2
    layer d = N/4 .. 1  i with i + d,    i in [d + 2dt, 2d + 2dt) for t = 0, 1, ...

Data-oblivious: which elements meet follows from the public lengths alone, nothing is opened. A
layer is one batch of compare-exchanges over all merges that are under way: 4 hops, 81 bytes each,
of many 5 and 72, or 6 and 70, and 24 more for each column beside the key. Where rows are shared
mod 2^32 it is 4 hops, 36 bytes each, of many 5 and 34, and 12 more for each column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc import kernels
from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import negative_parts_in_place
from ppaurora.mpc.shares import InRing, concatenate, is_narrow
from ppaurora.mpc.words import Column
from ppaurora.protocols.sorting.sort import MergeTree, Rows, Sort, merge_tree

SHORT_RUN = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """Comparators of start + 2d·row + c with the place d further on, for row < rows, c < run <= d.

    Such a segment is a slice of the flat vector, so numpy walks it without index arrays.
    """

    start: int
    rows: int
    run: int
    d: int

    @property
    def count(self) -> int:
        return self.rows * self.run

    def sides(self, words: Column, part: slice) -> Iterator[tuple[Column, Column, slice]]:
        """Views of the upper and the lower places of the comparators in `part`.

        With each pair of views goes the slice of the comparators that it holds. Short runs are
        numbered column by column: long strided columns are faster than many rows of so few.
        """
        by_column = self.rows > 1 and self.run < SHORT_RUN
        line = self.rows if by_column else self.run
        first = part.start
        while first < part.stop:
            number, offset = divmod(first, line)
            count = min(line - offset, part.stop - first)
            if by_column:
                at = self.start + number + 2 * self.d * offset
                upper = words[at :: 2 * self.d][:count]
                lower = words[at + self.d :: 2 * self.d][:count]
            elif offset or count < line or self.run < self.d:
                at = self.start + 2 * self.d * number + offset
                upper, lower = words[at:][:count], words[at + self.d :][:count]
            else:
                whole = (part.stop - first) // line
                at = self.start + 2 * self.d * number
                pairs = words[at:][: 2 * self.d * whole].reshape(whole, 2, self.d)
                upper, lower, count = pairs[:, 0], pairs[:, 1], whole * line
            yield upper, lower, slice(first, first + count)
            first += count


Layer = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A whole sort of sorted runs: the order of the lists, and the layers to run one by one."""

    order: tuple[int, ...]
    layers: tuple[Layer, ...]

    @property
    def comparators(self) -> int:
        return sum(map(comparators, self.layers))


def comparators(layer: Layer) -> int:
    """The number of compare-exchanges of a layer."""
    return sum(segment.count for segment in layer)


def merge_layers(start: int, a: int, b: int) -> list[Layer]:
    """The layers that merge [start, start + a) with [start + a, start + a + b); none is empty."""
    if not a or not b:
        return []
    half = 1 << (max(a, b) - 1).bit_length()
    # the runs occupy [low, high) of the padded 2·half places
    low, high = half - a, half + b
    layers = [_row(low, half, low, high, half)]
    d = half // 2
    while d:
        layers.append(_stage(d, low, high))
        d //= 2
    return [
        tuple(Segment(start + s.start - low, s.rows, s.run, s.d) for s in layer)
        for layer in layers
        if layer
    ]


def _row(first: int, stop: int, low: int, high: int, d: int) -> Layer:
    """i in [first, stop) with i + d, both in [low, high)."""
    first, stop = max(first, low), min(stop, high - d)
    return (Segment(first, 1, stop - first, d),) if first < stop else ()


def _stage(d: int, low: int, high: int) -> Layer:
    """i in [d + 2dt, 2d + 2dt) with i + d: a cut row, whole rows, a cut row."""
    # rows begin at d + 2dt; the whole ones begin at low or later and end at high or before
    first = max(0, -((d - low) // (2 * d)))
    last = (high - 3 * d) // (2 * d)
    if first > last:
        rows = range(max(0, first - 1), last + 2)
        return tuple(s for t in rows for s in _row((2 * t + 1) * d, (2 * t + 2) * d, low, high, d))
    head = _row((2 * first - 1) * d, 2 * first * d, low, high, d) if first else ()
    body = Segment((2 * first + 1) * d, last - first + 1, d, d)
    tail = _row((2 * last + 3) * d, (2 * last + 4) * d, low, high, d)
    return (*head, body, *tail)


def network(sizes: Sequence[int]) -> Network:
    """The sort of sorted lists of these sizes: every merge starts as soon as its lists stand."""
    tree: MergeTree = merge_tree(sizes)
    layers: list[list[Segment]] = []
    ready: dict[int, int] = {}
    for level in tree.levels:
        for merge in level:
            at = max(ready.get(merge.start, 0), ready.get(merge.start + merge.a, 0))
            for layer in merge_layers(merge.start, merge.a, merge.b):
                if at == len(layers):
                    layers.append([])
                layers[at].extend(layer)
                at += 1
            ready[merge.start] = at
    return Network(tree.order, tuple(map(tuple, layers)))


def _sides(words: Column, layer: Layer, part: slice) -> Iterator[tuple[Column, Column, slice]]:
    """`Segment.sides` of the layer's comparators in `part`, each numbered from its beginning."""
    before = -part.start
    for segment in layer:
        inside = slice(max(0, -before), min(segment.count, part.stop - part.start - before))
        for upper, lower, found in segment.sides(words, inside):
            yield upper, lower, slice(before + found.start, before + found.stop)
        before += segment.count


def add_differences(words: Column, layer: Layer, part: slice, out: Column) -> None:
    """Add v[i] - v[i + d] to `out` for the layer's comparators in `part`."""
    for upper, lower, place in _sides(words, layer, part):
        kernels.add_difference(upper, lower, out[place])


def exchange(words: Column, layer: Layer, part: slice, moved: kernels.Choice) -> None:
    """v[i] -= t, v[i + d] += t, in place: with t = min(v[i] - v[i + d], 0) the larger comes up."""
    for upper, lower, place in _sides(words, layer, part):
        moved.exchange(place.start, upper, lower, upper, lower)


@dataclass(frozen=True, slots=True)
class NetworkSort(Sort):
    """Batcher's network. Nothing is opened and nobody learns anything."""

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Batcher's network: opens nothing"

    @property
    def helper_only_deals(self) -> bool:
        return True

    def sorted_rows(self, party: Party, lists: Sequence[Rows[InRing]]) -> list[InRing]:
        plan = network([len(keys) for keys, *_ in lists])
        if not plan.order:
            return list(lists[0])
        rows = [concatenate(column) for column in zip(*(lists[k] for k in plan.order), strict=True)]
        narrow = is_narrow(rows[0])
        for layer in plan.layers:

            def add_to(part: slice, masks: Sequence[Column], layer: Layer = layer) -> None:
                for column, of_column in zip(rows, masks, strict=True):
                    add_differences(column.words, layer, part, of_column)

            def taken(part: slice, moved: Sequence[kernels.Choice], layer: Layer = layer) -> None:
                for column, of_column in zip(rows, moved, strict=True):
                    exchange(column.words, layer, part, of_column)

            length, columns = comparators(layer), len(rows) - 1
            negative_parts_in_place(party, length, add_to, taken, columns=columns, narrow=narrow)
        return rows

    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        layer_cost = negative_parts_in_place.cost(columns=columns, narrow=narrow)
        layers = (layer_cost.of(comparators(layer)) for layer in network(sizes).layers)
        return sum(layers, Cost())
