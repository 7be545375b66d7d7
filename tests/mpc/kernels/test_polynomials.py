"""Products and polynomials in fixed point: those of integers, in C and by numpy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest

from ppaurora.mpc.kernels.library import without_library
from ppaurora.mpc.kernels.polynomials import UNIT_BITS, polynomials, scaled_product

ONE = 1 << UNIT_BITS
EDGES = [0, 1, -1, 2**31 - 1, 2**31, -(2**31), ONE - 1, ONE, -ONE, 1 - ONE]


@pytest.fixture(params=["library", "numpy"], autouse=True)
def arithmetic(request: pytest.FixtureRequest) -> Iterator[None]:
    with without_library() if request.param == "numpy" else nullcontext():
        yield


def drawn(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-ONE, ONE, shape, endpoint=True)


def test_products_are_those_of_integers_rounded_down() -> None:
    rng = np.random.default_rng(1)
    a = np.concatenate([np.repeat(EDGES, len(EDGES)), drawn(rng, 1000)])
    b = np.concatenate([np.tile(EDGES, len(EDGES)), drawn(rng, 1000)])
    expected = [one * other >> UNIT_BITS for one, other in zip(a.tolist(), b.tolist(), strict=True)]
    assert scaled_product(a, b).tolist() == expected
    assert scaled_product(a[::3], b[::3]).tolist() == expected[::3]
    assert scaled_product(a.reshape(2, -1), b.reshape(2, -1)).ravel().tolist() == expected
    assert scaled_product(a, b[:1]).tolist() == [one * int(b[0]) >> UNIT_BITS for one in a.tolist()]
    assert scaled_product(a[:0], b[:0]).size == 0


@pytest.mark.parametrize("terms", [1, 2, 13])
@pytest.mark.parametrize("shape", [(0,), (1,), (257,), (3, 40)])
def test_each_number_has_the_polynomial_of_its_row(terms: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(terms)
    coefficients = drawn(rng, 29, terms) // terms
    rows, x = rng.integers(0, 29, shape), np.abs(drawn(rng, *shape))
    found = polynomials(coefficients, rows, x)
    assert found.shape == shape
    for row, at, value in zip(rows.flat, x.flat, found.flat, strict=True):
        expected = 0
        for own in reversed(coefficients[row].tolist()):
            expected = (expected * int(at) >> UNIT_BITS) + own
        assert value == expected
