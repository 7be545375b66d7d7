"""Powers of e at shared places, against the decimal module's."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.arithmetic.exponential import Exponential, powers

OF_95_PERCENT = "5.879891953621"
RATES = ["0.01", "2.02", OF_95_PERCENT, "24.9"]


def computed(one: Exponential, places: list[int]) -> tuple[list[int], int, int]:
    """The results at these places, with the hops and bytes that they took."""

    def program(party: Party, x: Shared) -> tuple[object, int, int]:
        found = one.of(party, x)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return found, party.hops, sent

    by_role = run_local(program, share(places))
    (first, hops, _), (second, *_), _ = by_role
    values = reconstruct_wide(first.words, second.words)
    return values, hops, sum(sent for _, _, sent in by_role)


def logarithm(value: int, one: int) -> Decimal:
    return (Decimal(value) / one).ln()


@pytest.mark.parametrize(("rate", "digits"), [*product(RATES, (9, 13)), (OF_95_PERCENT, 16)])
def test_the_logarithm_is_within_its_error(rate: str, digits: int) -> None:
    one = Exponential.fitting(Fraction(rate), digits, 6)
    whole = 1 << one.bits
    rng = np.random.default_rng(digits)
    places = [0, 1, whole // 3, whole - 1, whole, *rng.integers(0, whole, 20).tolist()]
    values, _, _ = computed(one, places)
    assert values[0] == one.one
    with localcontext() as context:
        context.prec = 60
        for place, value in zip(places, values, strict=True):
            c = Decimal(rate) * place / whole
            # what is left of 4·10^-digits once x is rounded
            assert abs(logarithm(value, one.one) + c) <= 2 * Decimal(10) ** -digits
            assert 0 < value <= one.one


@pytest.mark.parametrize("rate", RATES)
def test_it_is_positive_where_the_root_is_undefined(rate: str) -> None:
    one = Exponential.fitting(Fraction(rate), 9, 6)
    [value], _, _ = computed(one, [undefined(one.bits // 6, 64)])
    assert 0 < value < one.one


def test_half_a_unit_is_half_of_the_error_at_most() -> None:
    for rate in map(Fraction, RATES):
        for digits in range(9, 17):
            one = Exponential.fitting(rate, digits, 6)
            assert one.bits % 6 == 0
            assert rate / 2 / 2**one.bits <= Fraction(2, 10**digits)
            assert one.rest >= 1
            assert one.bits <= 60


def test_its_cost_is_what_it_takes() -> None:
    one = Exponential.fitting(Fraction(OF_95_PERCENT), 12, 6)
    _, hops, payload = computed(one, [5, 6, 7])
    cost = one.cost(3)
    assert (hops, payload) == (cost.hops, cost.payload)


def test_tables_are_rounded_powers() -> None:
    found = powers(Fraction(1, 1000), 5000, 56)
    with localcontext() as context:
        context.prec = 60
        for place in (0, 1, 2, 777, 4999):
            exact = (-Decimal(place) / 1000).exp() * 2**56
            assert found[place] == exact.to_integral_value()


def test_tables_never_fall_to_zero() -> None:
    assert powers(Fraction(30), 4, 20) == [1 << 20, 1, 1, 1]
