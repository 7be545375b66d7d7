"""Sorted lists become one: the merge tree, and the sorts that can run on it.

A sort is one file with one class of the contract `Sort`; the files of this room are looked through
when the package is loaded.
"""

from __future__ import annotations

import sys

from ppaurora.protocols.discovery import found_in
from ppaurora.protocols.sorting.sort import Rows, Sort

_FOUND = found_in(sys.modules[__name__], Sort)  # type: ignore[type-abstract]
SORTS: dict[str, type[Sort]] = {sort.name: sort for sort in _FOUND}

__all__ = ["SORTS", "Rows", "Sort"]
