"""Cases of what statistics need beyond sorting and ratios: tables, whole rows, random bits."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

import numpy as np

from ppaurora.mpc import primitives
from ppaurora.mpc.kernels import Choice
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.biased_bits import ONE
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Column
from tests.mpc.cases import TOP, Case, Integers, pairs, signed

TABLES = [[3 * place - 50 for place in range(37)], [2**64 - place**9 for place in range(37)]]


def _exchanged(*rows: Integers) -> list[Integers]:
    """Keys and columns of the rows with the larger key, then of the others; equal keys stay."""
    exchanged = [
        (*b, *a) if a[0] < b[0] else (*a, *b)
        for a, b in zip(zip(*rows[:2], strict=True), zip(*rows[2:], strict=True), strict=True)
    ]
    return [list(column) for column in zip(*exchanged, strict=True)] or [[]] * len(rows)


def _halves(n: int) -> list[int]:
    """The lengths of two parts."""
    return [n // 2, n - n // 2]


def _biased(party: Party, x: Shared) -> list[Shared]:
    """As many bits as x has elements: one never, one always, and so on."""
    own = None if party.is_helper else Stream(os.urandom(16))
    return [primitives.biased_bits(party, np.resize([0, ONE], len(x)), own)]


def negative_parts_of_vectors(party: Party, *vectors: Shared) -> list[Shared]:
    """The primitive for vectors that lie anywhere, on two that lie in one piece."""
    length = len(vectors[0])
    if party.is_helper:
        moved = [Shared.absent(length) for _ in vectors]
    else:
        moved = [Shared.from_words(party.role, np.zeros(length, np.uint64)) for _ in vectors]

    def taken(part: slice, found: Sequence[Choice]) -> None:
        for vector, choice, y in zip(moved, found, vectors, strict=True):
            vector.words[part] = choice.words(y.words[part])

    def add_to(part: slice, masks: Sequence[Column]) -> None:
        for vector, mask in zip(vectors, masks, strict=True):
            mask += vector.words[part]

    primitives.negative_parts_in_place(party, length, add_to, taken, columns=len(vectors) - 1)
    return moved


STATISTICS_CASES = [
    Case(
        "lookup",
        primitives.lookup,
        lambda party, x: primitives.lookup(party, x, TABLES),
        lambda x: [[table[place] for place in x] for table in TABLES],
        lambda rng, n: [rng.integers(0, 37, n)],
        ((0,), (36,)),
        {"bits": 6},
    ),
    *(
        Case(
            primitive.__name__,
            primitive,
            call,
            lambda x, *columns: [
                [value if key < 0 else 0 for key, value in zip(x, column, strict=True)]
                for column in (x, *columns)
            ],
            lambda rng, n: [signed(rng, n) for _ in range(3)],
            ((0, 0, 0), (-TOP, -1, TOP)),
            {"columns": 2},
        )
        for primitive, call in (
            (
                primitives.negative_parts,
                lambda party, x, *columns: primitives.negative_parts(party, x, columns),
            ),
            (primitives.negative_parts_in_place, negative_parts_of_vectors),
        )
    ),
    Case(
        "compare_exchange_columns",
        primitives.compare_exchange_columns,
        lambda party, *rows: [
            *itertools.chain(*primitives.compare_exchange_columns(party, rows[:2], rows[2:]))
        ],
        _exchanged,
        lambda rng, n: [column for key in pairs(rng, n) for column in (key, signed(rng, n))],
        ((0, 0, 0, 0), (-1, TOP, TOP - 1, -TOP)),
        {"columns": 1},
    ),
    Case(
        "row_order",
        primitives.row_order,
        # the last row is number 0, the first number n - 1
        lambda party, *columns: primitives.row_order(
            party, Shared.public(party.role, np.arange(len(columns[0]))[::-1]), columns
        ),
        lambda *columns: [column[::-1] for column in columns],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (-1, TOP)),
        {"columns": 2},
        opens_words=True,
        helper_receives=Kind.PERMUTED,
    ),
    Case(
        "row_orders",
        primitives.row_orders,
        # two parts, both numbered backwards
        lambda party, *columns: primitives.row_orders(
            party,
            Shared.public(
                party.role,
                np.concatenate([np.arange(part)[::-1] for part in _halves(len(columns[0]))]),
            ),
            columns,
            lengths=_halves(len(columns[0])),
        )[1],
        lambda *columns: [
            column[: _halves(len(column))[0]][::-1] + column[_halves(len(column))[0] :][::-1]
            for column in columns
        ],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (-1, TOP)),
        {"columns": 2},
        opens_words=True,
        helper_receives=Kind.PERMUTED,
    ),
    Case(
        "biased_bits",
        primitives.biased_bits,
        _biased,
        lambda x: [[place % 2 for place in range(len(x))]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
    ),
]
