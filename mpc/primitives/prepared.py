"""What sessions use and every process generates once: whoever imports this file has it at once.

A server does so when it starts, with all other files of the primitives. Else its first session
would take longer than the next ones.
"""

from __future__ import annotations

from ppaurora.mpc.primitives.carry import prepare_groups

COLUMNS = (1, 2)
"""How many are carried along, in all that is computed from a sorted list."""

for _count in COLUMNS:
    prepare_groups(_count)
