"""The upload of an owner whose rows have several scores: sorted lists, and which rows are the same.

    the keys of the first scores, descending      row number k stands at place k
    the keys of the second scores, descending
    the row number of each of the second keys
    ... and so on, for each of k scores

2k - 1 words a row. The numbers are the places in the first list, which need no words: opened, they
are shuffled by an order that nobody knows, and so tell nothing of the order that they count. Rows
of equal first keys are numbered by their second keys, and so on, and rows of equal keys in another
list stand in the order of their numbers: nothing about the order of the owner's rows remains.

The proxies' private check tells one bit for each upload: whether all lists are sorted and in range,
the numbers are complete, and every row has one label. An owner's numbers are shuffled by
themselves and opened; only those that are not complete tell P0 and P1 anything. The rows whose two
keys differ in their lowest bits, the labels, are counted together with what the check of lists
counts, for each list but the first. 4 hops; of two scores about 380 bytes a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add, or_

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    row_orders,
    to_arithmetic,
)
from ppaurora.mpc.shares import Shared, SharedNumbers, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.verdicts import (
    Findings,
    negatives,
    sums_of_parts,
    violations,
)


def words_of(lists: int) -> int:
    """The number of words of a row with so many scores."""
    return 2 * lists - 1


def same_rows(columns: Sequence[Words]) -> Words:
    """The upload of rows with these keys, a column for each score, in whatever order the rows are.

    >>> columns = np.array([4, 8, 4], np.uint64), np.array([7, 2, 9], np.uint64)
    >>> same_rows(columns).tolist()
    [8, 4, 4, 9, 7, 2, 1, 2, 0]
    """
    rows = np.lexsort(tuple(reversed(columns)))[::-1]
    first, *others = (column[rows] for column in columns)
    upload = [first]
    for keys in others:
        # ~x turns the order of words round, and a stable sort keeps that of equal ones
        numbers = np.argsort(~keys, kind="stable")
        upload += [keys[numbers], numbers.astype(np.uint64)]
    return np.concatenate(upload)


@dataclass(frozen=True, slots=True)
class SameRows:
    """One upload as it is shared: the lists, and the row numbers of each but the first."""

    lists: tuple[SharedNumbers, ...]
    numbers: tuple[SharedNumbers, ...]

    @classmethod
    def of(cls, upload: SharedNumbers, lists: int) -> SameRows:
        words = words_of(lists)
        n = len(upload) // words
        parts = [upload[n * place : n * (place + 1)] for place in range(words)]
        return cls((parts[0], *parts[1::2]), tuple(parts[2::2]))

    def __len__(self) -> int:
        return len(self.lists[0])

    @property
    def first(self) -> SharedNumbers:
        """The keys of the first scores."""
        return self.lists[0]


def check_same_rows(
    party: Party, uploads: Sequence[SharedNumbers], *, lists: int, largest_key: int
) -> Findings:
    """The findings on uploads of so many lists each, of which none is empty."""
    rows = [SameRows.of(upload, lists) for upload in uploads]

    def of_lists(own: Party) -> Findings:
        signs = [violations(keys, largest_key) for one in rows for keys in one.lists]
        counts = negatives(own, signs)
        # an upload's lists stand one behind the other
        faults = reduce(add, (counts[place::lists] for place in range(lists)))
        return Findings([True] * len(rows), faults)

    programs: list[Callable[[Party], Findings]] = [of_lists]
    programs += [partial(_mismatches, rows=rows, place=place) for place in range(1, lists)]
    of_each, *of_rows = side_by_side(party, programs)
    sound = [all(bits) for bits in zip(*(one.sound for one in of_rows), strict=True)]
    return Findings(sound, of_each.faults + reduce(add, (one.faults for one in of_rows)))


def _mismatches(party: Party, *, rows: Sequence[SameRows], place: int) -> Findings:
    """0 if and only if the row numbers are complete; the rows with two labels. Four hops."""
    lengths = [*map(len, rows)]
    first = concatenate(one.first for one in rows)
    keys = concatenate(one.lists[place] for one in rows)
    numbers = concatenate(one.numbers[place - 1] for one in rows)
    complete, [other] = row_orders(party, numbers, [keys], lengths=lengths)
    differ: Shared = to_arithmetic(party, low_bits(first) ^ low_bits(other))
    return Findings(complete, sums_of_parts(differ, lengths))


def check_same_rows_cost(sizes: Sequence[int], *, lists: int, narrow: bool = False) -> Cost:
    """The cost of `check_same_rows` for uploads of so many rows."""
    n = sum(sizes)
    rows = row_orders.cost(columns=1, narrow=2 * narrow).of(n) + to_arithmetic.cost().of(n)
    signs = is_negative.cost(narrow=narrow).of(2 * lists * n)
    return reduce(or_, [rows] * (lists - 1), signs)
