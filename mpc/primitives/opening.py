"""Opened words: a shared vector to both proxies, or to the helper what both know: one hop.

The proxies learn the vector that `open_words` opens. A protocol declares that as a leak, unless it
has masked the vector.

`tell_helper` takes 8 bytes a word. The helper runs the same steps as the proxies, so it must know
some of what they have opened, such as how many elements the next step has. P0 sends it; the caller
declares it as a leak to the helper.

Whoever deviates: what is opened is x plus what it adds, and it can wait for the other's part before
it says its own. Nothing masks an opening: this is what a protocol that opens anything beside
verdicts has to answer for.

In `tell_helper` the helper is told what P0 likes, and cannot know better. It deals for other sizes
then, beneath masks that are read for nothing else, and the session ends by the length of a frame or
by statements that differ. P1 receives nothing here.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


@costs(CostFunction.fixed(1, lambda n: 16 * n))
def open_words(party: Party, x: Shared) -> Words | None:
    """The words of x at P0 and P1; the helper gets None."""
    party.step()
    if party.is_helper:
        if len(x):
            party.end_round()
        return None
    if len(x) == 0:
        return x.words
    opened: Words = x.words + party.exchange(x.words)
    return opened


@costs(CostFunction.fixed(1, lambda n: 8 * n))
def tell_helper(party: Party, words: Words | None, length: int) -> Words:
    """The `length` words that both proxies gave, at all three parties; the helper gives None."""
    party.step()
    if not party.is_helper and (words is None or words.shape != (length,)):
        raise LocalProtocolError(f"the helper is to be told {length} words, which are not here")
    if length == 0:
        return np.empty(0, np.uint64)
    if party.role is Role.P0:
        assert words is not None
        party.send(Role.HELPER, Kind.TELL, words)
    party.end_round()
    if words is None:
        return party.receive(Role.P0, Kind.TELL, length)
    return words
