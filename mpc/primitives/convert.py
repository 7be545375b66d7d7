"""From bits shared by XOR to words shared additively: one hop.

The proxies mask a bit b by ρ = ρ0 xor ρ1, which the helper knows and deals as a word. They open
e = b xor ρ, a uniformly random bit; then b = e + (1 - 2e)·ρ. Nobody learns anything.

Whoever deviates: e0 and e1 are masked by ρ0 and ρ1, bits that are read once, and what is dealt by
the other's stream. A wrong e makes the word 1 - b in place of b, which nothing shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.bits import columns, crop, cropped_words, uncrop, unpack
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.blockwise import put_together
from ppaurora.mpc.primitives.compare import bit_share
from ppaurora.mpc.shares import Shared, SharedBits
from ppaurora.mpc.words import Words, blocks


def _to_words(party: Party, length: int, plane: Words | None) -> Program[Sequence[Words] | None]:
    """One block of bits as words."""
    shape = (1, 1, columns(length))
    if plane is None:
        [(of_p0, of_p1)] = party.both_masks(shape)
        party.deal(add=(unpack((of_p0 ^ of_p1).reshape(-1), length),))
        yield from in_step(1)
        return None
    [mine] = party.masks(shape)
    mine ^= plane
    opened = mine ^ uncrop((yield crop(mine, length)), shape, length)
    e = unpack(opened.reshape(-1), length)
    [dealt] = party.dealt((length,))
    return [bit_share(party.role, e, dealt)]


def _payload(n: int) -> int:
    return 8 * n + 16 * sum(cropped_words(1, 1, part.stop - part.start) for part in blocks(n))


@costs(CostFunction.fixed(1, _payload))
def to_arithmetic(party: Party, bits: SharedBits) -> Shared:
    """The bits as words 0 and 1."""
    length = len(bits)
    if length == 0:
        return Shared.zeros(party.role, 0)
    parts = party.lockstep(
        _to_words(
            party,
            part.stop - part.start,
            None if party.is_helper else bits.plane[part.start // 64 : columns(part.stop)],
        )
        for part in blocks(length)
    )
    return put_together(party, length, parts)[0]
