"""The verdict on each upload: one bit, opened to the proxies, kept, then told to the helper.

A pipeline's check counts the faults of each upload without showing them (`Findings`); here it is
opened whether the count is zero. This is the only number of the lists that a computation opens by
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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_zero, tell_helper
from ppaurora.mpc.shares import Shared

__all__ = ["Findings", "Verdicts", "judged", "judging_cost"]


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
