"""Opening a shared vector to both proxies: one hop.

The proxies learn the vector. A protocol declares that as a leak, unless it has masked the vector.

Whoever deviates: what is opened is x plus what it adds, and it can wait for the other's part before
it says its own. Nothing masks an opening: this is what a protocol that opens anything beside
verdicts has to answer for.
"""

from __future__ import annotations

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


@costs(Cost.fixed(1, lambda n: 16 * n))
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
