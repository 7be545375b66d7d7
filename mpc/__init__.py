"""The runtime: three parties, secret sharing over Z_2^64 and, for few large numbers, Z_2^256, and
exact primitives with declared costs.

It knows nothing of ROC curves. `mpc.local.run_local` runs a program at all three roles in one
process; `mpc.session.open_session` runs one role over real links, which `mpc.link` opens.
"""

from __future__ import annotations

from ppaurora.mpc.party import Party, Phase
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, SharedBits, concatenate, interleave, low_bits
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide

__all__ = [
    "Party",
    "Phase",
    "Role",
    "Shared",
    "SharedBits",
    "WideShared",
    "concatenate",
    "concatenate_wide",
    "interleave",
    "low_bits",
]
