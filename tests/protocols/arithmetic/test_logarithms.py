"""Logarithms in fixed point, against forty digits of another program's."""

from decimal import Decimal, localcontext

import pytest

from ppaurora.protocols.arithmetic.logarithms import log_ratio, logarithms


def exact(a: int, b: int, bits: int) -> Decimal:
    with localcontext() as context:
        context.prec = 80
        return (Decimal(a) / b).ln() * (1 << bits)


@pytest.mark.parametrize(("a", "b"), [(2, 1), (3, 1), (1000, 999), (2**40, 2**40 - 7), (7, 5)])
@pytest.mark.parametrize("bits", [10, 64, 190])
def test_a_ratio_is_rounded_up_by_few_units(a: int, b: int, bits: int) -> None:
    above = log_ratio(a, b, bits) - exact(a, b, bits)
    assert 0 <= above <= 4 * (bits + 2)


def test_a_table_is_rounded_down_or_to_one_more() -> None:
    for j, found in enumerate(logarithms(400, 58), 1):
        assert abs(exact(j, 1, 58) - found) < 1
