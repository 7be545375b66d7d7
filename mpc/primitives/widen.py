"""From Z_2^64 to Z_2^256, exactly: one hop, 80 bytes a number.

z = x + r is opened, r = r0 + r1 from the streams. Over the integers z = x + r or, where the sum
wraps, x + r - 2^64. For x < 2^63 it wraps if and only if r has its top bit t set and z has not:

    x = z - r + 2^64·(1 - top(z))·t,

and the helper deals r and t in Z_2^256. The proxies see uniformly random words only. The way back
costs nothing: the lowest limbs are shares mod 2^64.

Whoever deviates: z is masked by r0 and r1, which are read once, r and t are dealt beneath the
other's stream; what is received is random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.wide_blocks import over_wide_blocks
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import LIMBS, WIDE_BYTES, minus, plus, to_wide
from ppaurora.mpc.words import Words

_TOP, _ONE = np.uint64(63), np.uint64(1)


def _widen(party: Party, length: int, x: Words | None) -> Program[Sequence[Words] | None]:
    if x is None:
        _deal(party, length)
        yield from in_step(1)
        return None
    [mine] = party.masks((1, length))
    mine += x
    [z] = mine + (yield mine)
    r, t = party.dealt((LIMBS, length), (LIMBS, length))
    # x = z - r + 2^64·(1 - top(z))·t
    wrapped = np.zeros_like(t)
    wrapped[1:] = t[:-1] & ((z >> _TOP) - _ONE)
    share = minus(wrapped, r)
    return [plus(share, to_wide(z)) if party.role is Role.P0 else share]


def _deal(party: Party, length: int) -> None:
    """The helper's part: r and its top bit, mod 2^256."""
    [(of_p0, of_p1)] = party.both_masks((1, length))
    [r] = of_p0 + of_p1
    party.deal(wide=[to_wide(r), to_wide(r >> _TOP)])


@costs(Cost.fixed(1, lambda n: (16 + 2 * WIDE_BYTES) * n))
def widen(party: Party, x: Shared) -> WideShared:
    """The same integers in Z_2^256, for 0 <= x < 2^63.

    A signed x is shifted first: widen(x + 2^62) - 2^62 for |x| <= 2^62.
    """
    [wide] = over_wide_blocks(party, _widen, x)
    return wide
