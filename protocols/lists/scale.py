"""The scale of a study's scores: what a score may be, and the whole number that stands for it.

`range` says between which numbers scores lie, `resolution` what they may be in between:

- `full`: any double. In a range of fewer than 2^62 doubles, such as 0 to 1, a score's code is its
  place among them; in others, and without a range, 9 bits of exponent are kept, so that a score is
  0 or of a size from 2^-255 to 2^256.
- `float32`: what a float32 can say. A double stands for the nearest one, if that is written in the
  same way with as many digits as the double has, or if it is that float32. The code is its place
  among the float32 of the range.
- `decimals:d`: at most d decimals. The code of k/10^d is k, counted from the lowest score.
- `bins:m`: any double as for `full`; statistics of the curve see only in which of m bins of equal
  width it lies.

A code is at least 0 and at most `top`, which is below 2^62, and codes are ordered as the scores
are. From the code on everything uses one canonical score: key, cell, thresholds and sums. -0 is 0.
Nothing is rounded but to the nearest float32, and what does not fit is refused.

Scores and labels as sortable keys: key = 2·code(score) + label.

The code is an order-preserving map of the scores of a study into [0, 2^62)
(`ppaurora.protocols.lists.scale`), so a key is below 2^63 and a difference of two keys has an exact
sign. The label rides in the lowest bit: the sort moves one word, and in a tie the positives come
first. What the study's scale does not hold is refused with its data rows. Runs at the data owner
alone: nothing leaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.words import Words, blocks
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import DataRefused, Fault, OptionRefused
from ppaurora.protocols.grid.grid import HIGHER, LEAST_BINS, MOST_BINS, Bins

Doubles: TypeAlias = "NDArray[np.float64]"
Mask: TypeAlias = "NDArray[np.bool_]"

DIRECTIONS = (HIGHER, "lower")
MOST_DECIMALS, LARGEST_STEPS, MOST_CELLS = 15, 10**15, MOST_BINS
FEW_DECIMALS = 6
"""Scores with more decimals are taken for float32, or for doubles."""
ANY = "any"
_CODES = 1 << 62
_MANTISSA_BITS = 52
_MAGNITUDE = (1 << 63) - 1
# the double's exponent field of 2^-256: the exponent of a short code counts from there
_SHORT_BASE = (1023 - 256) << _MANTISSA_BITS
_SHORT_ZERO = 1 << 61


class Resolution(StrEnum):
    """The kinds of resolutions; `decimals` and `bins` come with a number."""

    FULL = "full"
    FLOAT32 = "float32"
    DECIMALS = "decimals"
    BINS = "bins"


WITH_NUMBER = {Resolution.DECIMALS: "4", Resolution.BINS: "1000"}


@dataclass(frozen=True, slots=True)
class Scale:
    """The scores from `low` to `high`, None where any are allowed.

    `number` are the decimals or the bins. Where `direction` is "lower", codes count from the
    highest score down, so that a higher code speaks for the positive class in every study.

    >>> Scale.of("decimals:1", (0, 2)).codes(np.array([0.3, 2.0])).tolist()
    [3, 20]
    >>> Scale.of("full", ("any",)).bounded
    False
    """

    kind: Resolution
    number: int
    low: Fraction | None
    high: Fraction | None
    direction: str = HIGHER

    @classmethod
    @cache
    def of(
        cls, resolution: str, bounds: tuple[float | str, ...] = (0, 1), direction: str = HIGHER
    ) -> Scale:
        """The scale that a study's three words describe."""
        kind, number = _read(resolution)
        low, high = _bounds(bounds)
        found = cls(kind, number, low, high, direction)
        found._check()
        return found

    def _check(self) -> None:
        if self.low is None or self.high is None:
            if self.kind in WITH_NUMBER:
                raise OptionRefused(
                    "range",
                    f'is "{ANY}", and a resolution of {self.kind}:{self.number} needs its ends',
                    advice="Say between which numbers scores lie, for example range = [0, 20].",
                )
            return
        if self.kind is Resolution.DECIMALS:
            step = 10**self.number
            ends = self.low * step, self.high * step
            if any(end.denominator != 1 for end in ends):
                raise OptionRefused("range", f"has an end with more than {self.number} decimals")
            if max(map(abs, ends)) > LARGEST_STEPS:
                raise OptionRefused(
                    "resolution",
                    f"is finer than doubles are in {self.words}",
                    advice="Take fewer decimals.",
                )
        if self.top >= _CODES:
            raise OptionRefused("range", f"is too wide: {self.words}")

    @property
    def bounded(self) -> bool:
        """True if the range has ends."""
        return self.low is not None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The lowest and the highest score; raises `ValueError` if the scale has no bounds."""
        if self.low is None or self.high is None:
            raise ValueError("the range of the scores has no ends")
        return self.low, self.high

    @property
    def probabilities(self) -> bool:
        """True if scores lie between 0 and 1."""
        return self.low == 0 and self.high == 1

    @property
    def words(self) -> str:
        """The range in words."""
        if self.low is None or self.high is None:
            return "any score"
        return f"a score between {decimal(self.low)} and {decimal(self.high)}"

    @property
    def holds(self) -> str:
        """The scores that fit, in words."""
        match self.kind:
            case Resolution.FLOAT32:
                return f"{self.words} that a float32 can say"
            case Resolution.DECIMALS:
                return f"{self.words} of at most {self.number} decimals"
            case _:
                short = "" if self.of_ordinals else ", 0 or of a size from 2^-255 to 2^256"
                return self.words + short

    @property
    def outside(self) -> str:
        """The fault of a score beyond the range, in words."""
        if self.low is None or self.high is None:
            return "neither 0 nor of a size from 2^-255 to 2^256"
        return f"not between {decimal(self.low)} and {decimal(self.high)}"

    # -- cells -----------------------------------------------------------------------------------

    @property
    def cells(self) -> Bins:
        """The cells of equal width: the bins, or one for each score of so many decimals."""
        low, high = self.ends
        if self.kind is Resolution.BINS:
            return Bins(self.number, low, high, direction=self.direction)
        step = Fraction(1, 10**self.number)
        steps = int((high - low) / step)
        if self.direction == HIGHER:
            return Bins(steps + 1, low, high + step, direction=self.direction)
        return Bins(steps + 1, low - step, high, direction=self.direction)

    @property
    def single(self) -> bool:
        """True if scores, and thresholds with them, are those of a float32."""
        return self.kind is Resolution.FLOAT32

    # -- codes -----------------------------------------------------------------------------------

    @property
    def of_ordinals(self) -> bool:
        """True if the place among the doubles of the range is a code."""
        if self.low is None or self.high is None:
            return False
        low, high = _ordinals(np.array([float(self.low), float(self.high)])).tolist()
        return bool(high - low < _CODES)

    @property
    def _place(self) -> Callable[[Doubles], NDArray[np.int64]]:
        """The place of each score among all that the resolution has."""
        match self.kind:
            case Resolution.FLOAT32:
                return lambda x: _ordinals(x.astype(np.float32))
            case Resolution.DECIMALS:
                return lambda x: np.rint(x * float(10**self.number)).astype(np.int64)
            case _:
                return _ordinals if self.of_ordinals else _short

    @property
    def _ends(self) -> tuple[int, int]:
        """The places of the lowest and of the highest score."""
        if self.low is None or self.high is None:
            if self.single:
                largest = int(np.array([np.finfo(np.float32).max]).view(np.int32)[0])
                return -largest, largest
            return -_SHORT_ZERO + 1, _SHORT_ZERO - 1
        low, high = self._place(np.array([float(self.low), float(self.high)])).tolist()
        return low, high

    @property
    def top(self) -> int:
        """The largest code."""
        low, high = self._ends
        return high - low

    @property
    def largest_key(self) -> int:
        """The largest key: 2·top + 1."""
        return 2 * self.top + 1

    def codes(self, x: Doubles) -> Words:
        """The code of each score, all of which fit."""
        low, high = self._ends
        places = self._place(x)
        found = places - low if self.direction == HIGHER else high - places
        return found.astype(np.uint64)

    def scores(self, codes: Words) -> Doubles:
        """The canonical score of each code."""
        low, high = self._ends
        offsets = codes.astype(np.int64)
        places = low + offsets if self.direction == HIGHER else high - offsets
        match self.kind:
            case Resolution.FLOAT32:
                bits = np.abs(places).astype(np.uint32).view(np.float32)
                return np.where(places < 0, -bits, bits).astype(np.float64)
            case Resolution.DECIMALS:
                return places / float(10**self.number)
            case _:
                bits = np.abs(places)
                if not self.of_ordinals:
                    bits = np.where(places == 0, 0, bits + _SHORT_BASE)
                size = bits.astype(np.int64).view(np.float64)
                return np.where(places < 0, -size, size)

    # -- what fits -------------------------------------------------------------------------------

    def within(self, x: Doubles) -> Mask:
        """Return which scores lie in the range and have a size that a code can have."""
        if self.low is None or self.high is None:
            inside = np.isfinite(x) if not self.single else np.isfinite(x.astype(np.float32))
        else:
            ends = np.array([float(self.low), float(self.high)])
            low, high = ends.astype(np.float32).astype(np.float64) if self.single else ends
            seen = x.astype(np.float32).astype(np.float64) if self.single else x
            inside = (seen >= low) & (seen <= high)
        if self.kind in (Resolution.FULL, Resolution.BINS) and not self.of_ordinals:
            size = np.abs(x)
            inside &= (x == 0) | ((size >= 2.0**-255) & (size < 2.0**256))
        return np.asarray(inside, np.bool_)

    def nearest(self, x: Doubles) -> Doubles:
        """The score that the resolution has next to each of these, which lie in the range.

        Of two that are as near, that with an even last decimal.

        >>> Scale.of("decimals:2").nearest(np.array([0.125, 0.135, 0.7])).tolist()
        [0.12, 0.14, 0.7]
        """
        match self.kind:
            case Resolution.FLOAT32:
                return x.astype(np.float32).astype(np.float64)
            case Resolution.DECIMALS:
                step = float(10**self.number)
                places = np.rint(x * step)
                # the product is rounded: what lies next to a half is decided exactly
                for row in np.flatnonzero(np.abs(np.abs(x * step - places) - 0.5) < 2.0**-8):
                    places[row] = round(Fraction(float(x[row])) * 10**self.number)
                return np.asarray(places / step, np.float64)
            case _:
                return x

    def fits(self, x: Doubles, *, single: bool = False) -> Mask:
        """Return which of these scores, which lie in the range, the resolution has.

        `single` says that they come from a column of float32: then one stands for the nearest
        number with so many decimals.
        """
        match self.kind:
            case Resolution.FLOAT32:
                return _written_as_float32(x)
            case Resolution.DECIMALS:
                near = np.rint(x * float(10**self.number)) / float(10**self.number)
                fine = near == x
                if single:
                    few = np.abs(x) * 10**self.number < 10**6
                    fine |= few & (near.astype(np.float32) == x)
                return np.asarray(fine, np.bool_)
            case _:
                return np.ones(x.size, np.bool_)

    @property
    def too_fine(self) -> str:
        """The fault of a score that the resolution does not have, in words."""
        if self.kind is Resolution.DECIMALS:
            return f"with more than {self.number} decimals"
        return "with more digits than a float32 has"


def _ordinals(x: NDArray[np.floating]) -> NDArray[np.int64]:
    """The place of each number among the doubles, or float32, counted from 0."""
    bits = np.abs(x).view(np.int64 if x.dtype == np.float64 else np.int32).astype(np.int64)
    return np.asarray(np.where(x < 0, -bits, bits), np.int64)


def _short(x: Doubles) -> NDArray[np.int64]:
    """Sign, 9 bits of exponent counted from 2^-256, and mantissa of each number, in order."""
    size = np.where(x == 0, 0, (x.view(np.int64) & _MAGNITUDE) - _SHORT_BASE)
    return np.asarray(np.where(x < 0, -size, size), np.int64)


def _written_as_float32(x: Doubles) -> Mask:
    """Return which doubles are a float32, or are written as one is with as many digits."""
    with np.errstate(over="ignore"):
        near = x.astype(np.float32).astype(np.float64)
    fine = near == x
    odd, places = np.unique(x[~fine], return_inverse=True)
    alike = [_alike(one, float(np.float32(one))) for one in odd.tolist()]
    fine[~fine] = np.array(alike, np.bool_)[places.reshape(-1)]
    return np.asarray(fine, np.bool_)


def _alike(x: float, near: float) -> bool:
    """Return whether `near` to as many digits as x has is written as x is.

    >>> [_alike(x, float(np.float32(x))) for x in (0.7, 0.123456789012)]
    [True, False]
    """
    digits = len(repr(x).partition("e")[0].replace(".", "").lstrip("-0"))
    return float(f"{near:.{max(digits, 1)}g}") == x


def _read(resolution: str) -> tuple[Resolution, int]:
    """The kind and the number that a text says."""
    name, sign, number = resolution.partition(":")
    usage = OptionRefused(
        "resolution",
        f'is "{resolution}"',
        advice='Say "full", "float32", "decimals:4" (at most four decimals) or "bins:1000" '
        "(counted in a thousand bins).",
    )
    if name not in tuple(Resolution):
        raise usage
    kind = Resolution(name)
    if bool(sign) != (kind in WITH_NUMBER) or (
        sign and not (number.isascii() and number.isdigit())
    ):
        raise usage
    value = int(number or 0)
    if kind is Resolution.DECIMALS and value > MOST_DECIMALS:
        raise OptionRefused("resolution", f"is of {value} decimals, more than {MOST_DECIMALS}")
    if kind is Resolution.BINS and not LEAST_BINS <= value <= MOST_BINS:
        raise OptionRefused("resolution", f"must be of {LEAST_BINS} to {MOST_BINS} bins")
    return kind, value


def _bounds(bounds: tuple[float | str, ...]) -> tuple[Fraction | None, Fraction | None]:
    """The exact ends of a range, the numbers that a person writes."""
    if bounds == (ANY,):
        return None, None
    if len(bounds) != 2 or any(isinstance(end, str) for end in bounds):
        raise OptionRefused(
            "range", "is not two numbers", advice=f'Say [0, 1], or ["{ANY}"] for any scores.'
        )
    low, high = (Fraction(repr(end)) for end in bounds)
    if not low < high:
        raise OptionRefused("range", f"ends at {decimal(high)}, which is not above its beginning")
    return low, high


def narrowest(x: Doubles, scale: Scale) -> str:
    """The coarsest resolution that has all these scores, which lie in the range of a scale.

    >>> narrowest(np.array([0.25, 0.5]), PROBABILITIES)
    'decimals:2'
    """
    ends = ("any",) if scale.low is None else tuple(map(float, scale.ends))
    for resolution in (*(f"decimals:{d}" for d in range(FEW_DECIMALS + 1)), "float32"):
        try:
            candidate = Scale.of(resolution, ends)
        except OptionRefused:
            continue
        if candidate.within(x).all() and candidate.fits(x).all():
            return resolution
    return Resolution.FULL.value


PROBABILITIES = Scale.of("full")
"""Doubles between 0 and 1, of which higher ones mean positive."""


def encode(scores: ArrayLike, labels: ArrayLike, scale: Scale) -> Words:
    """The keys of one list of doubles and of labels 0 and 1, in the order of its rows.

    Nothing is guessed: what is not exactly that is refused.
    """
    single = np.asarray(scores).dtype == np.float32
    x, y = _doubles(scores), _labels(labels)
    if x.size != y.size:
        raise DataRefused(
            f"the list has {x.size} scores and {y.size} labels",
            advice="Give every score its label.",
        )
    faults = [*unheld_scores(x, scale, single=single), *_unknown_labels(y)]
    if faults:
        raise DataRefused(
            "the list cannot be encoded",
            faults=faults,
            advice="Correct these rows; nothing of the list was used.",
        )
    keys = np.empty(x.size, np.uint64)
    for rows in blocks(x.size):
        # key = 2·code + label
        keys[rows] = 2 * scale.codes(x[rows]) + y[rows].astype(np.uint64)
    return keys


def decode(keys: Words, scale: Scale) -> tuple[Doubles, Words]:
    """The canonical scores and the labels behind keys."""
    return scale.scores(keys >> np.uint64(1)), keys & np.uint64(1)


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


def unheld_scores(x: Doubles, scale: Scale, *, single: bool = False) -> list[Fault]:
    """The scores that the scale does not hold, by kind; a row counts for its first kind only.

    `single` says that they come from a column of float32.
    """
    missing, infinite, outside, fine = (np.zeros(x.size, np.bool_) for _ in range(4))
    for rows in blocks(x.size):
        part = x[rows]
        with np.errstate(invalid="ignore", over="ignore"):
            held = scale.within(part)
        if not held.all():
            missing[rows], infinite[rows] = np.isnan(part), np.isinf(part)
            outside[rows] = ~held & ~missing[rows] & ~infinite[rows]
        fine[rows][held] = ~scale.fits(part[held], single=single)
    kinds = {
        "missing or not a number": missing,
        "infinite": infinite,
        scale.outside: outside,
        scale.too_fine: fine,
    }
    found = (Fault.found("score", what, faulty) for what, faulty in kinds.items())
    return [fault for fault in found if fault is not None]


def _unknown_labels(y: NDArray[np.generic]) -> list[Fault]:
    fault = Fault.found("label", "neither 0 nor 1", np.asarray((y != 0) & (y != 1), np.bool_))
    return [] if fault is None else [fault]
