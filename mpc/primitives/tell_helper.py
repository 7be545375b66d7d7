"""Telling the helper what both proxies know: one hop, 8 bytes a word.

The helper runs the same steps as the proxies, so it must know some of what they have opened, such
as how many elements the next step has. P0 sends it; the caller declares it as a leak to the helper.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words


@costs(Cost.fixed(1, lambda n: 8 * n))
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
