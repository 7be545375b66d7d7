"""Tables that sessions use and every process generates once."""

from __future__ import annotations

from ppaurora.mpc.kernels.source import gate_name
from ppaurora.mpc.primitives.carry_in_few_hops import prepare_groups
from ppaurora.mpc.primitives.kernels import GATES

__all__ = ["fill_session_tables"]

COLUMNS = (1, 2)
"""Columns that are carried along, in all that is computed from a sorted list."""


def fill_session_tables() -> None:
    """Generate them now, as a server does at its start, so that its first session need not wait."""
    for gate in GATES:
        gate_name(gate)
    for count in COLUMNS:
        prepare_groups(count)
