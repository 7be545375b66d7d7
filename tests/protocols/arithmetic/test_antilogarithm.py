"""The antilogarithm of shared numbers, against the function itself in fifty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.mpc.wide_shares import WideShared, share_wide
from ppaurora.protocols.arithmetic.antilogarithm import Antilogarithm

BITS, TENS = 96, 2


def by_definition(x: Fraction, decimals: int) -> int:
    with localcontext() as context:
        context.prec = 50
        # e^-1000 is no digit of these, and e^5 is above 100
        cut = min(max(x, Fraction(-1000)), Fraction(5))
        value = min((Decimal(cut.numerator) / cut.denominator).exp(), Decimal(100))
        return int((value * 10**decimals + Decimal("0.5")) // 1)


@pytest.mark.parametrize("decimals", [1, 4, 8])
def test_it_is_correctly_rounded_up_to_its_largest_value(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    numbers = [one << BITS for one in (0, 1, -1, 4, 5, 33, -27, -28, -33, 1 << 30, -(1 << 30))]
    numbers += [int(x * 2**60) << BITS - 60 for x in rng.normal(0, 2, 40)]
    halves = share_wide(numbers)
    of = Antilogarithm(BITS, TENS, decimals)

    def program(party: Party) -> tuple[Shared, int]:
        own = WideShared.absent(len(numbers))
        if not party.is_helper:
            own = WideShared.from_words(party.role, halves[party.role])
        before = party.hops
        return of.of(party, own), party.hops - before

    p0, p1, _ = run_local(program)
    words = reconstruct(p0[0].words, p1[0].words).tolist()
    assert words == [by_definition(Fraction(one, 1 << BITS), decimals) for one in numbers]
    assert p1[1] == of.cost(len(numbers)).hops
