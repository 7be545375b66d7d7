"""Zero extension of numbers below 2^31 from Z_2^32 to Z_2^64: one hop, 4.25 bytes each.

Over the integers x0 + x1 = x + 2^32·w. Since x < 2^31, the shares sum to more than 2^32 if and only
if one of them has its top bit set:

    x = x0 + x1 - 2^32·w,    w = m0 + m1 - m0·m1,    m_i the top bit of x_i.

P0 knows m0 and P1 knows m1, so their product takes one bit each way. With bits α and β that P0 and
P1 draw, and the helper knows, the proxies open d = m0 xor α and e = m1 xor β; the helper deals αβ,

    m0·m1 = e·m0 + d·(m1 - e) + (1 - 2(d xor e))·αβ,

and w is needed mod 2^32 only, as it is multiplied by 2^32. `widen` does the same from Z_2^64 to
Z_2^256; `low_half` takes any number mod 2^32, for ten times the bytes.

Nobody learns anything.

Whoever deviates: d and e are masked by bits that are read once, and what is dealt by the other's
stream, so that each proxy receives random words. A wrong d or e makes w another number, and so x by
a multiple of 2^32, which nothing shows.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.bits import columns, crop, cropped_words, pack, uncrop, unpack
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import NarrowShared, Shared
from ppaurora.mpc.words import HALF_BYTES, ColumnLayout, Halves, Words, blocks

TOP = np.uint32(31)


def _payload(n: int) -> int:
    lengths = (part.stop - part.start for part in blocks(n))
    return sum(
        8 * ColumnLayout(length, (HALF_BYTES,)).words + 16 * cropped_words(1, length)
        for length in lengths
        if length
    )


@costs(CostFunction.fixed(1, _payload))
def extend(party: Party, x: NarrowShared) -> Shared:
    """The integers 0 <= x < 2^31 of Z_2^32, in Z_2^64."""
    [extended] = over_blocks(party, _extended, x)
    return extended


def _extended(party: Party, length: int, x: Halves | None) -> Program[list[Words] | None]:
    """`extend` on one block."""
    shape, layout = (1, columns(length)), ColumnLayout(length, (HALF_BYTES,))
    if x is None:
        [(of_p0, of_p1)] = party.both_masks(shape)
        both = _numbers(of_p0 & of_p1, length)
        party.deal(add=layout.sections([both]))
        yield from in_step(1)
        return None
    top = x >> TOP
    [mine] = party.masks(shape)
    mine ^= pack(top)
    theirs = uncrop((yield crop(mine, length)), 1, length)
    [dealt] = layout.of_sections(party.dealt((layout.words,)))
    # (1 - 2f)·αβ is αβ xor -f, plus f
    f = _numbers(mine ^ theirs, length)
    wrapped = (dealt ^ np.negative(f)) + f
    if party.role is Role.P0:
        wrapped += top * _numbers(theirs, length)
    else:
        wrapped += _numbers(theirs, length) * (top - _numbers(mine, length))
    wrapped -= top
    # -w is the upper half
    words = np.empty(length, np.uint64)
    halves = words.view(np.uint32).reshape(length, 2)
    halves[:, 0], halves[:, 1] = x, wrapped
    return [words]


def _numbers(plane: Words, length: int) -> Halves:
    """The bits of a plane as numbers 0 or 1."""
    return unpack(plane.reshape(-1), length).astype(np.uint32)
