"""Cases in the wide ring: from words to wide numbers, products, signs, quotients and roots."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from ppaurora.mpc import primitives
from ppaurora.mpc.cost import Primitive
from tests.mpc.cases import PAIRS, TOP, Case, WideVector, natural, quotient

WIDE = 1 << 256

WIDE_TOP = 2**255 - 1
WIDE_EDGES = [
    0,
    WIDE_TOP,
    -WIDE_TOP,
    *(
        sign * ((digit << bit) + off)
        for bit in range(0, 252, 4)
        for digit in (1, 7, 8, 15)
        for sign in (1, -1)
        for off in (-1, 0, 1)
    ),
]
"""As `EDGES`, in the wide ring: also what makes all limbs of x + r and r equal but one."""


def wide_signed(rng: Generator, n: int) -> WideVector:
    """Values in (-2^255, 2^255): half of them edges, half uniformly random."""
    uniform = [int.from_bytes(rng.bytes(32), "little") % (2 * WIDE_TOP + 1) for _ in range(n)]
    drawn = [
        WIDE_EDGES[rng.integers(0, len(WIDE_EDGES))] if rng.random() < 0.5 else value - WIDE_TOP
        for value in uniform
    ]
    return np.array(drawn, np.object_)


def wide_fractions(rng: Generator, n: int, bound: int) -> list[WideVector]:
    """(N, D) with 0 <= N <= D <= bound, among them 0/0, 0/D, D/D, 1/2, and D of every size."""
    D = [
        (int.from_bytes(rng.bytes(32), "little") % (bound + 1)) >> int(rng.integers(0, 250))
        for _ in range(n)
    ]
    N = [
        (0, d, d // 2, *[int.from_bytes(rng.bytes(32), "little") % (d + 1)] * 2)[rng.integers(0, 5)]
        for d in D
    ]
    return [np.array(N, np.object_), np.array(D, np.object_)]


def root(N: int, D: int, digits: int, base: int) -> int:
    """round_half_up(base^digits · sqrt(N / D))."""
    if D == 0:
        return primitives.undefined(digits, base)
    # floor(2x) and half of it, rounded up
    return (isqrt(4 * base ** (2 * digits) * N // D) + 1) // 2


def _wide_quotients(
    primitive: Primitive[..., Any],
    plain: Callable[[int, int, int, int], int],
    bound: int,
    *,
    modulus: int,
) -> Case:
    digits, base = 2, 3
    return Case(
        f"{primitive.__name__}, {digits} digits, base {base}",
        primitive,
        lambda party, N, D: [primitive(party, N, D, digits=digits, bound=bound, base=base)],
        lambda N, D: [[plain(n, d, digits, base) for n, d in zip(N, D, strict=True)]],
        lambda rng, n: wide_fractions(rng, n, bound),
        ((0, 1), (bound, bound)),
        {"digits": digits, "base": base, "bound": bound},
        most=10_000,
        wide=True,
        modulus=modulus,
    )


WIDE_CASES = [
    Case(
        "widen",
        primitives.widen,
        lambda party, x: [primitives.widen(party, x)],
        lambda x: [x],
        lambda rng, n: [natural(rng, n)],
        ((0,), (TOP,)),
        modulus=WIDE,
    ),
    Case(
        "wide_multiply",
        primitives.wide_multiply,
        lambda party, x, y: [primitives.wide_multiply(party, x, y)],
        lambda x, y: [[a * b for a, b in zip(x, y, strict=True)]],
        lambda rng, n: [wide_signed(rng, n), wide_signed(rng, n)],
        ((0, 0), (WIDE_TOP, -1)),
        wide=True,
        modulus=WIDE,
    ),
    Case(
        "wide_products",
        primitives.wide_products,
        lambda party, *x: primitives.wide_products(party, x, PAIRS),
        lambda *x: [[a * b for a, b in zip(x[i], x[j], strict=True)] for i, j in PAIRS],
        lambda rng, n: [wide_signed(rng, n) for _ in range(3)],
        ((0, 0, 0), (-1, WIDE_TOP, 1)),
        {"factors": 3, "pairs": len(PAIRS)},
        wide=True,
        modulus=WIDE,
    ),
    Case(
        "wide_is_negative",
        primitives.wide_is_negative,
        lambda party, x: [primitives.wide_is_negative(party, x)],
        lambda x: [[int(a < 0) for a in x]],
        lambda rng, n: [wide_signed(rng, n)],
        ((0,), (-1,)),
        wide=True,
        modulus=WIDE,
    ),
    Case(
        "wide_negative_times",
        primitives.wide_negative_times,
        lambda party, x, y: primitives.wide_negative_times(party, x, y),
        lambda x, y: [
            [int(a < 0) for a in x],
            [b if a < 0 else 0 for a, b in zip(x, y, strict=True)],
        ],
        lambda rng, n: [wide_signed(rng, n), wide_signed(rng, n)],
        ((0, 0), (-WIDE_TOP, -1)),
        wide=True,
        modulus=WIDE,
    ),
    _wide_quotients(
        primitives.wide_divide,
        quotient,
        primitives.largest_wide_denominator(3),
        modulus=1 << 64,
    ),
    _wide_quotients(
        primitives.wide_divide_to_wide,
        quotient,
        primitives.largest_wide_denominator(3),
        modulus=WIDE,
    ),
    _wide_quotients(
        primitives.wide_root,
        root,
        primitives.largest_root_denominator(2, 3),
        modulus=1 << 64,
    ),
    _wide_quotients(
        primitives.wide_root_to_wide,
        root,
        primitives.largest_root_denominator(2, 3),
        modulus=WIDE,
    ),
]
