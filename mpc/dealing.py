"""What the helper sends to P1, so that it and what P0 draws from a stream are shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ppaurora.mpc.streams import Stream, with_slack
from ppaurora.mpc.wide_words import minus
from ppaurora.mpc.words import Words

LARGE_DEAL = 1 << 16
"""Words above which each section of a deal is a frame: encryption is fastest below a megabyte."""


def frames(sizes: Sequence[int]) -> list[range]:
    """The sections that travel in one frame: all of a small deal, each alone of a large one."""
    if sum(sizes) <= LARGE_DEAL:
        return [range(len(sizes))]
    return [range(section, section + 1) for section in range(len(sizes))]


def parts_of_p1(
    streams: Sequence[Stream],
    xor: Sequence[Words],
    add: Sequence[Words],
    wide: Sequence[Words],
) -> Iterator[Words]:
    """P1's shares of `xor` over F2, of `add` over Z_2^64 and of `wide` over Z_2^256, a frame each.

    A section has a stream. The arrays are handed over: what fills a frame by itself is made P1's
    share where it lies.
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
