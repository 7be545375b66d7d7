"""The helper's deals: one proxy draws its share from a stream, the other is sent the difference.

Only the drawing proxy and the helper know that stream. So the receiver gets values xor stream, or
values minus stream, which are uniformly random to it. The proxies take turns as receivers, so that
both are sent about as many words (`Receivers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.streams import Stream, with_slack
from ppaurora.mpc.wide_words import minus
from ppaurora.mpc.words import Words

FULL_FRAME = 1 << 16
"""A frame of a deal that has so many words takes no further section. Few frames cost less, but a
proxy opens one while the helper fills the next."""


class Receivers:
    """The receiver of each deal: the proxy that was sent fewer words so far, else P1.

    A deal is what one block of one step is dealt at once. Only the sizes of deals count, and these
    are public: each party knows the receiver without being told. In large steps the blocks take
    turns, and in a row of small steps the steps.
    """

    __slots__ = ("_ahead_of_p0",)

    def __init__(self) -> None:
        self._ahead_of_p0 = 0

    def next(self, words: int) -> tuple[Role, Role]:
        """The proxy that draws its share of the next deal, of so many words, and the other one."""
        if self._ahead_of_p0 <= 0:
            self._ahead_of_p0 += words
            return Role.P0, Role.P1
        self._ahead_of_p0 -= words
        return Role.P1, Role.P0


def frames(sizes: Sequence[int]) -> list[range]:
    """The sections that travel in one frame: one after the other until it is full."""
    ranges: list[range] = []
    first = words = 0
    for section, size in enumerate(sizes, start=1):
        words += size
        if words >= FULL_FRAME or section == len(sizes):
            ranges.append(range(first, section))
            first, words = section, 0
    return ranges


def corrections(
    streams: Sequence[Stream],
    xor: Sequence[Words],
    add: Sequence[Words],
    wide: Sequence[Words],
) -> Iterator[Words]:
    """The receiver's shares of `xor` over F2, of `add` over Z_2^64 and of `wide` over Z_2^256.

    They come frame by frame; a section has a stream, which is the other proxy's share. The arrays
    are handed over: what fills a frame by itself is made the receiver's share where it lies.
    """
    whole = [*xor, *add, *wide]
    flat = [part.reshape(-1) for part in whole]
    first_wide = len(xor) + len(add)
    for frame in frames([part.size for part in flat]):
        if len(frame) == 1 and frame.start < first_wide:
            section = frame.start
            if section < len(xor):
                streams[section].blind_in_place(flat[section])
            else:
                flat[section] -= streams[section].words(flat[section].size)
            yield flat[section]
            continue
        out = with_slack(sum(flat[section].size for section in frame))
        start = 0
        for section in frame:
            part, stream = flat[section], streams[section]
            stop = start + part.size
            if section < len(xor):
                stream.blind(part, out[start:])
            elif section < first_wide:
                np.subtract(part, stream.words(part.size), out=out[start:stop])
            else:
                random = stream.array(whole[section].shape)
                out[start:stop] = minus(whole[section], random).reshape(-1)
            start = stop
        yield out[:start]
