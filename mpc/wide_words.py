"""Vectors over Z_2^256: four uint64 limbs, the least significant first, along the first axis.

A vector of n numbers is an array of shape (4, n), and further axes may lie between. Whole vectors
are worked on at once, limb by limb; carries run from limb to limb. A caller that multiplies or adds
up many numbers works on halves of 32 bits, whose products and sums a 64-bit word holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import Words

LIMBS = 4
WIDE_BITS = 64 * LIMBS
WIDE_BYTES = 8 * LIMBS

_HALF = 32
_PIECE = 16
_LOW = 2**32 - 1
_SIGN = 63

PublicIntegers: TypeAlias = "int | Sequence[int] | NDArray[np.int64] | NDArray[np.uint64]"


def to_wide(values: PublicIntegers) -> Words:
    """Integers of any sign, reduced mod 2^256: shape (4, 1) for one, (4, n) for n of them.

    >>> to_wide(2**64 + 7).tolist()
    [[7], [1], [0], [0]]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "ibu":
        return _extended(np.atleast_1d(values))
    integers = [values] if isinstance(values, int | np.integer) else values
    encoded = b"".join(
        (index(value) % (1 << WIDE_BITS)).to_bytes(WIDE_BYTES, "little") for value in integers
    )
    limbs = np.frombuffer(encoded, "<u8").astype(np.uint64).reshape(len(integers), LIMBS)
    return np.ascontiguousarray(limbs.T)


def _extended(values: NDArray[np.integer[Any]]) -> Words:
    """Words with the limbs above them: zeros, or ones above a negative number."""
    limbs = np.zeros((LIMBS, *values.shape), np.uint64)
    if values.dtype.kind == "i":
        signed = values.astype(np.int64)
        limbs[1:] = np.right_shift(signed, 63).view(np.uint64)
        values = signed.view(np.uint64)
    limbs[0] = values
    return limbs


def to_integers(words: Words) -> list[int]:
    """The representatives in [0, 2^256) of a vector of shape (4, n)."""
    encoded = np.ascontiguousarray(words.T).astype("<u8").tobytes()
    return [
        int.from_bytes(encoded[start : start + WIDE_BYTES], "little")
        for start in range(0, len(encoded), WIDE_BYTES)
    ]


def plus(a: Words, b: Words) -> Words:
    """a + b."""
    added: Words = a + b
    carry = added < a
    for limb in range(1, LIMBS):
        below = carry[limb - 1]
        added[limb] += below
        # a carry from below leaves zero where it runs on
        carry[limb] |= added[limb] < below
    return added


def minus(a: Words, b: Words) -> Words:
    """a - b."""
    difference: Words = a - b
    borrow = a < b
    for limb in range(1, LIMBS):
        below = borrow[limb - 1]
        borrow[limb] |= difference[limb] < below
        difference[limb] -= below
    return difference


def negative(a: Words) -> Words:
    """-a."""
    return minus(np.zeros_like(a), a)


def times(a: Words, b: Words) -> Words:
    """a·b.

    >>> to_integers(times(to_wide([2**200, -3]), to_wide([5, -7]))) == [5 * 2**200, 21]
    True
    """
    first, second = _halves(a), _halves(b)
    count = 2 * LIMBS
    columns = np.zeros((count, *np.broadcast_shapes(a.shape[1:], b.shape[1:])), np.uint64)
    for place in range(count):
        # the products of halves that begin at `place` or above
        products = first[place] * second[: count - place]
        columns[place:] += products & _LOW
        columns[place + 1 :] += products[:-1] >> _HALF
    return _carried(columns)


def shifted_down(a: Words, bits: int) -> Words:
    """floor(a / 2^bits) of the representatives in [0, 2^256), for 0 <= bits < 256.

    >>> to_integers(shifted_down(to_wide([2**200 + 5, -1]), 130)) == [2**70, 2**126 - 1]
    True
    """
    limbs, rest = divmod(bits, 64)
    moved = np.zeros_like(a)
    moved[: LIMBS - limbs] = a[limbs:] >> np.uint64(rest)
    if rest:
        moved[: LIMBS - limbs - 1] |= a[limbs + 1 :] << np.uint64(64 - rest)
    return moved


def weighted_sums(values: Words, weights: Words) -> Words:
    """Σ_k weights[j, k]·values[:, ..., k, :], of shape (4, ..., j, n); Σ_k weights below 2^31."""
    return _carried(np.matmul(weights, _halves(values)))


def weighted_totals(values: Words, weights: NDArray[np.int64]) -> Words:
    """Σ_k weights[j, k]·values[:, k] for each row j, of shape (4, j), for n below 2^20.

    Products of 16 bits and sums of them are whole numbers that doubles hold, in any order.
    """
    if values.shape[1] >= 1 << 20:
        raise LocalProtocolError(
            f"{values.shape[1]} wide numbers with public weights, of which fewer than 2^20 have "
            "exact sums in doubles"
        )
    own = np.ascontiguousarray(values.T, "<u8").view("<u2").T.astype(np.float64)
    words = np.ascontiguousarray(weights, "<i8")[:, :, None]
    pieces = words.view("<u2").astype(np.float64)
    pieces[..., -1] = words.view("<i2")[..., -1]  # the topmost one has the sign
    sums = np.matmul(own, pieces).astype(np.int64)
    count, each = sums.shape[1:]
    columns = np.zeros((count, len(weights)), np.int64)
    for place in range(each):
        columns[place:] += sums[:, : count - place, place].T
    for place in range(1, count):
        columns[place] += columns[place - 1] >> _PIECE
    limbs = np.ascontiguousarray((columns & (1 << _PIECE) - 1).T, "<u2").view("<u8")
    return np.ascontiguousarray(limbs.T, np.uint64)


def total(values: Words) -> Words:
    """The sum of all n numbers, of shape (4, 1), for n below 2^31."""
    return _carried(_halves(values).sum(axis=-1, keepdims=True, dtype=np.uint64))


def signs(words: Words) -> Words:
    """The topmost bits: 1 where a number's representative in [-2^255, 2^255) is negative."""
    top: Words = words[LIMBS - 1] >> _SIGN
    return top


def _halves(words: Words) -> Words:
    """The eight halves of 32 bits, the least significant first."""
    halves = np.empty((2 * LIMBS, *words.shape[1:]), np.uint64)
    np.bitwise_and(words, _LOW, out=halves[0::2])
    np.right_shift(words, _HALF, out=halves[1::2])
    return halves


def _carried(columns: Words) -> Words:
    """The number whose halves are `columns`, each below 2^63; spends `columns`."""
    for place in range(1, 2 * LIMBS):
        columns[place] += columns[place - 1] >> _HALF
    columns &= _LOW
    high = columns[1::2] << np.uint64(_HALF)
    high |= columns[0::2]
    return high
