"""The logistic function of shared numbers, against the function itself in fifty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.mpc.wide_shares import WideShared, share_wide
from ppaurora.protocols.arithmetic.logistic import Logistic

BITS = 96


def by_definition(η: Fraction, decimals: int) -> int:
    # e^-1000 is no digit of these
    η = max(Fraction(-1000), η)
    with localcontext() as context:
        context.prec = 50
        value = 1 / (1 + (-(Decimal(η.numerator) / η.denominator)).exp())
        return int((value * 10**decimals + Decimal("0.5")) // 1)


def found(numbers: list[int], decimals: int) -> tuple[list[int], int]:
    halves = share_wide(numbers)
    of = Logistic(BITS, decimals)

    def program(party: Party) -> tuple[Shared, int]:
        present = not party.is_helper
        own = (
            WideShared.from_words(party.role, halves[party.role])
            if present
            else WideShared.absent(len(numbers))
        )
        before = party.hops
        return of.of(party, own), party.hops - before

    p0, p1, _ = run_local(program)
    words: list[int] = reconstruct(p0[0].words, p1[0].words).tolist()
    return words, p1[1]


@pytest.mark.parametrize("decimals", [1, 4, 8])
def test_it_is_correctly_rounded_wherever_it_is_taken(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    η = [0, 1, -1, 30, -30, 32, -32, 33, -33, 1 << 30, -(1 << 30)]
    numbers = [one << BITS for one in η]
    numbers += [int(x * 2**60) << BITS - 60 for x in rng.normal(0, 3, 40)]
    words, hops = found(numbers, decimals)
    assert words == [by_definition(Fraction(one, 1 << BITS), decimals) for one in numbers]
    assert hops == Logistic(BITS, decimals).cost(len(numbers)).hops


def test_the_helper_deals_and_holds_nothing() -> None:
    def program(party: Party) -> int:
        if party.is_helper:
            return len(Logistic(BITS, 4).of(party, WideShared.absent(1)))
        zero = WideShared.zeros(party.role, 1)
        return len(Logistic(BITS, 4).of(party, zero))

    assert run_local(program)[Role.HELPER] == 1
