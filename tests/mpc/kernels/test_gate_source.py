"""The statements that are made of a gate: how many there are."""

from __future__ import annotations

import pytest

from ppaurora.mpc.gates import Gate
from ppaurora.mpc.kernels.gate_source import values_text
from ppaurora.mpc.primitives.comparison import NEGATIVE


@pytest.mark.parametrize(("gate", "operations"), [(NEGATIVE.leaf, 37), (NEGATIVE.join, 63)])
def test_products_of_wires_that_several_terms_have_are_computed_once(
    gate: Gate, operations: int
) -> None:
    text = values_text(gate)
    assert text.count("&") + text.count("^") == operations
