"""The straight pieces of the ROC curve, one for each group of tied scores."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.shares import Shared


@dataclass(frozen=True, slots=True)
class Pieces:
    """From (F0, T0) to (F1, T1) wherever con = 1, with the sizes of both classes.

    F and T are the negatives and the positives before the group and with it.
    """

    con: Shared
    F0: Shared
    F1: Shared
    T0: Shared
    T1: Shared
    P: Shared
    N: Shared

    def backwards(self) -> Pieces:
        """Backwards and with the classes exchanged: F becomes P - T, and T becomes N - F."""
        all_P, all_N = self.P.repeat(len(self.con)), self.N.repeat(len(self.con))
        return Pieces(
            self.con,
            all_P - self.T1,
            all_P - self.T0,
            all_N - self.F1,
            all_N - self.F0,
            self.N,
            self.P,
        )
