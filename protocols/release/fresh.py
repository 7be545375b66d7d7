"""Fresh shares of what is released.

A share of a result that a proxy has computed still holds what it was computed from: P0's is a sum
of terms e + (1 - 2e)·λ0 whose λ0 the helper dealt. The helper and a receiver, who sees both shares,
would read the digits before their carry from it. So P0 adds and P1 subtracts a stream that only
they share: what leaves them is uniformly random but for its sum. No message.
"""

from __future__ import annotations

from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared

STREAM = "released"


def freshly_shared(party: Party, x: Shared) -> Shared:
    """The same secret words in new shares; call it once for each vector that is released."""
    party.step()
    if party.is_helper:
        return x
    mask = party.common(party.unique_name(STREAM)).words(len(x))
    words = x.words + mask if party.role is Role.P0 else x.words - mask
    return Shared.from_words(party.role, words)
