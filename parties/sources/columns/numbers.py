"""The doubles that texts stand for, by a grammar that guesses nothing.

    number   = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ exponent ]
    exponent = ( "e" | "E" ) [ "+" | "-" ] digits
    digits   = one or more of "0" to "9"

It is Python's grammar of `float` without underscores, without words (inf, nan), in ASCII digits.
Blanks and tabs around a number do not count. The value is the nearest double, as Python rounds
it; one that is too large for a double is refused, one that is too small becomes 0.

An owner may state another format (`NumberFormat`). It holds for the whole column, and nothing is
concluded from the numbers themselves. A number is rewritten in decimal and then rounded once, so
that 12.5 % is the double nearest to 0.125.

Decimals without an exponent are read many at once (`decimals`): the digits become a whole number m
below 10^19, eight at a time, and the value is m / 10^k, rounded once. Longer numbers, other texts,
and quotients that lie too near the middle of two doubles are read one by one.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.fields import WIDEST, WORD_BYTES, Fields
from ppaurora.protocols.lists.scale import Scale, narrowest

THOUSANDS = {"": "", ",": ",", ".": "[.]", "'": "['’]", " ": "[ \u00a0\u202f]"}

"""The marks that may be stated, and the signs that each stands for."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """The format of the numbers in a text, as its owner states it; plain by default.

    >>> NumberFormat(decimal_comma=True, thousands=".").plain("-1.234,5")
    '-1234.5e0'
    >>> NumberFormat(percent=True).plain("12.5 %")
    '12.5e-2'
    """

    decimal_comma: bool = False
    percent: bool = False
    thousands: str = ""

    def __post_init__(self) -> None:
        if self.thousands not in THOUSANDS or self.thousands == self.mark:
            raise ConfigurationError(
                "--thousands names no mark that can stand between thousands here",
                advice="Say , or . or ' or a blank, but not the mark before the decimals.",
            )

    @property
    def mark(self) -> str:
        """The mark before the decimals."""
        return "," if self.decimal_comma else "."

    @property
    def stated(self) -> tuple[str, ...]:
        """The options that state it."""
        given = {
            "--decimal-comma": self.decimal_comma,
            "--percent": self.percent,
            "--thousands": bool(self.thousands),
        }
        return tuple(option for option, is_given in given.items() if is_given)

    @property
    def comma_only(self) -> bool:
        """Return whether nothing is stated but a decimal comma."""
        return self == NumberFormat(decimal_comma=True)

    def plain(self, text: str) -> str | None:
        """The number as it is written plainly; None for what is no number in this writing."""
        group = THOUSANDS[self.thousands]
        whole = f"[0-9]+|[0-9]{{1,3}}(?:{group}[0-9]{{3}})+" if group else "[0-9]+"
        mark = re.escape(self.mark)
        sign = "(?:[ \u00a0\u202f]*%)?" if self.percent else ""
        match = re.fullmatch(
            f"([+-]?)(?:({whole})(?:{mark}([0-9]*))?|{mark}([0-9]+))(?:[eE]([+-]?[0-9]+))?{sign}",
            text,
        )
        if match is None:
            return None
        minus, digits, behind, alone, exponent = match.groups()
        before = re.sub("[^0-9]", "", digits or "0")
        shift = int(exponent or 0) - 2 * self.percent
        return f"{minus}{before}.{behind or alone or '0'}e{shift}"


PLAIN = NumberFormat()


NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

ALPHABET = b"0123456789+-.eE"

WRITE_NUMBERS = "Write each score as a number such as 0.25 or 2.5e-3, or correct --score COLUMN."

REMOVE = (
    "Remove these rows, leave them out with --drop-missing, or give them their scores; nothing is "
    "filled in here."
)

EMPTY = FaultKind("no score", REMOVE)

NAN = FaultKind("NaN, which is no score,", REMOVE)

INFINITE = FaultKind("an infinite number", "Correct these rows: a score is a finite number.")

TOO_LARGE = FaultKind("a number too large for a double", INFINITE.advice)

EXACT_WHOLE = 2**53

TOO_WIDE = FaultKind(
    "a whole number too large to be kept exactly (2^53 or more)",
    "Give these scores as numbers below 2^53; rank or rescale them if need be.",
)

NO_NUMBER = FaultKind("a score that is no number", WRITE_NUMBERS)

MISSING = FaultKind("a word for a missing score", REMOVE)

NOT_AS_STATED = FaultKind(
    "a score that is not written as stated",
    "See what --decimal-comma, --percent and --thousands state; it must hold for every score.",
)

WORDS = (EMPTY, NAN, INFINITE, MISSING)

"""The kinds of text that are no number in any format."""

KINDS = (
    (r"[+-]?nan", NAN),
    (r"[+-]?inf(inity)?", INFINITE),
    (r"na|n/a|#n/a|null|none|missing|\.|-+|\?", MISSING),
    (
        r"[+-]?0x[0-9a-f._]+(p[+-]?[0-9]+)?",
        FaultKind("a hexadecimal number", WRITE_NUMBERS),
    ),
    (
        r"[+-]?[0-9.]+_[0-9._]*(e[+-]?[0-9_]+)?|[+-]?[0-9.]+e[+-]?[0-9]+_[0-9_]*",
        FaultKind("a number with underscores", WRITE_NUMBERS),
    ),
    (
        r"[+-]?[0-9]*,[0-9]+(e[+-]?[0-9]+)?",
        FaultKind(
            "a decimal comma", "State --decimal-comma, or write the scores with a decimal point."
        ),
    ),
    (
        r"[+-]?[0-9.,]+ *%",
        FaultKind(
            "a percentage",
            "State --percent, or write the scores as fractions: 0.25 for 25 percent.",
        ),
    ),
    (
        r"[+-]?[0-9]{1,3}(([,'’] ?|[ \u00a0\u202f])[0-9]{3})+([.,][0-9]+)?",
        FaultKind(
            "a mark between thousands",
            "State it with --thousands, or write the scores without marks between thousands.",
        ),
    ),
)


def is_number(text: str) -> bool:
    """Return whether a text stands for a finite number."""
    return NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def fault_of(text: str) -> FaultKind | None:
    """The reason why a text cannot be a score; None if it is a number."""
    if not text:
        return EMPTY
    if NUMBER.fullmatch(text):
        return None if math.isfinite(float(text)) else TOO_LARGE
    kinds = (kind for pattern, kind in KINDS if re.fullmatch(pattern, text, re.IGNORECASE))
    return next(kinds, NO_NUMBER)


def numbers(
    fields: Fields, number_format: NumberFormat = PLAIN
) -> tuple[NDArray[np.float64], dict[FaultKind, NDArray[np.bool_]]]:
    """The value of each row, and which rows have none, by kind of fault."""
    values = np.empty(len(fields), np.float64)
    faults: dict[FaultKind, NDArray[np.bool_]] = {}
    for rows, part in fields.steps():
        values[rows], left = _read(part, number_format)
        for place in left.tolist():
            text = part.text(place)
            if number_format.stated:
                plain = number_format.plain(text)
                kind = _fault_in(text, plain)
                text = plain or text
            else:
                kind = fault_of(text)
            if kind is None:
                values[rows.start + place] = float(text)
            else:
                marks = faults.setdefault(kind, np.zeros(len(fields), np.bool_))
                marks[rows.start + place] = True
    return values, faults


def _fault_in(text: str, plain: str | None) -> FaultKind | None:
    """The reason why a text cannot be a score; `plain` is the number in the stated format."""
    if plain is not None:
        return fault_of(plain)
    kind = fault_of(text)
    return kind if kind in WORDS else NOT_AS_STATED


def _read(
    fields: Fields, number_format: NumberFormat
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values, and the rows that need to be looked at by themselves because they have none."""
    if number_format.stated and not number_format.comma_only:
        return np.empty(len(fields), np.float64), np.arange(len(fields))
    values, read = decimals(fields, number_format.mark)
    left = np.flatnonzero(~read)
    if left.size:
        sound = _all_sound(fields.take(left), number_format)
        if sound is not None:
            values[left], left = sound, left[:0]
    return values, left


def _all_sound(fields: Fields, number_format: NumberFormat) -> NDArray[np.float64] | None:
    """All values at once, or None where a row needs to be looked at by itself.

    Whatever `float` reads in this alphabet is a number of the grammar above.
    """
    if fields.lengths.max(initial=0) > WIDEST:
        return None
    texts = fields.padded()
    letters = texts.tobytes()
    if letters.translate(None, ALPHABET.replace(b".", number_format.mark.encode()) + b"\0"):
        return None
    if number_format.decimal_comma:
        texts = np.frombuffer(letters.replace(b",", b"."), texts.dtype)
    try:
        values = texts.astype(np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def unusable(values: NDArray[np.float64], scale: Scale) -> dict[FaultKind, NDArray[np.bool_]]:
    """The values that the study's scale does not hold, by kind of fault."""
    missing, infinite = np.isnan(values), np.isinf(values)
    with np.errstate(invalid="ignore", over="ignore"):
        held = scale.within(values)
    fine = held.copy()
    fine[held] = scale.fits(values[held])
    marked = {
        NAN: missing,
        INFINITE: infinite,
        outside(scale): ~held & ~missing & ~infinite,
        too_fine(scale, values[held & ~fine]): held & ~fine,
    }
    return {kind: faulty for kind, faulty in marked.items() if faulty.any()}


def outside(scale: Scale) -> FaultKind:
    """The fault of a number beyond the study's range."""
    advice = "Correct these rows."
    if scale.probabilities:
        advice = (
            "Correct these rows; if the scores are no probabilities, the study needs another "
            "range under [scores], such as range = [0, 20] (`simulate`: --range 0,20)."
        )
    what = f"not {scale.words}" if scale.bounded else scale.outside
    return FaultKind(f"a number that is {what}", advice)


def too_fine(scale: Scale, values: NDArray[np.float64] | None = None) -> FaultKind:
    """The fault of numbers that the study's resolution does not have; `values` are where known."""
    would = "; `ppaurora check` of the list proposes one"
    if values is not None:
        would = f": {narrowest(values, scale)} would hold them"
    return FaultKind(
        f"a number {scale.too_fine}",
        "Correct these rows, round them with --round, or have the study take another resolution "
        f"under [scores]{would}.",
    )


MOST_DIGITS = 19
TENS = np.array([10**k for k in range(MOST_DIGITS + 1)], np.uint64)
POWERS = TENS.astype(np.float64)
ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)
ONES = np.uint64(0x0101010101010101)
TOPS = np.uint64(0x8080808080808080)
EXACT = np.uint64(2**53)
SPLIT = 2.0**27 + 1
DOUBT = 2.0**-88

Doubles = NDArray[np.float64]
Mask = NDArray[np.bool_]


def decimals(fields: Fields, mark: str) -> tuple[Doubles, Mask]:
    """The value of each row, and which rows were read; `mark` stands before the decimals."""
    first = fields.buffer[fields.start]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    if signed.any():
        fields = Fields(fields.buffer, fields.start + signed, fields.end)
    m, k, read = _digits(fields, mark)
    values, sure = _quotients(m, k)
    return np.where(negative, -values, values), read & sure


def _digits(fields: Fields, mark: str) -> tuple[Words, NDArray[np.int64], Mask]:
    """m and k of each decimal m / 10^k, and which rows are one of few digits; m is 0 in others."""
    lengths, head = fields.lengths, fields.words_at(fields.start)
    before = np.minimum(_place(head, mark), lengths)
    # behind the mark; -1 where there is none
    k = lengths - before - 1
    read = (before <= WORD_BYTES) & (k <= MOST_DIGITS) & (lengths > (k >= 0))
    before = np.minimum(before, WORD_BYTES)
    k = np.minimum(np.maximum(k, 0), MOST_DIGITS)
    whole, good = _eight(head, before, first=True)
    read &= good & (whole < TENS[MOST_DIGITS - k])
    m = whole * TENS[k]
    for part in range(-(-int(k.max(initial=0)) // WORD_BYTES)):
        count = np.minimum(np.maximum(k - WORD_BYTES * part, 0), WORD_BYTES)
        # a word that would begin before the buffer is not read
        start = fields.end - WORD_BYTES * (part + 1)
        value, good = _eight(fields.words_at(np.maximum(start, 0)), count, first=False)
        read &= good & ((start >= 0) | (count == 0))
        m += value * TENS[WORD_BYTES * part]
    return m * read, k, read


def _place(words: Words, mark: str) -> NDArray[np.int64]:
    """The index in each word of the first byte that is the mark; large where none is."""
    # a byte of x is 0 where the mark is, and the lowest of the bits that stay tells of the first
    x = words ^ (ONES * np.uint64(ord(mark)))
    marks = (x - ONES) & ~x & TOPS
    lowest = marks & (~marks + np.uint64(1))
    exponent = (lowest.astype(np.float64).view(np.int64) >> 52) - 1023
    return np.where(marks == 0, np.int64(1 << 32), exponent >> 3)


def _eight(words: Words, count: NDArray[np.int64], *, first: bool) -> tuple[Words, Mask]:
    """The whole number in the first or last `count` bytes of each word, and whether it is one."""
    unused = (8 * (WORD_BYTES - count)).astype(np.uint64)
    d = words ^ ZEROS
    d = (d if first else d >> unused) << unused
    good = ((d + ABOVE_NINE) | d) & TOPS == 0
    # two, four and eight digits at a time: 10·a + b, 100·a + b, 10000·a + b
    d = (d * np.uint64(10 << 8 | 1)) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    d = (d * np.uint64(100 << 16 | 1)) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    d = (d * np.uint64(10000 << 32 | 1)) >> np.uint64(32)
    return d, good


def _quotients(m: Words, k: NDArray[np.int64]) -> tuple[Doubles, Mask]:
    """m / 10^k as the nearest double, and where it is sure to be the nearest.

    A division of two exact doubles rounds once. A larger m is its nearest double h and a rest:
    h / 10^k leaves a remainder that is a double too, and (remainder + rest) / 10^k is known to
    2^-90 of the value. Added to h / 10^k it gives the nearest double, unless so little more or less
    would give another one.
    """
    p = POWERS[k]
    if (m <= EXACT).all():
        return m.astype(np.float64) / p, np.ones(len(m), np.bool_)
    h = m.astype(np.float64)
    rest = (m - h.astype(np.uint64)).view(np.int64).astype(np.float64)
    q = h / p
    remainder = (h - q * p) - _product_error(q, p)
    more = (remainder + rest) / p
    doubt = DOUBT * q
    values = q + more
    return values, (q + (more - doubt) == values) & (q + (more + doubt) == values)


def _product_error(a: Doubles, b: Doubles) -> Doubles:
    """a·b - fl(a·b), exactly [Dekker]."""
    a_high, b_high = SPLIT * a, SPLIT * b
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    error: Doubles = a_low * b_low - (((a * b - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return error
