"""Tags of joined lists: the same for one identifier at every owner of one study, and nowhere else.

One owner holds scores and another one labels of the same people. Neither shows an identifier to
anybody: with the canonical form of the identifier (`ppaurora.protocols.lists.folds`) each computes

    tag = the first 62 bits of HMAC-SHA-256(owners' key, domain || study || identifier)

under the key that the owners share as for folds. The domain keeps tags apart from folds, and the
study's name those of one study from those of another. Servers hold tags in two shares, and the
owners do not see each other's; who has the key could try all identifiers on a tag, so it is the
owners' alone. The texts are joined by a zero byte, which no canonical form and no name has.

Two identifiers have one tag with probability 2^-62. Among n rows there are fewer than n²/2 pairs,
so that any two of them collide with probability n²/2^63 at most: 3·10^-12 for 5,000 rows, 10^-7 for
a million. Two rows of one owner that have one tag are refused there: one person is one row.

A row of an owner that holds both the score and the label needs no partner.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from enum import IntEnum
from functools import partial

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.folds import canonical, fault_in, number_of_each

DOMAIN = b"ppAURORA join tag 1\0"
TAG_BITS = 62
LARGEST_TAG = (1 << TAG_BITS) - 1
WHAT = "row identifier"
REPEATED = "on several rows of this list"


class Side(IntEnum):
    """The columns that an owner's rows have beside the identifier."""

    SCORES = 0
    LABELS = 1
    BOTH = 2

    @property
    def word(self) -> str:
        """Its name in site.toml and on the command line.

        >>> Side.SCORES.word
        'scores'
        """
        return self.name.lower()


HOLDINGS = (Side.BOTH.word, Side.SCORES.word, Side.LABELS.word)
"""The words for what a list may hold, the usual one first."""


def side_of(word: str) -> Side:
    """The side that a word names.

    >>> side_of("labels")
    <Side.LABELS: 1>
    """
    return Side[word.upper()]


def tag_of(identifier: str, form: str, key: bytes, study: str) -> int:
    """The tag of one identifier in this study.

    >>> first, second = (tag_of(one, "number", bytes(32), "a") for one in ("007", "7 "))
    >>> first == second, first == tag_of("7", "number", bytes(32), "b")
    (True, False)
    """
    plain = canonical(identifier, form)
    content = DOMAIN + study.encode() + b"\0" + plain.encode()
    digest = hmac.digest(key, content, hashlib.sha256)
    return int.from_bytes(digest[:8]) >> 64 - TAG_BITS


def tags(identifiers: Sequence[str], form: str, key: bytes, study: str, *, column: str) -> Words:
    """The tag of each row; rows without a canonical identifier, or with one that another row has,
    are refused by their numbers, unrepeated."""
    number = partial(tag_of, form=form, key=key, study=study)
    found = number_of_each(identifiers, number, form, column, WHAT)
    _, places, counts = np.unique(found, return_inverse=True, return_counts=True)
    twice = np.flatnonzero(counts[places] > 1)
    if twice.size:
        raise DataRefused(
            f'In column "{column}"',
            faults=[fault_in(WHAT, REPEATED, twice.tolist(), len(found))],
            advice="Lists are joined row by row, so one person is one row: leave one of each, for "
            "example the first score or the last label.",
        )
    return found


def of_side(keys: Sequence[Words], side: Side) -> list[Words]:
    """The keys of an owner's rows with the side in the two upper bits of their tags.

    The first keys are those of the scores and labels, the last ones the tags.
    """
    *others, own = keys
    return [*others, own | np.uint64(side << TAG_BITS)]


def sides(tagged: Words) -> Words:
    """The side of each row, as `of_side` has written it."""
    return tagged >> np.uint64(TAG_BITS)


def collision_bound(rows: int) -> str:
    """The largest probability that any two of so many identifiers have one tag, in words.

    >>> collision_bound(8000)
    'at most 8000²/2^63, less than 1 in 100,000,000,000'
    """
    bound = (1 << 63) // max(1, rows * rows)
    known = 10 ** (len(str(bound)) - 1)
    return f"at most {rows}²/2^63, less than 1 in {known:,}"
