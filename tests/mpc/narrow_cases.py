"""Primitives on numbers that are shared mod 2^32, in the form of `tests.mpc.cases`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from ppaurora.mpc import primitives
from ppaurora.mpc.shares import narrowed
from tests.mpc.cases import CASES, Case, Integers, Vector, signed

NARROW_TOP = 2**31 - 1


def narrow(rng: Generator, n: int) -> Vector:
    """Values in (-2^31, 2^31)."""
    return signed(rng, n, 31)


def keys(rng: Generator, n: int) -> list[Vector]:
    """(a, b), both in [0, 2^31), every third pair alike."""
    a, b = abs(narrow(rng, n)), abs(narrow(rng, n))
    return [a, np.where(rng.integers(0, 3, n) == 0, a, b)]


def _case(name: str) -> Case:
    [case] = (case for case in CASES if case.name == name)
    return case


def _rows(*columns: Integers) -> Sequence[Integers]:
    """The rows of larger keys, then those of smaller ones; rows of equal keys stay."""
    width = len(columns) // 2
    rows = [(row[:width], row[width:]) for row in zip(*columns, strict=True)]
    larger, smaller = (
        [pair[first ^ (pair[0][0] < pair[1][0])] for pair in rows] for first in (False, True)
    )
    sides = [list(map(list, zip(*side, strict=True))) or [[]] * width for side in (larger, smaller)]
    return [*sides[0], *sides[1]]


NARROW_CASES = [
    replace(
        _case("is_negative"),
        name="is_negative, 32 bits",
        call=lambda party, x: [primitives.is_negative(party, narrowed(x))],
        draw=lambda rng, n: [narrow(rng, n)],
        extremes=((0,), (-NARROW_TOP,)),
        parameters={"narrow": True},
    ),
    replace(
        _case("negative_times"),
        name="negative_times, 32 bits",
        call=lambda party, x, y: primitives.negative_times(party, narrowed(x), y),
        draw=lambda rng, n: [narrow(rng, n), signed(rng, n)],
        extremes=((0, 0), (-NARROW_TOP, -1)),
        parameters={"narrow": True},
    ),
    replace(
        _case("negative_times"),
        name="negative_times, values of 32 bits",
        call=lambda party, x, y: primitives.negative_times(party, x, narrowed(y)),
        draw=lambda rng, n: [signed(rng, n), narrow(rng, n)],
        extremes=((0, 0), (-(2**63) + 1, -NARROW_TOP)),
        parameters={"narrow_values": True},
        modulus=2**32,
    ),
    replace(
        _case("negative_times"),
        name="negative_times, all of 32 bits",
        call=lambda party, x, y: primitives.negative_times(party, narrowed(x), narrowed(y)),
        draw=lambda rng, n: [narrow(rng, n), narrow(rng, n)],
        extremes=((0, 0), (-NARROW_TOP, -NARROW_TOP)),
        parameters={"narrow": True, "narrow_values": True},
        modulus=2**32,
    ),
    replace(
        _case("compare_exchange"),
        name="compare_exchange, 32 bits",
        call=lambda party, a, b: primitives.compare_exchange(party, narrowed(a), narrowed(b)),
        draw=keys,
        extremes=((0, 0), (0, NARROW_TOP)),
        parameters={"narrow": True},
        modulus=2**32,
    ),
    Case(
        "compare_exchange_columns, 32 bits",
        primitives.compare_exchange_columns,
        lambda party, *columns: [
            *itertools.chain(
                *primitives.compare_exchange_columns(
                    party, [*map(narrowed, columns[:2])], [*map(narrowed, columns[2:])]
                )
            )
        ],
        _rows,
        lambda rng, n: [column for key in keys(rng, n) for column in (key, narrow(rng, n))],
        ((0, 0, 0, 0), (0, NARROW_TOP, NARROW_TOP, -NARROW_TOP)),
        {"columns": 1, "narrow": True},
        modulus=2**32,
    ),
    Case(
        "products, 32 bits",
        primitives.products,
        lambda party, x, y: primitives.products(
            party, [narrowed(x), narrowed(y)], [(0, 0), (0, 1), (1, 1)]
        ),
        lambda x, y: [
            [a * a for a in x],
            [a * b for a, b in zip(x, y, strict=True)],
            [b * b for b in y],
        ],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (-1, NARROW_TOP)),
        {"factors": 2, "pairs": 3, "narrow": True},
        modulus=2**32,
    ),
    replace(
        _case("carry"),
        name="carry, 32 bits",
        call=lambda party, flags, *columns: primitives.carry(
            party, narrowed(flags), [*map(narrowed, columns)]
        ),
        extremes=((0, 0, 0), (1, -1, NARROW_TOP)),
        parameters={"columns": 2, "narrow": True},
        modulus=2**32,
    ),
    Case(
        "extend",
        primitives.extend,
        lambda party, x: [primitives.extend(party, narrowed(x))],
        lambda x: [x],
        lambda rng, n: [abs(narrow(rng, n))],
        ((0,), (NARROW_TOP,)),
    ),
]
