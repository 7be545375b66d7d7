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
counts, for each list but the first. 4 hops; of two scores about 365 bytes a row, of
many up to 6 and 320.

Where the lists are of the scores of several classes, each with the label of its own class, every
row must be in exactly one class: with y_c its labels, Σ_rows (Σ_c y_c - 1)² is added instead, which
is 0 if and only if that is so. One hop more.
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
    square,
    to_arithmetic,
)
from ppaurora.mpc.shares import Shared, SharedBits, SharedNumbers, concatenate, low_bits
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
    party: Party,
    uploads: Sequence[SharedNumbers],
    *,
    lists: int,
    largest_key: int,
    classes: bool = False,
) -> Findings:
    """The findings on uploads of so many lists each, of which none is empty.

    The lists have the same labels, or are of `classes`, of which every row is in one.
    """
    rows = [SameRows.of(upload, lists) for upload in uploads]

    def of_lists(own: Party) -> Findings:
        signs = [violations(keys, largest_key) for one in rows for keys in one.lists]
        counts = negatives(own, signs)
        # an upload's lists stand one behind the other
        faults = reduce(add, (counts[place::lists] for place in range(lists)))
        return Findings([True] * len(rows), faults)

    of_labels = _of_one_class if classes else _of_one_label
    programs: list[Callable[[Party], Findings]] = [
        of_lists,
        lambda own: of_labels(own, rows=rows, lists=lists),
    ]
    each, labels = side_by_side(party, programs)
    return Findings(labels.sound, each.faults + labels.faults)


def _of_one_label(party: Party, *, rows: Sequence[SameRows], lists: int) -> Findings:
    """The rows that have another label in some list than in the first one. Four hops."""
    found = side_by_side(party, _programs(rows, lists, lambda first, other: first ^ other))
    faults = reduce(add, (differ for _, differ in found))
    return Findings(_complete(found), sums_of_parts(faults, [*map(len, rows)]))


def _of_one_class(party: Party, *, rows: Sequence[SameRows], lists: int) -> Findings:
    """The squares of how many classes more than one each row is in. Five hops."""

    def first(own: Party) -> Labelled:
        return [], to_arithmetic(own, low_bits(concatenate(one.first for one in rows)))

    programs: list[Callable[[Party], Labelled]] = [
        first,
        *_programs(rows, lists, lambda _, other: other),
    ]
    found = side_by_side(party, programs)
    beyond = reduce(add, (y for _, y in found)) - 1
    faults = sums_of_parts(square(party, beyond), [*map(len, rows)])
    return Findings(_complete(found[1:]), faults)


Labelled = tuple[list[bool], Shared]
"""For each upload whether its row numbers are complete, and a bit for every row."""
Joined = Callable[[SharedBits, SharedBits], SharedBits]


def _programs(
    rows: Sequence[SameRows], lists: int, joined: Joined
) -> list[Callable[[Party], Labelled]]:
    """For each list but the first, a bit of every row from the labels there and in the first."""
    return [partial(_labels, rows=rows, place=place, joined=joined) for place in range(1, lists)]


def _labels(party: Party, *, rows: Sequence[SameRows], place: int, joined: Joined) -> Labelled:
    first = concatenate(one.first for one in rows)
    keys = concatenate(one.lists[place] for one in rows)
    numbers = concatenate(one.numbers[place - 1] for one in rows)
    complete, [other] = row_orders(party, numbers, [keys], lengths=[*map(len, rows)])
    return complete, to_arithmetic(party, joined(low_bits(first), low_bits(other)))


def _complete(found: Sequence[Labelled]) -> list[bool]:
    """For each upload whether the row numbers of all its lists are complete."""
    return [all(bits) for bits in zip(*(complete for complete, _ in found), strict=True)]


def check_same_rows_cost(
    sizes: Sequence[int], *, lists: int, narrow: bool = False, classes: bool = False
) -> Cost:
    """The cost of `check_same_rows` for uploads of so many rows."""
    n = sum(sizes)
    labels = to_arithmetic.cost().of(n)
    rows = row_orders.cost(columns=1, narrow=2 * narrow).of(n) + labels
    signs = is_negative.cost(narrow=narrow).of(2 * lists * n)
    each = reduce(or_, [rows] * (lists - 1))
    if classes:
        each = (each | labels) + square.cost().of(n)
    return signs | each
