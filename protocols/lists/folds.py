"""Assignment of records to folds: the same at every owner, by a key that only the owners have.

[Folds, errata 1, 3 and 4]: all records of one patient must be in one fold, in whatever hospital
they are, without anybody comparing identifiers. With the canonical form of the identifier,

    fold = HMAC-SHA-256(key, canonical form, in UTF-8), as a whole number, mod k,

or, by public cut points c_1 < c_2 < .. instead of a key, fold = the number of cuts up to and at the
identifier. Folds are numbered from 0. A hash makes them equal in size but for chance. Without a key
a hash of birth dates is inverted by trying some 40,000 of them.

Two writings of one identifier must have one canonical form, or the records of one patient come
into two folds. So the study fixes one of these, and what does not fit it is refused:

    text-nfkc   Unicode NFKC, so that full-width and half-width letters and digits are one, without
                case; every dash is "-", every single quotation mark or prime "'", every double one
                '"'; blanks at the ends left out and one for several within
    date        a day as YYYY-MM-DD, of the Gregorian calendar, and nothing else
    number      digits, without zeros in front

A form that changes gets another name: owners of two versions refuse each other's studies, instead
of making other folds.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import pairwise

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import DataRefused, Fault

KEY_BYTES = 32
LONGEST = 1000
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NUMBER = re.compile(r"0*([0-9]+)")
TEXT = "text-nfkc"
DASHES = (
    "\u02d7\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015"
    "\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
)
SINGLE = (
    "`\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201a"
    "\u201b\u2032\u2035\u2039\u203a\uff07\uff40"
)
DOUBLE = "\u00ab\u00bb\u02ba\u201c\u201d\u201e\u201f\u2033\u2036\u301d\u301e\u301f\uff02"
MARKS = str.maketrans(
    {**dict.fromkeys(DASHES, "-"), **dict.fromkeys(SINGLE, "'"), **dict.fromkeys(DOUBLE, '"')}
)
"""Dashes and quotation marks as keyboards write them."""
MOST_FOLDINGS = 4
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}
"""Categories of characters that do not show, or that not every version of Unicode knows."""
COMMITMENT = b"ppAURORA fold key 1\0"
CHECK = b"ppAURORA fold check 2\0"
CHECK_LETTERS = 20
CHECKED: Mapping[str, Sequence[str]] = {
    TEXT: (
        "Zoë  MÜLLER",
        " zoe\u0308 mu\u0308ller ",
        "Straße 7",
        "ΣΊΣΥΦΟΣ",
        "İ",
        "A-1/2",
        "\uff11\uff12\uff13",
        "A\u20131\u20102",
        "O\u2019Neill",
        "\u201eB\u201d",
    ),
    "date": ("1967-03-09", " 2000-02-29 ", "1899-12-31"),
    "number": ("00123", "123 ", "9" * 30),
}
"""Public identifiers of nobody, whose folds two owners compare."""


class NotCanonical(ValueError):
    """The reason why an identifier has no canonical form, in words that do not repeat it."""


def text_form(text: str) -> str:
    """The identifier as a text.

    >>> text_form("  Zoe\u0308  MÜLLER "), text_form("\uff11\uff12\u20103")
    ('zoë müller', '12-3')
    """
    plain = text
    for _ in range(MOST_FOLDINGS):
        before, plain = plain, _folded(plain)
        if plain == before:
            break
    else:
        raise NotCanonical("without one way to write it")
    if not plain:
        raise NotCanonical("empty")
    if any(unicodedata.category(one) in INVISIBLE for one in plain):
        raise NotCanonical("with a character that does not show")
    return plain


def _folded(text: str) -> str:
    """The text with marks, case, compatible characters and blanks folded once."""
    # marks first: NFKC takes some of them apart into a blank and an accent
    marked = unicodedata.normalize("NFD", text).translate(MARKS).casefold()
    return " ".join(unicodedata.normalize("NFKC", marked).translate(MARKS).split())


def date_form(text: str) -> str:
    """The identifier as a day.

    >>> date_form(" 1967-03-09 ")
    '1967-03-09'
    """
    plain = text.strip()
    if not plain:
        raise NotCanonical("empty")
    if not DATE.fullmatch(plain):
        raise NotCanonical("not written as YYYY-MM-DD")
    try:
        return date.fromisoformat(plain).isoformat()
    except ValueError:
        raise NotCanonical("no day of the calendar") from None


def number_form(text: str) -> str:
    """The identifier as a number.

    >>> number_form("00123 ")
    '123'
    """
    plain = text.strip()
    if not plain:
        raise NotCanonical("empty")
    digits = NUMBER.fullmatch(plain)
    if digits is None:
        raise NotCanonical("not written in the digits 0 to 9 alone")
    return digits[1]


FORMS: Mapping[str, Callable[[str], str]] = {
    TEXT: text_form,
    "date": date_form,
    "number": number_form,
}
CUT_FORMS = ("date", "number")
"""The forms that have an order, by which cut points can be."""


def canonical(text: str, form: str) -> str:
    """The one form of an identifier that all its writings share; `NotCanonical` without one."""
    if len(text) > LONGEST:
        raise NotCanonical(f"longer than {LONGEST} letters")
    return FORMS[form](text)


@dataclass(frozen=True, slots=True)
class FoldRule:
    """The number of folds, the form of the identifiers, and the cuts if there are any."""

    count: int
    form: str
    cuts: tuple[str, ...] = ()

    def fold_of(self, identifier: str, key: bytes) -> int:
        """The fold of one identifier, numbered from 0."""
        plain = canonical(identifier, self.form)
        if self.cuts:
            return bisect_right([_ordered(cut) for cut in self.cuts], _ordered(plain))
        return int.from_bytes(hmac.digest(key, plain.encode(), hashlib.sha256)) % self.count

    def assigned(self, identifiers: Sequence[str], key: bytes, *, column: str) -> Words:
        """The fold of each row; what has no canonical form is refused with its rows, unrepeated."""
        number = partial(self.fold_of, key=key)
        return number_of_each(identifiers, number, self.form, column, "patient identifier")

    def check_text(self, key: bytes) -> str:
        """The text that two owners compare: equal if key, folds, form and canonical forms are."""
        facts = [str(self.count), self.form, *self.cuts]
        tried = [canonical(one, self.form) for one in CHECKED[self.form]]
        content = CHECK + "\0".join([*facts, "", *tried]).encode()
        digest = hmac.digest(key, content, hashlib.sha256).hex()[:CHECK_LETTERS]
        return "-".join(digest[place : place + 5] for place in range(0, CHECK_LETTERS, 5))


def key_commitment(key: bytes) -> str:
    """The commitment to the key that stands in the study: equal for equal keys, and hiding.

    >>> key_commitment(bytes(32)) == key_commitment(bytes(32))
    True
    """
    return hashlib.sha256(COMMITMENT + key).hexdigest()


def fits(cuts: Sequence[str], form: str, count: int) -> bool:
    """True if these points separate so many folds: in canonical form and ascending."""
    if form not in CUT_FORMS or len(cuts) != count - 1:
        return False
    try:
        plain = [canonical(cut, form) for cut in cuts]
    except NotCanonical:
        return False
    rising = all(_ordered(a) < _ordered(b) for a, b in pairwise(plain))
    return plain == [*cuts] and rising


def _ordered(plain: str) -> tuple[int, str]:
    """Numbers by their size, days by their order."""
    return len(plain), plain


def number_of_each(
    identifiers: Sequence[str], number: Callable[[str], int], form: str, column: str, what: str
) -> Words:
    """The number of each row's identifier; rows of which it has no canonical form are refused."""
    found = np.zeros(len(identifiers), np.uint64)
    faulty: dict[str, list[int]] = {}
    for row, identifier in enumerate(identifiers):
        try:
            found[row] = number(identifier)
        except NotCanonical as fault:
            faulty.setdefault(str(fault), []).append(row)
    if faulty:
        raise DataRefused(
            f'In column "{column}"',
            faults=[fault_in(what, why, rows, len(found)) for why, rows in faulty.items()],
            advice=f'The study takes identifiers of the form "{form}"; correct these rows, or '
            "agree on another form.",
        )
    return found


def fault_in(what: str, why: str, rows: Sequence[int], count: int) -> Fault:
    """The fault of these of so many rows."""
    marked = np.zeros(count, np.bool_)
    marked[list(rows)] = True
    found = Fault.found(what, why, marked)
    assert found is not None
    return found
