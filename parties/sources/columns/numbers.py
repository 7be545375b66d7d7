"""The doubles that texts stand for, by a grammar that guesses nothing.

    number   = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ exponent ]
    exponent = ( "e" | "E" ) [ "+" | "-" ] digits
    digits   = one or more of "0" to "9"

It is Python's grammar of `float` without underscores, without words (inf, nan), in ASCII digits.
Blanks and tabs around a number do not count. The value is the nearest double, as Python rounds
it; one that is too large for a double is refused, one that is too small becomes 0.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.sources.columns.decimals import decimals
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.fields import WIDEST, Fields
from ppaurora.parties.sources.columns.written import PLAINLY, Written
from ppaurora.protocols.lists.encoding import Code

__all__ = [
    "EMPTY",
    "EXACT_WHOLE",
    "INFINITE",
    "NAN",
    "NO_NUMBER",
    "TOO_WIDE",
    "fault_of",
    "is_number",
    "numbers",
    "outside",
    "unusable",
]

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ALPHABET = b"0123456789+-.eE"

WRITE_NUMBERS = "Write each score as a number such as 0.25 or 2.5e-3, or correct --score COLUMN."
REMOVE = "Remove these rows, or give them their scores; nothing is filled in here."
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
"""What is no number in whatever writing."""
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
    """Whether a text stands for a finite number."""
    return NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def fault_of(text: str) -> FaultKind | None:
    """Why a text cannot be a score; None where it is a number."""
    if not text:
        return EMPTY
    if NUMBER.fullmatch(text):
        return None if math.isfinite(float(text)) else TOO_LARGE
    kinds = (kind for pattern, kind in KINDS if re.fullmatch(pattern, text, re.IGNORECASE))
    return next(kinds, NO_NUMBER)


def numbers(
    fields: Fields, written: Written = PLAINLY
) -> tuple[NDArray[np.float64], dict[FaultKind, NDArray[np.bool_]]]:
    """The value of each row, and which rows have none, by kind of fault."""
    values = np.empty(len(fields), np.float64)
    faults: dict[FaultKind, NDArray[np.bool_]] = {}
    for rows, part in fields.steps():
        values[rows], left = _read(part, written)
        for place in left.tolist():
            text = part.text(place)
            if written.stated:
                plain = written.plain(text)
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
    """Why a text cannot be a score in a writing in which it stands for the number `plain`."""
    if plain is not None:
        return fault_of(plain)
    kind = fault_of(text)
    return kind if kind in WORDS else NOT_AS_STATED


def _read(fields: Fields, written: Written) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The values, and the rows that need to be looked at by themselves because they have none."""
    if written.stated and not written.comma_only:
        return np.empty(len(fields), np.float64), np.arange(len(fields))
    values, read = decimals(fields, written.mark)
    left = np.flatnonzero(~read)
    if left.size:
        sound = _all_sound(fields.take(left), written)
        if sound is not None:
            values[left], left = sound, left[:0]
    return values, left


def _all_sound(fields: Fields, written: Written) -> NDArray[np.float64] | None:
    """All values at once, or None where a row needs to be looked at by itself.

    Whatever `float` reads in this alphabet is a number of the grammar above.
    """
    if fields.lengths.max(initial=0) > WIDEST:
        return None
    texts = fields.padded()
    letters = texts.tobytes()
    if letters.translate(None, ALPHABET.replace(b".", written.mark.encode()) + b"\0"):
        return None
    if written.decimal_comma:
        texts = np.frombuffer(letters.replace(b",", b"."), texts.dtype)
    try:
        values = texts.astype(np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def unusable(values: NDArray[np.float64], code: Code) -> dict[FaultKind, NDArray[np.bool_]]:
    """Which values the study's code does not hold, by kind of fault."""
    missing, infinite = np.isnan(values), np.isinf(values)
    with np.errstate(invalid="ignore"):
        beyond = ~code.allowed(values) & ~missing & ~infinite
    marked = {NAN: missing, INFINITE: infinite, outside(code): beyond}
    return {kind: faulty for kind, faulty in marked.items() if faulty.any()}


def outside(code: Code) -> FaultKind:
    """The fault of a number that the study's code does not hold."""
    advice = "Correct these rows."
    if code.name == "unit":
        advice = (
            "Correct these rows; if the scores are no probabilities, the study needs "
            'code = "real" under [scores] (`simulate`: --code real).'
        )
    return FaultKind(f"a number that is not {code.holds}", advice)
