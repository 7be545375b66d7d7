"""Sorted lists become one: the merge tree, and the sorts that can run on it.

A sort is one file with one class of the contract `Sort`; the files of this room are looked through
for all of them.

>>> SORTS["network"].title
"Batcher's network: opens nothing"
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from ppaurora.protocols.discovery import implementations
from ppaurora.protocols.sorting.sort import Rows, Sort

__all__ = ["SORTS", "Rows", "Sort"]

CONTRACT: type[Sort] = Sort  # type: ignore[type-abstract]
SORTS: Mapping[str, type[Sort]] = {
    sort.name: sort for sort in implementations(sys.modules[__name__], CONTRACT)
}
"""Every sort by name."""
