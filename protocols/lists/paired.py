"""The upload of an owner whose rows have two scores: two sorted lists, and which rows are the same.

    the keys of the first scores, descending      row number k stands at place k
    the keys of the second scores, descending
    the row number of each of the second keys

Three words a row. The numbers are the places in the first list, which need no words: opened, they
are shuffled by an order that nobody knows, and so tell nothing of the order that they count. Rows
of equal first keys are numbered by their second keys, and rows of equal second keys stand in the
order of their numbers: nothing about the order of the owner's rows remains.

The proxies' private check tells one bit for each upload: whether both lists are sorted and in
range, the numbers are complete, and every row has one label. An owner's numbers are shuffled by
themselves and opened; only those that are not complete tell P0 and P1 anything. The rows whose two
keys differ in their lowest bits, the labels, are counted together with what the check of lists
counts. 4 hops; about 380 bytes a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    row_orders,
    to_arithmetic,
)
from ppaurora.mpc.shares import SharedNumbers, concatenate, low_bits
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import Words
from ppaurora.protocols.lists.verdicts import (
    Findings,
    negatives,
    sums_of_parts,
    violations,
)

WORDS = 3
"""The number of words of a row."""


def paired(first: Words, second: Words) -> Words:
    """The upload of rows with these first and second keys, in whatever order the rows are.

    >>> paired(np.array([4, 8, 4], np.uint64), np.array([7, 2, 9], np.uint64)).tolist()
    [8, 4, 4, 9, 7, 2, 1, 2, 0]
    """
    rows = np.lexsort((second, first))[::-1]
    first, second = first[rows], second[rows]
    # ~x turns the order of words round, and a stable sort keeps that of equal ones
    numbers = np.argsort(~second, kind="stable")
    return np.concatenate([first, second[numbers], numbers.astype(np.uint64)])


@dataclass(frozen=True, slots=True)
class PairedLists:
    """One upload as it is shared: both lists, and the row numbers of the second one."""

    first: SharedNumbers
    second: SharedNumbers
    numbers: SharedNumbers

    @classmethod
    def of(cls, upload: SharedNumbers) -> PairedLists:
        n = len(upload) // WORDS
        return cls(upload[:n], upload[n : 2 * n], upload[2 * n :])

    def __len__(self) -> int:
        return len(self.first)


def check_paired(party: Party, uploads: Sequence[SharedNumbers], *, largest_key: int) -> Findings:
    """The findings on uploads of two lists each, of which none is empty."""
    pairs = [PairedLists.of(upload) for upload in uploads]

    def of_lists(own: Party) -> Findings:
        signs = [violations(keys, largest_key) for one in pairs for keys in (one.first, one.second)]
        counts = negatives(own, signs)
        return Findings([True] * len(pairs), counts[::2] + counts[1::2])

    of_both, of_rows = side_by_side(party, [of_lists, lambda own: _mismatches(own, pairs)])
    return Findings(of_rows.sound, of_both.faults + of_rows.faults)


def _mismatches(party: Party, pairs: Sequence[PairedLists]) -> Findings:
    """0 if and only if the row numbers are complete; the rows with two labels. Four hops."""
    lengths = [*map(len, pairs)]
    first, second, numbers = (
        concatenate(vectors)
        for vectors in zip(*((one.first, one.second, one.numbers) for one in pairs), strict=True)
    )
    complete, [second] = row_orders(party, numbers, [second], lengths=lengths)
    differ = to_arithmetic(party, low_bits(first) ^ low_bits(second))
    return Findings(complete, sums_of_parts(differ, lengths))


def check_paired_cost(sizes: Sequence[int], *, narrow: bool = False) -> Cost:
    """The cost of `check_paired` for uploads of so many rows."""
    n = sum(sizes)
    rows = row_orders.cost(columns=1, narrow=2 * narrow).of(n)
    return is_negative.cost(narrow=narrow).of(4 * n) | rows + to_arithmetic.cost().of(n)
