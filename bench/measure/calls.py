"""Every primitive as the benchmark calls it: its inputs, the call, and the cost it declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc import primitives
from ppaurora.mpc.cost import CostFunction
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, low_bits, narrowed
from ppaurora.mpc.words import Words

Pair = tuple[Words, Words]
Inputs = Callable[[int], Sequence[Pair]]

DIGITS = 4
TRUNCATED_BITS = 20


@dataclass(frozen=True, slots=True)
class Call:
    """One primitive; `declared` is the cost for n elements, `longest` the largest sensible n."""

    name: str
    inputs: Inputs
    run: Callable[..., Any]
    declared: CostFunction
    longest: int = 1 << 24


def _share(values: NDArray[np.int64], seed: int = 1) -> Pair:
    """Two shares that every process makes alike."""
    mask = np.random.default_rng([seed, values.size]).integers(0, 2**64, values.size, np.uint64)
    return mask, values.view(np.uint64) - mask


def _signed(n: int, seed: int) -> Pair:
    """Numbers over the whole range of a comparison: |x| < 2^62."""
    return _share(np.random.default_rng(seed).integers(-(2**62), 2**62, n), seed)


def _one(n: int) -> list[Pair]:
    return [_signed(n, 1)]


def _two(n: int) -> list[Pair]:
    return [_signed(n, 1), _signed(n, 2)]


def _natural(n: int) -> list[Pair]:
    return [_share(np.random.default_rng(1).integers(0, 2**62, n))]


def _sparse(n: int) -> list[Pair]:
    """Flags, one in ten, and values that are 0 elsewhere."""
    flags = np.random.default_rng(1).random(n) < 0.1
    return [_share(flags.astype(np.int64)), _share(flags * np.arange(n))]


def _fractions(n: int) -> list[Pair]:
    denominator = np.random.default_rng(1).integers(1, 2**40, n)
    return [_share(denominator // 3), _share(denominator)]


def _to_arithmetic(party: Party, x: Shared) -> Shared:
    return primitives.to_arithmetic(party, low_bits(x))


def _divide(party: Party, numerator: Shared, denominator: Shared) -> Shared:
    return primitives.divide(party, numerator, denominator, digits=DIGITS, bound=2**40)


CALLS = {
    call.name: call
    for call in (
        Call("open", _one, primitives.open_words, primitives.open_words.cost()),
        Call("multiply", _two, primitives.multiply, primitives.multiply.cost()),
        Call("square", _one, primitives.square, primitives.square.cost()),
        Call("inner product", _two, primitives.inner_product, primitives.inner_product.cost()),
        Call("is negative", _one, primitives.is_negative, primitives.is_negative.cost()),
        Call("is zero", _one, primitives.is_zero, primitives.is_zero.cost()),
        Call(
            "choose",
            lambda n: [_signed(n, seed) for seed in (1, 2, 3)],
            primitives.where_negative,
            primitives.where_negative.cost(),
        ),
        Call(
            "compare-exchange",
            _two,
            primitives.compare_exchange,
            primitives.compare_exchange.cost(),
        ),
        Call(
            "compare-exchange of 32 bits",
            _two,
            lambda party, a, b: primitives.compare_exchange(party, narrowed(a), narrowed(b)),
            primitives.compare_exchange.cost(narrow=True),
        ),
        Call("bit to word", _one, _to_arithmetic, primitives.to_arithmetic.cost()),
        Call("low half", _one, primitives.low_half, primitives.low_half.cost()),
        Call(
            "truncate",
            _natural,
            lambda party, x: primitives.truncate(party, x, TRUNCATED_BITS),
            primitives.truncate.cost(bits=TRUNCATED_BITS),
        ),
        Call(
            "carry",
            _sparse,
            lambda party, flags, values: primitives.carry(party, flags, [values]),
            primitives.carry.cost(columns=1),
        ),
        Call(
            "carry of 32 bits",
            _sparse,
            lambda party, flags, values: primitives.carry(
                party, narrowed(flags), [narrowed(values)]
            ),
            primitives.carry.cost(columns=1, narrow=True),
        ),
        Call(
            "extend",
            lambda n: [_share(np.random.default_rng(1).integers(0, 2**31, n))],
            lambda party, x: primitives.extend(party, narrowed(x)),
            primitives.extend.cost(),
        ),
        Call(
            "shuffle",
            _one,
            lambda party, x: primitives.shuffle(party, [x]),
            primitives.shuffle.cost(columns=1),
        ),
        Call(
            "whole_quotient, 4 digits",
            _fractions,
            lambda party, N, D: primitives.whole_quotient(party, N, D, digits=DIGITS, bound=2**40),
            primitives.whole_quotient.cost(digits=DIGITS),
            10_000,
        ),
        Call(
            "divide, 4 digits", _fractions, _divide, primitives.divide.cost(digits=DIGITS), 10_000
        ),
    )
}
