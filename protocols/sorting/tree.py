"""The merge tree: sorted lists are its leaves, the smallest are merged first [ppAURORA, section 4].

The tree is as flat as can be: where the number of lists is no power of two, the smallest pairs are
merged first, and from then on every level halves the number of lists. It follows from the public
sizes alone. The leaves are laid out so that every merge joins two neighbours of one flat vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
