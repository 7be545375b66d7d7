"""Sorted lists become one: the merge tree, and the sorts that can run on it.

A sort is one file with one class of the contract `Sort`; the files of this room are looked through
when somebody wants to know all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property

from ppaurora.protocols.discovery import found_in, in_its_file
from ppaurora.protocols.sorting.sort import Rows, Sort

__all__ = ["SORTS", "Rows", "Sort"]

ROOM = sys.modules[__name__]
CONTRACT: type[Sort] = Sort  # type: ignore[type-abstract]


class Sorts(Mapping[str, type[Sort]]):
    """Every sort by name; who asks for one does not load the others.

    >>> list(SORTS)
    ['auto', 'delta', 'network', 'shuffled']
    """

    def __getitem__(self, name: str) -> type[Sort]:
        return in_its_file(ROOM, name, CONTRACT) or self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> dict[str, type[Sort]]:
        return {sort.name: sort for sort in found_in(ROOM, CONTRACT)}


SORTS = Sorts()
