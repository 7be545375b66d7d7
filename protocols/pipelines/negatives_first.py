"""The pipeline of the sorted list with the negatives first among tied scores.

[Thesis, 5.4]: what is differentially private must not overestimate a curve, and so its ties are
broken against the classifier. The owners do it: they share

    key = 2·code(score) + (1 - label)

so that the sort moves one word as ever, and everything behind it is that of the sorted list with
the classes exchanged: its y is 1 for a negative, its TP counts negatives, its P is their number.
Nobody learns more than there. Exact statistics of the same lists are refused beside private ones,
so the options alone say which of the two keys an owner shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.outsourcing import descending
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.pooled import Pooled

LABEL = 1


@dataclass(frozen=True, slots=True)
class NegativesFirst(SortedList):
    """One sorted list of all owners' keys with exchanged classes; in the clear as it is."""

    name: ClassVar[str] = "sorted list with negatives first"

    def upload(self, keys: Sequence[Words]) -> Words:
        [column] = keys
        return descending(column ^ np.uint64(LABEL))

    def in_clear(self, uploads: Sequence[Words]) -> Pooled:
        return Pooled.of([keys ^ np.uint64(LABEL) for keys in uploads])
