"""Primitives in one form, for the tests of results, costs, traces and views.

`plain` says on Python's integers what the primitive computes; it shares no code with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ppaurora.mpc import primitives
from ppaurora.mpc.cost import CostFunction, Primitive
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import NarrowShared, Shared, low_bits
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

Integers = list[int]
Vector = NDArray[np.int64]
WideVector = NDArray[np.object_]
"""Python's integers, for inputs that are shared mod 2^256."""

TOP = 2**63 - 1
POWERS = [1 << bit for bit in range(63)]


def edges(bits: int) -> list[int]:
    """0, ±1, ±(2^bits - 1); ±2^k and its neighbours, where a borrow runs through all lower bits;
    and what makes all nibbles of x + r and r equal but one."""
    top, powers = (1 << bits) - 1, [1 << bit for bit in range(bits)]
    return sorted(
        {
            0,
            top,
            -top,
            *(sign * (power + off) for power in powers for sign in (1, -1) for off in (0, 1)),
        }
        | {
            sign * (digit << 4 * nibble)
            for nibble in range(bits // 4)
            for digit in range(16)
            for sign in (1, -1)
        }
    )


EDGES, NARROW_EDGES = edges(63), edges(31)


def signed(rng: Generator, n: int, bits: int = 63) -> Vector:
    """Values in (-2^bits, 2^bits): half of them edges, half uniformly random."""
    top = (1 << bits) - 1
    uniform = rng.integers(-top, top, n, np.int64, endpoint=True)
    of_edges = np.array(EDGES if bits == 63 else edges(bits), np.int64)
    drawn = of_edges[rng.integers(0, len(of_edges), n)]
    return np.where(rng.random(n) < 0.5, drawn, uniform)


def pairs(rng: Generator, n: int) -> list[Vector]:
    """(a, b) with a - b as `signed` draws it."""
    difference = signed(rng, n)
    b = -(difference >> 1) + rng.integers(-1000, 1000, n)
    b = np.where(abs(difference) > 2**62, -(difference >> 1), b)
    return [b + difference, b]


def natural(rng: Generator, n: int) -> Vector:
    """Values in [0, 2^63)."""
    return abs(signed(rng, n))


def fractions(rng: Generator, n: int, bound: int) -> list[Vector]:
    """(N, D) with 0 <= N <= D <= bound, among them 0/0, 0/D, D/D and ties of rounding."""
    D = rng.integers(0, bound, n, np.int64, endpoint=True) >> rng.integers(0, 50, n)
    N = (D * rng.random(n)).astype(np.int64).clip(0, D)
    where = rng.integers(0, 5, n)
    N = np.select([where == 0, where == 1, where == 2], [np.zeros_like(D), D, D // 2], N)
    return [N, D]


def flagged(rng: Generator, n: int, columns: int) -> list[Vector]:
    """Flags, and columns that are 0 where the flag is."""
    flags = (rng.random(n) < rng.random()).astype(np.int64)
    return [flags, *(flags * signed(rng, n) for _ in range(columns))]


@dataclass(frozen=True, slots=True)
class Case:
    """A primitive called with fixed public parameters.

    `draw` gives valid inputs, a vector each. `extremes` are two that could not differ more, a value
    each; what a primitive opens by name is the same for both, if it does not open everything.
    `helper_receives` is the kind of frames that the helper gets, if it gets any. With fewer than
    `fewest` elements the primitive sends nothing, more than `most` would only take time.
    `opens_words` says that it opens words by name, whose two shares fit together; `wide`, that
    inputs are shared mod 2^256. Results are shared mod `modulus`.
    """

    name: str
    primitive: Primitive[..., Any]
    call: Callable[..., Sequence[Shared | NarrowShared | WideShared]]
    plain: Callable[..., Sequence[Integers]]
    draw: Callable[[Generator, int], Sequence[Vector | WideVector]]
    extremes: tuple[tuple[int, ...], tuple[int, ...]]
    parameters: Mapping[str, int] = field(default_factory=dict)
    opens_all: bool = False
    helper_receives: Kind | None = None
    any_order: bool = False
    fewest: int = 1
    most: int = 1 << 30
    opens_words: bool = False
    wide: bool = False
    modulus: int = 1 << 64

    def __str__(self) -> str:
        return self.name

    def filled(self, value: int, n: int) -> Vector | WideVector:
        """An input whose elements are all alike."""
        return np.full(n, value, np.object_ if self.wide else np.int64)

    @property
    def cost(self) -> CostFunction:
        return self.primitive.cost(**self.parameters)


def _opened(
    primitive: Callable[[Party, Shared], Words | None],
) -> Callable[[Party, Shared], list[Shared]]:
    """P0's view, as a sharing with P1's zeros."""

    def call(party: Party, x: Shared) -> list[Shared]:
        words = primitive(party, x)
        return [Shared.absent(len(x)) if words is None else Shared.public(party.role, words)]

    return call


def _carried(flags: Integers, *columns: Integers) -> list[Integers]:
    results = []
    for column in columns:
        last, result = 0, []
        for flag, value in zip(flags, column, strict=True):
            last = value if flag else last
            result.append(last)
        results.append(result)
    return results


def _carry(primitive: Primitive[..., Any], *, fewest: int) -> Case:
    return Case(
        primitive.__name__,
        primitive,
        lambda party, flags, *columns: primitive(party, flags, columns),
        _carried,
        lambda rng, n: flagged(rng, n, 2),
        ((0, 0, 0), (1, -1, TOP)),
        {"columns": 2},
        fewest=fewest,
    )


def _told(party: Party, x: Shared) -> list[Shared]:
    """Words that do not depend on x, which all three know after the step."""
    words = np.arange(len(x), dtype=np.uint64)
    told = primitives.tell_helper(party, None if party.is_helper else words, len(x))
    np.testing.assert_array_equal(told, words)
    return [Shared.public(party.role, told)]


def quotient(N: int, D: int, digits: int, base: int) -> int:
    """round_half_up(base^digits · N / D)."""
    if D == 0:
        return primitives.undefined(digits, base)
    return (2 * base**digits * N + D) // (2 * D)


def _division(digits: int, base: int, *, at_once: bool = False) -> Case:
    bound = 10**9 if at_once else primitives.largest_denominator(base)
    return Case(
        f"divide, {digits} digits, base {base}{', at once' if at_once else ''}",
        primitives.divide,
        lambda party, N, D: [primitives.divide(party, N, D, digits=digits, bound=bound, base=base)],
        lambda N, D: [[quotient(n, d, digits, base) for n, d in zip(N, D, strict=True)]],
        lambda rng, n: fractions(rng, n, bound),
        ((0, 1), (bound, bound)),
        {"digits": digits, "base": base, "bound": bound},
    )


def whole_fractions(rng: Generator, n: int, bound: int, most: int) -> list[Vector]:
    """(N, D), D <= bound, N < (most + 1)·D; among them 0/0, 0/D, and the largest quotient."""
    D = rng.integers(0, bound, n, np.int64, endpoint=True) >> rng.integers(0, 20, n)
    where = rng.integers(0, 4, n)
    rest = (D * rng.random(n)).astype(np.int64)
    times = np.select([where == 0, where == 1], [0 * D, 0 * D + most], rng.integers(0, most, n))
    return [times * D + np.where(D > 0, np.minimum(rest, D - 1), 0), D]


def _whole_quotient(digits: int, base: int, *, at_once: bool = False) -> Case:
    bound = 10**9 if at_once else primitives.largest_divisor(digits, base)
    return Case(
        f"whole_quotient, {digits} digits, base {base}{', at once' if at_once else ''}",
        primitives.whole_quotient,
        lambda party, N, D: [
            primitives.whole_quotient(party, N, D, digits=digits, bound=bound, base=base)
        ],
        lambda N, D: [
            [n // d if d else primitives.undefined(digits, base) for n, d in zip(N, D, strict=True)]
        ],
        lambda rng, n: whole_fractions(rng, n, bound, base**digits),
        ((0, 1), (bound, bound)),
        {"digits": digits, "base": base, "bound": bound},
    )


def _truncation(bits: int) -> Case:
    return Case(
        f"truncate, {bits} bits",
        primitives.truncate,
        lambda party, x: [primitives.truncate(party, x, bits)],
        lambda x: [[value >> bits for value in x]],
        lambda rng, n: [natural(rng, n)],
        ((0,), (TOP,)),
        {"bits": bits},
    )


WEIGHTS = 2
PAIRS = [(0, 1), (2, 2), (1, 2), (0, 1)]
CASES = [
    Case(
        "open_words",
        primitives.open_words,
        _opened(primitives.open_words),
        lambda x: [x],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
        opens_all=True,
    ),
    Case(
        "multiply",
        primitives.multiply,
        lambda party, x, y: [primitives.multiply(party, x, y)],
        lambda x, y: [[a * b for a, b in zip(x, y, strict=True)]],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (TOP, -1)),
    ),
    Case(
        "square",
        primitives.square,
        lambda party, x: [primitives.square(party, x)],
        lambda x: [[a * a for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
    ),
    Case(
        "products",
        primitives.products,
        lambda party, *x: primitives.products(party, x, PAIRS),
        lambda *x: [[a * b for a, b in zip(x[i], x[j], strict=True)] for i, j in PAIRS],
        lambda rng, n: [signed(rng, n) for _ in range(3)],
        ((0, 0, 0), (-1, TOP, 1)),
        {"factors": 3, "pairs": len(PAIRS)},
    ),
    Case(
        "inner_product",
        primitives.inner_product,
        lambda party, x, y: [primitives.inner_product(party, x, y)],
        lambda x, y: [[sum(a * b for a, b in zip(x, y, strict=True))]],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (TOP, -1)),
    ),
    Case(
        "sums_of_products",
        primitives.sums_of_products,
        lambda party, *x: primitives.sums_of_products(party, x, PAIRS),
        lambda *x: [[sum(a * b for a, b in zip(x[i], x[j], strict=True))] for i, j in PAIRS],
        lambda rng, n: [signed(rng, n) for _ in range(3)],
        ((0, 0, 0), (-1, TOP, 1)),
        {"factors": 3, "pairs": len(PAIRS)},
    ),
    Case(
        "sums_of_weighted_squares",
        primitives.sums_of_weighted_squares,
        lambda party, *x: list(
            chain(
                *primitives.sums_of_weighted_squares(
                    party, len(x[0]), lambda part: [one.words[part] for one in x], pairs=WEIGHTS
                )
            )
        ),
        lambda *x: [
            [sum(w * v**power for w, v in zip(weight, value, strict=True))]
            for weight, value in zip(x[:WEIGHTS], x[WEIGHTS:], strict=True)
            for power in (2, 1)
        ],
        lambda rng, n: [signed(rng, n) for _ in range(2 * WEIGHTS)],
        ((0, 0, 0, 0), (-1, TOP, 1, TOP - 1)),
        {"pairs": WEIGHTS},
    ),
    Case(
        "is_negative",
        primitives.is_negative,
        lambda party, x: [primitives.is_negative(party, x)],
        lambda x: [[int(a < 0) for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
    ),
    Case(
        "is_zero",
        primitives.is_zero,
        lambda party, x: [primitives.is_zero(party, x)],
        lambda x: [[int(a == 0) for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
    ),
    Case(
        "open_negative",
        primitives.open_negative,
        _opened(primitives.open_negative),
        lambda x: [[int(a < 0) for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((-1,), (-TOP,)),
    ),
    Case(
        "open_zero",
        primitives.open_zero,
        _opened(primitives.open_zero),
        lambda x: [[int(a == 0) for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((1,), (-TOP + 1,)),
    ),
    Case(
        "negative_part",
        primitives.negative_part,
        lambda party, x: [primitives.negative_part(party, x)],
        lambda x: [[min(a, 0) for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-TOP,)),
    ),
    Case(
        "compare_exchange",
        primitives.compare_exchange,
        lambda party, a, b: primitives.compare_exchange(party, a, b),
        lambda a, b: [list(map(max, a, b)), list(map(min, a, b))],
        pairs,
        ((0, 0), (-1, TOP - 1)),
    ),
    Case(
        "negative_times",
        primitives.negative_times,
        lambda party, x, y: primitives.negative_times(party, x, y),
        lambda x, y: [
            [int(a < 0) for a in x],
            [b if a < 0 else 0 for a, b in zip(x, y, strict=True)],
        ],
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (-TOP, -1)),
    ),
    Case(
        "where_negative",
        primitives.where_negative,
        lambda party, x, a, b: [primitives.where_negative(party, x, a, b)],
        lambda x, a, b: [[t if c < 0 else f for c, t, f in zip(x, a, b, strict=True)]],
        lambda rng, n: [signed(rng, n) for _ in range(3)],
        ((0, 0, 0), (-1, TOP, -TOP)),
    ),
    Case(
        "to_arithmetic",
        primitives.to_arithmetic,
        lambda party, x: [primitives.to_arithmetic(party, low_bits(x))],
        lambda x: [[a & 1 for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (1,)),
    ),
    Case(
        "low_half",
        primitives.low_half,
        lambda party, x: [primitives.low_half(party, x)],
        lambda x: [[a % 2**32 for a in x]],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
    ),
    _truncation(20),
    _truncation(62),
    _division(2, 3),
    _division(1, 10),
    _division(3, 10, at_once=True),
    _whole_quotient(3, 10),
    _whole_quotient(3, 10, at_once=True),
    _whole_quotient(1, 7),
    _carry(primitives.carry, fewest=3),
    _carry(primitives.carry_in_few_hops, fewest=2),
    Case(
        "shuffle",
        primitives.shuffle,
        lambda party, *columns: primitives.shuffle(party, columns),
        lambda *columns: columns,
        lambda rng, n: [signed(rng, n), signed(rng, n)],
        ((0, 0), (-1, TOP)),
        {"columns": 2},
        helper_receives=Kind.PERMUTED,
        any_order=True,
    ),
    Case(
        "tell_helper",
        primitives.tell_helper,
        _told,
        lambda x: [list(range(len(x)))],
        lambda rng, n: [signed(rng, n)],
        ((0,), (-1,)),
        helper_receives=Kind.TELL,
    ),
]


def expected(case: Case, inputs: Sequence[Integers]) -> list[Any]:
    """The words, or wide numbers, that the case should give."""
    words = [[value % case.modulus for value in result] for result in case.plain(*inputs)]
    return comparable(case, words)


def comparable(case: Case, results: Sequence[Integers]) -> list[Any]:
    """The results; where the rows may come in any order, the rows in order of size."""
    return sorted(zip(*results, strict=True)) if case.any_order else list(results)
