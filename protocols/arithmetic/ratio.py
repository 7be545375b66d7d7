"""A metric before its division: shared numerator and denominator, with a public bound."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared


@dataclass(frozen=True, slots=True)
class Ratio:
    """N / D, two vectors of one; D is at most `bound`, and 0 only where the metric is undefined."""

    N: Shared
    D: Shared
    bound: int


@dataclass(frozen=True, slots=True)
class WideRatio:
    """A numerator and a denominator shared mod 2^256."""

    N: WideShared
    D: WideShared
    bound: int
