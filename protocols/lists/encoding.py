"""Scores and labels as sortable keys: key = 2·code(score) + label.

`code` is an order-preserving injection of the doubles of a range into [0, 2^62), so a key is below
2^63 and a difference of two keys has an exact sign. The label rides in the lowest bit: the sort
moves one word, and in a tie the positives come first. Two codes, chosen by the study:

- `unit`, scores in [0, 1]: the double's bit pattern, which for x >= 0 is ordered as x is;
- `real`, any x with 2^-255 <= |x| < 2^256, and zero: sign, 9 exponent bits, 52 mantissa bits.

No resolution is lost: two doubles that differ in the last bit have different codes; -0 is 0. What
a code cannot hold is refused with its data rows. Runs at the data owner alone: nothing leaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.words import Words, blocks
from ppaurora.protocols.errors import DataRefused, Fault, OptionRefused

Doubles: TypeAlias = "NDArray[np.float64]"
Mask: TypeAlias = "NDArray[np.bool_]"

DIRECTIONS = ("higher", "lower")
ONE_BITS = 0x3FF0000000000000
_MAGNITUDE = (1 << 63) - 1
_MANTISSA_BITS = 52
# The double's exponent field of 2^-256: the real code's exponent counts from there.
_REAL_BASE = (1023 - 256) << _MANTISSA_BITS
_REAL_ZERO = 1 << 61


@dataclass(frozen=True, slots=True)
class Code:
    """One order-preserving injection of doubles into [0, top], with its inverse.

    `fits` says in words which score is `allowed`, `outside` what any other is; taking codes from
    `mirror` reverses their order within the range.
    """

    name: str
    holds: str
    outside: str
    top: int
    mirror: int
    allowed: Callable[[Doubles], Mask]
    of: Callable[[Doubles], Words]
    score: Callable[[Words], Doubles]

    @property
    def largest_key(self) -> int:
        return 2 * self.top + 1


def _unit_code(x: Doubles) -> Words:
    return np.abs(x).view(np.uint64)


def _unit_score(code: Words) -> Doubles:
    return code.view(np.float64)


def _real_allowed(x: Doubles) -> Mask:
    magnitude = np.abs(x)
    allowed: Mask = (x == 0) | ((magnitude >= 2.0**-255) & (magnitude < 2.0**256))
    return allowed


def _real_code(x: Doubles) -> Words:
    # m = exponent and mantissa of |x|, exponent counted from 2^-256; code = 2^61 + sign(x)·m
    m = np.where(x == 0, np.uint64(0), (x.view(np.uint64) & _MAGNITUDE) - _REAL_BASE)
    code: Words = np.where(x < 0, np.uint64(_REAL_ZERO) - m, np.uint64(_REAL_ZERO) + m)
    return code


def _real_score(code: Words) -> Doubles:
    m = code.view(np.int64) - _REAL_ZERO
    bits = np.where(m == 0, 0, np.abs(m) + _REAL_BASE)
    return np.where(m < 0, -1.0, 1.0) * bits.astype(np.int64).view(np.float64)


CODES = {
    code.name: code
    for code in (
        Code(
            "unit",
            "a score between 0 and 1",
            "not between 0 and 1",
            ONE_BITS,
            ONE_BITS,
            lambda x: (x >= 0) & (x <= 1),
            _unit_code,
            _unit_score,
        ),
        Code(
            "real",
            "a score of 0, or of a size from 2^-255 to 2^256",
            "neither 0 nor of a size from 2^-255 to 2^256",
            2 * _REAL_ZERO - 1,
            2 * _REAL_ZERO,
            _real_allowed,
            _real_code,
            _real_score,
        ),
    )
}


def code_named(name: str) -> Code:
    """The code of this name."""
    if name not in CODES:
        raise OptionRefused("code", f'is "{name}"', advice='Say "unit" or "real".')
    return CODES[name]


def encode(scores: ArrayLike, labels: ArrayLike, *, code: str, direction: str) -> Words:
    """The keys of one list of doubles and of labels 0 and 1, in the order of its rows.

    `direction` says whether `higher` or `lower` scores speak for the positive class, whose label is
    1. Nothing is guessed and nothing is rounded: what is not exactly that is refused.
    """
    chosen = code_named(code)
    if direction not in DIRECTIONS:
        raise OptionRefused("direction", f'is "{direction}"', advice='Say "higher" or "lower".')
    x, y = _doubles(scores), _labels(labels)
    if x.size != y.size:
        raise DataRefused(
            f"the list has {x.size} scores and {y.size} labels",
            advice="Give every score its label.",
        )
    faults = [*_unheld_scores(x, chosen), *_unknown_labels(y)]
    if faults:
        raise DataRefused(
            "the list cannot be encoded",
            faults=faults,
            advice="Correct these rows; nothing of the list was used.",
        )
    keys = np.empty(x.size, np.uint64)
    for rows in blocks(x.size):
        codes = chosen.of(x[rows])
        if direction == "lower":
            # an exact reflection: the order is reversed, nothing is lost
            codes = np.uint64(chosen.mirror) - codes
        # key = 2·code + label
        keys[rows] = 2 * codes + y[rows].astype(np.uint64)
    return keys


def decode(keys: Words, *, code: str, direction: str) -> tuple[Doubles, Words]:
    """The scores and labels behind keys: the inverse of `encode`."""
    chosen = code_named(code)
    codes = keys >> np.uint64(1)
    if direction == "lower":
        codes = np.uint64(chosen.mirror) - codes
    return chosen.score(codes), keys & np.uint64(1)


def _doubles(scores: ArrayLike) -> Doubles:
    """The scores as doubles, from any type of which a double holds every value."""
    array = _one_dimension("score", scores)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.size and not (kind == "f" and size <= 8) and not (kind in "iu" and size < 8):
        raise DataRefused(
            f"the scores are of type {array.dtype}",
            advice="Give them as doubles (numpy's float64).",
        )
    return array.astype(np.float64, copy=False)


def _labels(labels: ArrayLike) -> NDArray[np.generic]:
    array = _one_dimension("label", labels)
    if array.size and array.dtype.kind not in "biuf":
        raise DataRefused(
            f"the labels are of type {array.dtype}",
            advice="Give 1 for the positive class and 0 for the negative one.",
        )
    return array


def _one_dimension(column: str, values: ArrayLike) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataRefused(
            f"the {column}s have {array.ndim} dimensions", advice="Give one value for each row."
        )
    return array


def _unheld_scores(x: Doubles, code: Code) -> list[Fault]:
    """The scores that the code cannot represent, by kind; a row counts for its first kind only."""
    missing, infinite, outside = (np.zeros(x.size, np.bool_) for _ in range(3))
    for rows in blocks(x.size):
        part = x[rows]
        with np.errstate(invalid="ignore"):
            held = code.allowed(part)
        if not held.all():
            missing[rows], infinite[rows] = np.isnan(part), np.isinf(part)
            outside[rows] = ~held & ~missing[rows] & ~infinite[rows]
    kinds = {"missing or not a number": missing, "infinite": infinite, code.outside: outside}
    found = (Fault.found("score", what, faulty) for what, faulty in kinds.items())
    return [fault for fault in found if fault is not None]


def _unknown_labels(y: NDArray[np.generic]) -> list[Fault]:
    fault = Fault.found("label", "neither 0 nor 1", np.asarray((y != 0) & (y != 1), np.bool_))
    return [] if fault is None else [fault]
