"""The labels of the sorted list, the positives up to each place, and the numbers of both classes.

The sorted keys are descending, and within equal scores the positives come first. Nobody learns
anything. One hop.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import to_arithmetic
from ppaurora.mpc.shares import Shared, low_bits


@dataclass(frozen=True, slots=True)
class Labels:
    """y, TP_j = the positives up to j, P = the positives and N = the negatives in all."""

    y: Shared
    TP: Shared
    P: Shared
    N: Shared


def labels(party: Party, keys: Shared) -> Labels:
    """The lowest bits of the sorted keys, as words."""
    y = to_arithmetic(party, low_bits(keys))
    TP = y.cumsum()
    P = TP[-1:]
    return Labels(y, TP, P, len(y) - P)


def labels_cost(n: int) -> Cost:
    """The cost of `labels` for n samples."""
    return to_arithmetic.cost().of(n)
