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

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import SHOWN_ROWS, DataRefused, Fault, OptionRefused

Doubles = NDArray[np.float64]
Mask = NDArray[np.bool_]

DIRECTIONS = ("higher", "lower")
ONE_BITS = 0x3FF0000000000000
_MAGNITUDE = np.uint64((1 << 63) - 1)
_MANTISSA_BITS = 52
# The double's exponent field of 2^-256: the real code's exponent counts from there.
_REAL_BASE = np.uint64((1023 - 256) << _MANTISSA_BITS)
_REAL_ZERO = 1 << 61


@dataclass(frozen=True, slots=True)
class Code:
    """One order-preserving injection of doubles into [0, top], with its inverse for tests.

    Taking codes from `mirror` reverses their order within the range.
    """

    name: str
    holds: str
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
    bits = np.where(m == 0, 0, np.abs(m) + int(_REAL_BASE))
    return np.where(m < 0, -1.0, 1.0) * bits.astype(np.int64).view(np.float64)


CODES = {
    code.name: code
    for code in (
        Code(
            "unit",
            "a score between 0 and 1",
            ONE_BITS,
            ONE_BITS,
            lambda x: (x >= 0) & (x <= 1),
            _unit_code,
            _unit_score,
        ),
        Code(
            "real",
            "a score of 0, or of a size from 2^-255 to 2^256",
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


def encode(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    code: str,
    direction: str,
    positive: object,
    negative: object,
) -> Words:
    """The keys of one list, in the order of its rows.

    `direction` says whether `higher` or `lower` scores speak for the positive class; `positive` and
    `negative` are the two labels as the list writes them. Nothing is guessed.
    """
    chosen = code_named(code)
    if direction not in DIRECTIONS:
        raise OptionRefused("direction", f'is "{direction}"', advice='Say "higher" or "lower".')
    x, bad_scores = _doubles(scores, chosen)
    y, bad_labels = _binary(labels, positive, negative)
    if x.size != y.size:
        raise DataRefused(
            f"the list has {x.size} scores and {y.size} labels",
            advice="Give every score its label.",
        )
    if bad_scores or bad_labels:
        raise DataRefused(
            "the list cannot be encoded",
            faults=[*bad_scores, *bad_labels],
            advice="Correct these rows; nothing of the list was used.",
        )
    codes = chosen.of(x)
    if direction == "lower":
        # an exact reflection: the order is reversed, nothing is lost
        codes = np.uint64(chosen.mirror) - codes
    # key = 2·code + label
    return 2 * codes + y


def decode(keys: Words, *, code: str, direction: str) -> tuple[Doubles, Words]:
    """The scores and labels behind keys: the inverse of `encode`, for tests."""
    chosen = code_named(code)
    codes = keys >> np.uint64(1)
    if direction == "lower":
        codes = np.uint64(chosen.mirror) - codes
    return chosen.score(codes), keys & np.uint64(1)


def _faults(column: str, checks: list[tuple[str, Mask]]) -> list[Fault]:
    """One fault for each check that any row fails, a row counting for its first failure only."""
    faults = []
    seen: Mask | None = None
    for what, failed in checks:
        fresh = failed if seen is None else failed & ~seen
        seen = failed if seen is None else failed | seen
        rows = np.flatnonzero(fresh)
        if rows.size:
            first = tuple(int(row) + 1 for row in rows[:SHOWN_ROWS])
            faults.append(Fault(column, what, rows.size, first))
    return faults


def _flat(column: str, values: ArrayLike) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataRefused(
            f"the {column}s have {array.ndim} dimensions", advice="Give one value for each row."
        )
    return array


def _doubles(scores: ArrayLike, code: Code) -> tuple[Doubles, list[Fault]]:
    array = _flat("score", scores)
    if array.size and array.dtype.kind not in "iuf":
        raise DataRefused(
            f"the scores are of type {array.dtype}", advice="Give numbers, without gaps."
        )
    with np.errstate(over="ignore"):
        x = array.astype(np.float64)
    # -0 becomes 0
    x += 0.0
    missing, infinite = np.isnan(x), np.isinf(x)
    with np.errstate(invalid="ignore"):
        inexact = _inexact(array, x) & ~missing & ~infinite
        allowed = code.allowed(x)
    return x, _faults(
        "score",
        [
            ("missing or not a number", missing),
            ("infinite", infinite),
            ("finer than a double holds", inexact),
            (f"not {code.holds}", ~allowed),
        ],
    )


def _inexact(array: NDArray[np.generic], x: Doubles) -> Mask:
    """Where a wider type than a double has lost something."""
    if array.dtype.kind in "iu":
        if array.dtype.itemsize < 8:
            return np.zeros(array.size, np.bool_)
        wide = np.abs(x) >= 2.0**53
        lost = np.zeros(array.size, np.bool_)
        pairs = zip(array[wide].tolist(), x[wide].tolist(), strict=True)
        lost[wide] = [exact != near for exact, near in pairs]
        return lost
    if array.dtype.itemsize > 8:
        return np.asarray(array != x.astype(array.dtype), np.bool_)
    return np.zeros(array.size, np.bool_)


def _binary(labels: ArrayLike, positive: object, negative: object) -> tuple[Words, list[Fault]]:
    """1 where the label is the positive one, 0 where it is the negative one."""
    if str(positive) == str(negative):
        raise OptionRefused("positive", "and negative are the same label")
    array = _flat("label", labels)
    yes, no = _same(array, positive), _same(array, negative)
    return yes.astype(np.uint64), _faults(
        "label", [("neither the positive nor the negative label", ~(yes | no))]
    )


def _same(array: NDArray[np.generic], label: object) -> Mask:
    """Where the labels equal `label`: numbers as numbers, everything else as text."""
    if array.dtype.kind in "biuf":
        try:
            number = float(str(label)) if not isinstance(label, bool) else float(label)
        except ValueError:
            return np.zeros(array.size, np.bool_)
        return np.asarray(array == number, np.bool_)
    text = np.char.strip(array.astype(np.str_))
    return np.asarray(text == str(label).strip(), np.bool_)
