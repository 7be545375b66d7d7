"""Private checks of the uploads, and the verdict on each: one bit, opened to the proxies.

A pipeline's check counts the faults of each upload without showing them (`Findings`); `judged`
opens whether the count is zero. This is the only number of the lists that a computation opens by
default, so it is all that a server which departs from the protocol could turn to its use: it may
add what it likes to its own shares of an upload, and read one bit of its choice about it in the
verdict. Two rules keep that to one bit an upload:

- **A verdict is final.** Each proxy keeps the verdicts before it goes on (`Verdicts.keep`), and an
  upload of which one is kept is not checked again when a session is repeated.
- **A verdict that is begun counts.** A proxy notes on its disk that it is about to send its part
  (`Verdicts.begin`). A peer that takes that part and breaks the session off has read a bit of which
  nothing was kept: sessions broken off there are counted, and few of them are allowed.

The helper is told last: one that leaves leaves after the verdicts were kept. Four hops, and
one to the helper.

`check_lists` counts the places at which a list is not sorted descending or not in range. A word
below 2^63 has no top bit; if all words of a list are, then a difference of neighbours is exact and
negative if and only if the list is not descending there; and if the first key is at most the code's
largest, all are. So one batch of comparisons counts the violations of each list; their places,
number and size stay hidden. 4 hops; 2n comparisons of 73 bytes, of many up to 6 and 62. Nobody
learns anything. Of keys that are shared mod 2^32 the same holds with 2^31, for 36 or 34 bytes:
whatever an owner's words were, the number that is checked is the one that is sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, open_zero, tell_helper, to_arithmetic
from ppaurora.mpc.shares import InRing, Shared, SharedNumbers, concatenate, low_bits


@dataclass(frozen=True, slots=True)
class Findings:
    """For each upload whether the proxies find it sound by what they see, and the shared number of
    its hidden faults."""

    sound: Sequence[bool]
    faults: Shared


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts that are known from sessions before, by the upload's place; nothing is kept.

    A server keeps them: it overrides `begin` and `keep`.
    """

    known: Mapping[int, bool]

    def begin(self) -> None:
        """Note, at a proxy, that it is about to send its part of verdicts."""

    def keep(self, found: Mapping[int, bool]) -> None:
        """Keep, at a proxy, these verdicts; the helper is told them once this returns."""


def judged(
    party: Party,
    uploads: Sequence[Shared],
    findings: Callable[[Sequence[int]], Findings],
    verdicts: Verdicts,
) -> list[bool]:
    """For each upload, known to all three servers: whether it is sound.

    `findings` checks the uploads at these places. An upload without words is sound.
    """
    fine = [verdicts.known.get(place, True) for place in range(len(uploads))]
    asked = [
        place for place, upload in enumerate(uploads) if len(upload) and place not in verdicts.known
    ]
    if not asked:
        return fine
    found = findings(asked)
    if not party.is_helper:
        verdicts.begin()
    zero = open_zero(party, found.faults)
    if zero is not None:
        zero &= np.array(found.sound, np.uint64)
        verdicts.keep({place: bool(bit) for place, bit in zip(asked, zero, strict=True)})
    # the helper must know with which uploads the proxies go on
    for place, bit in zip(asked, tell_helper(party, zero, len(asked)), strict=True):
        fine[place] = bool(bit)
    return fine


def judging_cost(uploads: int) -> Cost:
    """The cost of `judged` for so many uploads, beside what their check takes."""
    return open_zero.cost().of(uploads) + tell_helper.cost().of(uploads)


def violations(keys: InRing, largest_key: int) -> InRing:
    """The numbers that must not be negative: words, steps down, the room above the first key."""
    return concatenate([keys, keys[:-1] - keys[1:], -keys[:1] + largest_key])


def sums_of_parts(x: Shared, lengths: Sequence[int]) -> Shared:
    """The sum of each of the consecutive parts of these lengths."""
    ends = pairwise(accumulate(lengths, initial=0))
    return concatenate(x[start:stop].sum() for start, stop in ends)


def positive_labels(party: Party, keys: Sequence[SharedNumbers]) -> Shared:
    """The number of positives of each list of keys: of words whose lowest bit is 1. One hop."""
    y = to_arithmetic(party, low_bits(concatenate(keys)))
    return sums_of_parts(y, [*map(len, keys)])


def positive_labels_cost(samples: int) -> Cost:
    """The cost of `positive_labels` for so many keys in all."""
    return to_arithmetic.cost().of(samples)


def negatives(party: Party, numbers: Sequence[SharedNumbers]) -> Shared:
    """The number of negative entries of each vector."""
    bits = is_negative(party, concatenate(numbers))
    return sums_of_parts(bits, [*map(len, numbers)])


def check_negatives(party: Party, numbers: Sequence[SharedNumbers]) -> Findings:
    """The findings on uploads of which none of these numbers must be negative."""
    return Findings([True] * len(numbers), negatives(party, numbers))


def check_negatives_cost(lengths: Sequence[int], *, narrow: bool = False) -> Cost:
    """The cost of `check_negatives` for vectors of these lengths."""
    return is_negative.cost(narrow=narrow).of(sum(lengths))


def check_lists(party: Party, lists: Sequence[SharedNumbers], *, largest_key: int) -> Findings:
    """The findings on lists that must be sorted and in range; none of them is empty."""
    return check_negatives(party, [violations(keys, largest_key) for keys in lists])


def check_cost(sizes: Sequence[int], *, narrow: bool = False) -> Cost:
    """The cost of `check_lists` for lists of these lengths."""
    # a list of n words has n, n - 1 and 1 signs
    return check_negatives_cost([2 * size for size in sizes], narrow=narrow)
