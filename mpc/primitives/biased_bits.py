"""Bits that are one with a public probability, and that nobody knows: five hops, 186 bytes a bit.

P0 and P1 each draw a word u_i from a stream of their own. u = u0 + u1 mod 2^64 is uniform, even to
a party that knows one of the two, and for t <= 2^63

    [u < t] = (1 - top(u))·top(u - t),

since below 2^63 the difference does not wrap. The top bit is what `is_negative` finds of any word.
A probability above one half is that of the complement. Many take up to seven hops, 165 bytes each.

Whoever deviates: a comparison and a product, and no other message. A proxy that draws its words by
another rule, or sends others, makes the bits likelier to be what it wants and learns none of them:
the other proxy's words hide the sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ppaurora.mpc.cost import Cost, CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.compare import is_negative
from ppaurora.mpc.primitives.digit_steps import ONE
from ppaurora.mpc.primitives.multiply import multiply
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import to_words


def _cost(n: int) -> Cost:
    return is_negative.cost().of(2 * n) + multiply.cost().of(n)


@costs(CostFunction(lambda n: _cost(n).hops, lambda n: _cost(n).payload))
def biased_bits(party: Party, thresholds: ArrayLike, own: Stream | None) -> Shared:
    """For each threshold θ in 0..2^62 a bit that is one with probability θ / 2^62, exactly.

    `own` is a proxy's own stream, unknown to all others; the helper gives None. Nobody learns a
    bit: the words of one proxy alone do not make it likelier to be one or zero.
    """
    theta = to_words(thresholds).reshape(-1)
    if np.any(theta > ONE):
        raise ValueError("a threshold of biased bits that is not in 0..2^62")
    rare = theta <= ONE // 2
    t = 4 * np.where(rare, theta, ONE - theta)
    u = _drawn(party, theta.size, own)
    tops = is_negative(party, concatenate([u, u - t]))
    below = multiply(party, 1 - tops[: theta.size], tops[theta.size :])
    return below * np.where(rare, 1, -1) + np.where(rare, 0, 1)


def _drawn(party: Party, count: int, own: Stream | None) -> Shared:
    if party.is_helper:
        return Shared.absent(count)
    if own is None:
        raise LocalProtocolError("a proxy draws biased bits from a stream of its own")
    return Shared.from_words(party.role, own.words(count))
