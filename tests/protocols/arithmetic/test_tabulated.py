"""Tabulated functions against decimals, at the ends, between and beyond; the products beneath."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest

from ppaurora.mpc.kernels.polynomials import scaled_product
from ppaurora.protocols.arithmetic.normal import density_and_tails
from ppaurora.protocols.arithmetic.tabulated import (
    LARGEST_RATIO,
    NORMAL_END,
    ONE,
    PLACE_BITS,
    SIGMOID_END,
    FixedFunction,
    falling_sigmoid,
    in_line,
    normal_functions,
    whole_covariates,
)

Exact = Callable[[Decimal], Decimal]


def tail(x: Decimal) -> Decimal:
    return density_and_tails(x, 40)[2]


def ratio(x: Decimal) -> Decimal:
    density, below, above = density_and_tails(x, 40)
    return density / (below * above)


def weight(x: Decimal) -> Decimal:
    return ratio(x) * density_and_tails(x, 40)[0]


FUNCTIONS = [
    (falling_sigmoid, SIGMOID_END, lambda x: 1 / (1 + x.exp())),
    (lambda: normal_functions()[0], NORMAL_END, tail),
    (lambda: normal_functions()[1], NORMAL_END, lambda x: ratio(x) / LARGEST_RATIO),
    (lambda: normal_functions()[2], NORMAL_END, weight),
]


@pytest.mark.parametrize(("of", "end", "exact"), FUNCTIONS, ids=["sigmoid", "tail", "a", "a·φ"])
def test_a_function_is_right_to_two_to_the_minus_57(
    of: Callable[[], FixedFunction], end: int, exact: Exact
) -> None:
    places = np.random.default_rng(1).integers(0, end << PLACE_BITS, 300)
    places = np.append(places, [0, 1, (1 << PLACE_BITS) - 1, end << PLACE_BITS])
    with localcontext() as context:
        context.prec = 60
        for place, value in zip(places.tolist(), of()(places).tolist(), strict=True):
            expected = exact(Decimal(place) / (1 << PLACE_BITS)) * ONE
            assert abs(value - expected) < 1 << 5
    assert (of()(-places) == of()(places)).all()
    assert of()(np.array([(end + 500) << PLACE_BITS])) == of()(np.array([end << PLACE_BITS]))


def test_products_of_the_largest_numbers_are_exact() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-ONE, ONE, (2, 2000), endpoint=True)
    a[:4], b[:4] = (ONE, -ONE, ONE, -ONE), (ONE, ONE, -ONE, -ONE)
    products = [x * y >> 62 for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert scaled_product(a, b).tolist() == products


def test_places_are_in_line() -> None:
    x = [Decimal(k) / 7 for k in range(-70, 71, 3)]
    for intercept, slope in ((50, 50), (-50, 50), (0, 1), (-3, -50)):
        found = in_line(whole_covariates(x), intercept << 40, slope << 40).tolist()
        for one, place in zip(x, found, strict=True):
            assert abs(place - (intercept + slope * one) * (1 << PLACE_BITS)) < 2
