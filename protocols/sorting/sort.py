"""The contract of a sort: it says its name, its parameters, its cost and its leak itself.

A sort is one file of this room with one frozen dataclass; it is found by itself. Its fields are
what a study may say of it beside its name. What is sorted are rows: a key, and columns that go
where their key goes, in the same hops.

The merge tree: sorted lists are its leaves, the smallest are merged first [ppAURORA, section 4].

The tree is as flat as can be: where the number of lists is no power of two, the smallest pairs are
merged first, and from then on every level halves the number of lists. It follows from the public
sizes alone. The leaves are laid out so that every merge joins two neighbours of one flat vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import InRing
from ppaurora.protocols.errors import OptionRefused

LONGEST_US, MOST_MEGABITS = 60_000_000, 1_000_000
BUSY = 2


@dataclass(frozen=True, slots=True)
class Work:
    """Processor time of the three servers together: at the start, for each hop and each byte."""

    start_us: int
    hop_us: int
    byte_ps: int

    def nanoseconds(self, spent: Cost) -> int:
        computed = self.start_us + self.hop_us * spent.hops
        return 1000 * computed + self.byte_ps * spent.payload // 1000


SCANNING = Work(0, 1000, 4000)
"""The processor time of a scan after the sort, and of a sort by compare-exchanges."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The network between the servers, as far as the choice of a sort and of a scan needs it."""

    round_trip_us: int = 10_000
    megabits: int = 1000

    def __post_init__(self) -> None:
        if not 0 <= self.round_trip_us <= LONGEST_US or not 1 <= self.megabits <= MOST_MEGABITS:
            raise ValueError(
                f"a round trip of {self.round_trip_us} us, or {self.megabits} megabits a second"
            )

    def nanoseconds(self, spent: Cost, work: Work, *, beside: int = 1) -> int:
        """The time of so many computations in the same hops, each of this cost.

        hops · round trip / 2 + bytes / throughput + work / 2, since two servers are busy at a time.
        """
        moving = spent.payload * 8000 // self.megabits
        return spent.hops * self.round_trip_us * 500 + beside * (
            moving + work.nanoseconds(spent) // BUSY
        )


USUAL = Conditions()

Rows: TypeAlias = Sequence[InRing]
"""The columns of some rows, the keys first; all are shared in one ring."""


class Sort(ABC):
    """One way to make one sorted list of many."""

    name: ClassVar[str]
    title: ClassVar[str]
    """One line for help texts and study files."""

    narrows: ClassVar[bool] = True
    """True if it also sorts keys that are shared mod 2^32, for about half the bytes."""

    @property
    def cost_is_exact(self) -> bool:
        """True if every run takes exactly `cost`, whatever the data."""
        return True

    def chosen(
        self,
        sizes: Sequence[int],
        conditions: Conditions,
        *,
        columns: int = 0,
        beside: int = 1,
        narrow: bool = False,
    ) -> Sort:
        """The sort that runs on lists of these public sizes: this one, unless it is a choice.

        The keys have so many columns beside them, and so many such sorts run in the same hops;
        `narrow` ones are shared mod 2^32.
        """
        return self

    def chosen_anew(self, rows: int, conditions: Conditions, *, narrow: bool = False) -> Sort:
        """The sort that runs on so many rows in any order: this one, unless it is a choice."""
        return self

    @property
    def helper_only_deals(self) -> bool:
        """True if the helper is sent nothing, and deals what its keys and public sizes determine.

        Then others can compute its dealing again.
        """
        return False

    @classmethod
    def of(cls, delta: int) -> Self:
        """The sort with a study's parameter; `OptionRefused` where it takes none, or another."""
        if delta != 1:
            raise OptionRefused("delta", 'belongs to the merge "delta" only')
        return cls()

    @abstractmethod
    def sorted_rows(self, party: Party, lists: Sequence[Rows[InRing]]) -> list[InRing]:
        """All lists of rows, each sorted descending by its keys, as one list that is sorted so."""

    def sorted(self, party: Party, lists: Sequence[InRing]) -> InRing:
        """All lists of keys, each sorted descending, as one list sorted descending."""
        [keys] = self.sorted_rows(party, [[keys] for keys in lists])
        return keys

    def sorted_anew(self, party: Party, rows: Rows[InRing]) -> list[InRing]:
        """Rows in any order as one list sorted descending by its keys: each is a list of one row.

        It costs what lists of these sizes cost, `anew(rows)`.
        """
        if len(rows[0]) < 2:
            return list(rows)
        lists = [[column[at : at + 1] for column in rows] for at in range(len(rows[0]))]
        return self.sorted_rows(party, lists)

    @abstractmethod
    def cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        """The cost for lists of these lengths, whose keys have so many columns beside them.

        An estimate where it depends on the data or, as a mean, on chance.
        """

    def most_cost(self, sizes: Sequence[int], *, columns: int = 0, narrow: bool = False) -> Cost:
        """A cost that fewer than one in a thousand runs exceed, where `cost` is exact or a mean."""
        return self.cost(sizes, columns=columns, narrow=narrow)

    def proxies_learn(self) -> tuple[str, ...]:
        """The facts that P0 and P1 learn, for the ledger."""
        return ()

    def helper_learns(self) -> tuple[str, ...]:
        """The facts that the helper learns of the lists, for the ledger."""
        return ()

    def helper_sees(self) -> tuple[str, ...]:
        """The random values that the helper sees beside: independent of the lists.

        For the ledger; no reason to refuse a study that must not tell anything.
        """
        return ()

    def can_be_turned(self) -> tuple[str, ...]:
        """Why nothing is claimed against a server that deviates: what this sort opens or tells
        can be made to tell something else; empty if it opens and tells nothing."""
        return ()

    def onlookers_learn(self) -> tuple[str, ...]:
        """The facts that sizes and times of encrypted frames reveal, for the ledger."""
        return ()


def anew(rows: int) -> list[int]:
    """The sizes of the lists as which rows in any order are sorted."""
    return [1] * rows


@dataclass(frozen=True, slots=True)
class Merge:
    """Join the sorted runs [start, start + a) and [start + a, start + a + b) of the flat vector."""

    start: int
    a: int
    b: int

    @property
    def stop(self) -> int:
        return self.start + self.a + self.b


@dataclass(frozen=True, slots=True)
class MergeTree:
    """The order in which the lists are laid out, and the merges of each level, leaves first."""

    order: tuple[int, ...]
    levels: tuple[tuple[Merge, ...], ...]


@dataclass(frozen=True, slots=True)
class _Node:
    size: int
    leaf: int = -1
    children: tuple[_Node, ...] = ()


def merge_tree(sizes: Sequence[int]) -> MergeTree:
    """The tree over lists of these sizes; empty lists take no part in it."""
    nodes = [_Node(size, leaf) for leaf, size in enumerate(sizes) if size > 0]
    nodes.sort(key=lambda node: node.size)
    if not nodes:
        return MergeTree((), ())
    rounds: list[list[_Node]] = []
    while len(nodes) > 1:
        # as many pairs as bring the number of lists down to the next power of two
        pairs = len(nodes) - (1 << ((len(nodes) - 1).bit_length() - 1))
        merged = [_joined(nodes[2 * pair], nodes[2 * pair + 1]) for pair in range(pairs)]
        rounds.append(merged)
        nodes = sorted(merged + nodes[2 * pairs :], key=lambda node: node.size)
    order, starts = _lay_out(nodes[0])
    levels = tuple(
        tuple(
            Merge(starts[id(node)], node.children[0].size, node.children[1].size) for node in level
        )
        for level in rounds
    )
    return MergeTree(tuple(order), levels)


def _joined(smaller: _Node, larger: _Node) -> _Node:
    """The longer list stands first: the paper's L1, and the cheaper side for the network."""
    return _Node(smaller.size + larger.size, children=(larger, smaller))


def _lay_out(root: _Node) -> tuple[list[int], dict[int, int]]:
    """The leaves from left to right, and where each node's run begins."""
    order: list[int] = []
    starts: dict[int, int] = {}
    stack = [(root, 0)]
    while stack:
        node, start = stack.pop()
        starts[id(node)] = start
        if not node.children:
            order.append(node.leaf)
        else:
            first, second = node.children
            stack += [(second, start + first.size), (first, start)]
    return order, starts
