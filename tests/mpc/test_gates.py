"""The gate computes every multilinear polynomial of masked wires, whatever the masks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ppaurora.mpc.bits import pack
from ppaurora.mpc.comparison_tree import ARITIES, MOST_BITS, digit, join
from ppaurora.mpc.gates import Addend, Gate, Masked, Plus, Polynomial, Times, Wire, chain, horner
from ppaurora.mpc.role import Role

Planes = NDArray[np.uint64]
GATES = {
    f"digit of {bits}{' less' * less}": (digit(bits, less=less), True)
    for bits in range(1, MOST_BITS + 1)
    for less in (True, False)
} | {
    f"{arity}{' less' * less}{' equal' * equal}": (join(arity, less=less, equal=equal), False)
    for arity in ARITIES
    for less, equal in ((True, True), (True, False), (False, True))
}


def truth_table(wires: int) -> Planes:
    """Every input of so many wires once: wire i of input k is bit i of k."""
    inputs = np.arange(1 << wires, dtype=np.uint64)
    return np.stack([pack(inputs >> np.uint64(wire) & np.uint64(1)) for wire in range(wires)])


def plain(polynomial: Polynomial, wires: Planes, masks: Planes) -> Planes:
    """The polynomial on unmasked wires; what it adds is `added` of them."""
    match polynomial:
        case Wire(index):
            return wires[index]
        case Addend():
            return added(wires)
        case Masked(index):
            return (wires[index] ^ masks[index]) & masks[index]
        case Times(wire, rest):
            return wires[wire] & plain(rest, wires, masks)
        case Plus(terms):
            return np.bitwise_xor.reduce([plain(term, wires, masks) for term in terms])


def added(wires: Planes) -> Planes:
    """A value to add: one that no wire has."""
    return wires[0] ^ np.roll(wires[-1], 1, axis=-1) ^ np.uint64(0x5A)


def random_like(rng: np.random.Generator, planes: Planes) -> Planes:
    return rng.integers(0, 2**64, planes.shape, np.uint64)


def through(gate: Gate, wires: Planes, masks_dealt: bool, seed: int) -> tuple[list[Planes], Planes]:
    """The gate's values from helper, opening and both proxies; and the masks."""
    rng = np.random.default_rng(seed)
    masks = random_like(rng, wires)
    dealt = gate.products(masks)
    assert dealt.shape == (gate.dealt, *wires.shape[1:])
    parts = [random_like(rng, dealt)]
    parts.append(parts[0] ^ dealt)
    own = [random_like(rng, masks)]
    own.append(own[0] ^ masks)
    addends = [random_like(rng, wires[0])]
    addends.append(addends[0] ^ added(wires))
    before = [addend.copy() for addend in addends]
    values = [
        gate.evaluate(
            role,
            wires ^ masks,
            gate.table_of(parts[role], None if masks_dealt else own[role]),
            (addends[role],),
        )
        for role in (Role.P0, Role.P1)
    ]
    assert np.array_equal(addends, before), "an addend is read, not written"
    return [a ^ b for a, b in zip(*values, strict=True)], masks


def assert_computes(
    gate: Gate, polynomials: Sequence[Polynomial], wires: Planes, masks_dealt: bool, seed: int = 0
) -> None:
    values, masks = through(gate, wires, masks_dealt, seed)
    for value, polynomial in zip(values, polynomials, strict=True):
        np.testing.assert_array_equal(value, plain(polynomial, wires, masks))


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("seed", range(5))
def test_every_gate_in_use_is_right_on_every_input(name: str, seed: int) -> None:
    gate, masks_dealt = GATES[name]
    wires = truth_table(gate.wires)
    assert_computes(gate, gate.polynomials, wires, masks_dealt, seed)
    # several gates in one evaluation
    side_by_side = np.stack([wires, wires[::-1], ~wires], axis=1)
    assert_computes(gate, gate.polynomials, side_by_side, masks_dealt, seed)


@st.composite
def polynomials(draw: st.DrawFn, wires: int, first: int = 0, depth: int = 3) -> Polynomial:
    """A polynomial of wires from `first` on: a product's wires come in order."""
    kinds = ["wire", "masked", "addend"] if not first else ["wire", "masked"]
    if depth:
        kinds += ["plus", "times"] if first < wires - 1 else ["plus"]
    kind = draw(st.sampled_from(kinds))
    if kind == "addend":
        return Addend(0)
    if kind == "times":
        wire = draw(st.integers(first, wires - 2))
        return Times(wire, draw(polynomials(wires, wire + 1, depth - 1)))
    if kind == "plus":
        count = draw(st.integers(1, 3))
        return Plus(tuple(draw(polynomials(wires, first, depth - 1)) for _ in range(count)))
    index = draw(st.integers(first, wires - 1))
    return Wire(index) if kind == "wire" else Masked(index)


@given(st.data(), st.integers(1, 6), st.booleans(), st.integers(0, 2**32))
def test_random_polynomials_are_right_on_every_input(
    data: st.DataObject, wires: int, masks_dealt: bool, seed: int
) -> None:
    several = data.draw(st.lists(polynomials(wires), min_size=1, max_size=3))
    gate = Gate(wires, several, masks_dealt=masks_dealt)
    assert_computes(gate, several, truth_table(wires), masks_dealt, seed)


@given(st.data(), st.integers(2, 6))
def test_evaluating_twice_gives_the_same(data: st.DataObject, wires: int) -> None:
    polynomial = data.draw(polynomials(wires))
    gate, table = Gate(wires, [polynomial, polynomial]), truth_table(wires)
    (first, second), _ = through(gate, table, masks_dealt=False, seed=1)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("wires", range(1, 9))
def test_a_chain_is_the_product_of_its_wires(wires: int) -> None:
    table = truth_table(wires)
    product = chain(range(wires - 1), wires - 1)
    np.testing.assert_array_equal(
        plain(product, table, np.zeros_like(table)), np.bitwise_and.reduce(table)
    )
    assert_computes(Gate(wires, [product]), [product], table, masks_dealt=False)


def test_horner_nests_sums_and_products() -> None:
    table = truth_table(5)
    p = horner([0, 1], [Wire(2), Wire(3), Wire(4)])
    w = table
    np.testing.assert_array_equal(
        plain(p, table, np.zeros_like(table)), w[2] ^ w[0] & (w[3] ^ w[1] & w[4])
    )


def test_an_addend_is_no_factor() -> None:
    with pytest.raises(ValueError, match="what is multiplied is a wire"):
        Gate(2, [Times(0, Plus((Addend(0), Wire(1))))])


def test_nothing_is_opened_or_dealt_for_an_addend() -> None:
    gate = Gate(2, [horner([0], [Addend(0), Wire(1)])])
    assert (gate.wires, gate.dealt) == (2, 1)


def test_nothing_is_dealt_that_a_gate_does_not_read() -> None:
    assert Gate(5, [chain([0, 1, 2], 3)]).dealt == 2**4 - 1 - 4
    assert Gate(5, [chain([0, 1, 2], 3)], masks_dealt=True).dealt == 2**4 - 1 + 1
    assert Gate(2, [Wire(0), Wire(1)]).dealt == 0
    assert Gate(3, [Times(0, Masked(1)), Times(0, Masked(2))]).dealt == 2


def test_tables_list_each_product_of_masks_once_in_order() -> None:
    for gate, _ in GATES.values():
        assert all(lower < higher for lower, higher in pairwise(gate.table))
        assert gate.table[0] == 1
