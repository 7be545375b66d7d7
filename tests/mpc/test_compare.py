"""Comparisons at their edges: every borrow, every digit, equal values, the ends of the range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import (
    compare_exchange,
    comparison,
    is_negative,
    is_zero,
    negative_part,
    negative_times,
    where_negative,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.mpc.words import Words, as_signed
from tests.mpc.cases import EDGES, TOP, pairs, signed

word = st.one_of(st.sampled_from(EDGES), st.integers(-TOP, TOP))


def three_tests(party: Party, x: Shared) -> tuple[Shared, ...]:
    return is_negative(party, x), is_zero(party, x), negative_part(party, x)


def opened(results: Sequence[Sequence[Shared]]) -> list[NDArray[np.int64]]:
    return [
        as_signed(reconstruct(x0.words, x1.words))
        for x0, x1 in zip(results[0], results[1], strict=True)
    ]


def assert_tested(x: NDArray[np.int64], results: Sequence[Sequence[Shared]]) -> None:
    negative, zero, part = opened(results)
    np.testing.assert_array_equal(negative, x < 0)
    np.testing.assert_array_equal(zero, x == 0)
    np.testing.assert_array_equal(part, np.minimum(x, 0))


@pytest.mark.usefixtures("each_arithmetic")
def test_every_edge_under_many_masks() -> None:
    x = np.tile(np.array(EDGES, np.int64), 50)
    assert_tested(x, run_local(three_tests, share(x)))


@pytest.mark.usefixtures("each_arithmetic")
def test_zero_is_told_from_every_single_bit() -> None:
    x = np.array([0, *(1 << bit for bit in range(64))], np.uint64)
    assert open_locally(run_local(is_zero, share(x))).tolist() == [1] + [0] * 64


@pytest.mark.usefixtures("each_arithmetic")
def test_every_pair_of_edges_is_exchanged_and_chosen() -> None:
    edges = np.array([0, 1, -1, 2, -2, 15, 16, -16, 2**31, -(2**31), 2**62 - 1, 1 - 2**62])
    a, b = (axis.ravel() for axis in np.meshgrid(edges, edges))

    def program(party: Party, a: Shared, b: Shared) -> tuple[Shared, ...]:
        bit, product = negative_times(party, a, b)
        return *compare_exchange(party, a, b), bit, product, where_negative(party, a, b, a)

    larger, smaller, bit, product, chosen = opened(run_local(program, share(a), share(b)))
    np.testing.assert_array_equal(larger, np.maximum(a, b))
    np.testing.assert_array_equal(smaller, np.minimum(a, b))
    np.testing.assert_array_equal(bit, a < 0)
    np.testing.assert_array_equal(product, np.where(a < 0, b, 0))
    np.testing.assert_array_equal(chosen, np.where(a < 0, b, a))


@pytest.mark.usefixtures("each_arithmetic")
@settings(max_examples=50)
@given(st.lists(word, min_size=1, max_size=130))
def test_signs_zeros_and_negative_parts_of_any_values(values: list[int]) -> None:
    x = np.array(values, np.int64)
    assert_tested(x, run_local(three_tests, share(x)))


@pytest.mark.usefixtures("each_arithmetic")
@settings(max_examples=50)
@given(st.lists(st.tuples(word, word), min_size=1, max_size=70))
def test_exchanges_of_any_values_less_than_2_63_apart(values: list[tuple[int, int]]) -> None:
    values = [(a, b) for a, b in values if abs(a - b) <= TOP] or [(0, 0)]
    a, b = np.array(values, np.int64).T
    larger, smaller = opened(run_local(compare_exchange, share(a), share(b)))
    np.testing.assert_array_equal(larger, np.maximum(a, b))
    np.testing.assert_array_equal(smaller, np.minimum(a, b))


def with_mask(party: Party, r: Words) -> None:
    """From now on z = x + r is opened with this r: P0 draws it, P1 draws zeros."""

    def of(
        role: Role, shapes: Sequence[tuple[int, ...]], drawn: Iterator[Words]
    ) -> Iterator[Words]:
        next(drawn)
        yield (r if role is Role.P0 else np.zeros_like(r)).reshape(shapes[0]).copy()
        yield from drawn

    if party.is_helper:
        draw_both = party.both_masks

        def both_masks(*shapes: tuple[int, ...]) -> Iterator[tuple[Words, Words]]:
            drawn = list(draw_both(*shapes))
            parts = [
                of(role, shapes, iter([pair[role] for pair in drawn]))
                for role in (Role.P0, Role.P1)
            ]
            return zip(*parts, strict=True)

        party.both_masks = both_masks  # type: ignore[method-assign]
    else:
        draw = party.masks
        party.masks = lambda *shapes: of(party.role, shapes, draw(*shapes))  # type: ignore


def masked_by_the_chosen() -> tuple[NDArray[np.int64], Words]:
    """x and r such that z = x + r and r are alike but for what the comparison must notice."""
    patterns = [0, 2**64 - 1, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 2**63, 2**63 - 1]
    wanted = []
    for r in patterns:
        # all bits equal but some next to each other, in one digit or in two; all bits equal
        wanted += [(r ^ bits << place, r) for place in range(61) for bits in range(16)]
    for bit in range(64):
        # a borrow starts at this bit and runs to the top, or is stopped at the next one
        wanted += [((1 << bit) - 1, 1 << bit), (1 << bit, (1 << bit) - 1)]
        wanted += [(2**64 - 1 - (1 << bit), 2**64 - 1), (2**64 - 1, 2**64 - 1 - (1 << bit))]
        wanted += [(2 << bit & 2**64 - 1, 1 << bit), (0, 1 << bit), (1 << bit, 0)]
    z, r = np.array(wanted, np.uint64).T
    x = as_signed(z - r)
    inside = x != -(2**63)
    return x[inside], r[inside]


@pytest.mark.usefixtures("each_arithmetic")
@pytest.mark.parametrize("layers", [2, 3, 4])
def test_every_borrow_and_every_digit_against_chosen_masks(
    layers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, r = masked_by_the_chosen()
    # as so many numbers are compared in two layers, in three where a hop costs less, and in four
    # where it costs nothing
    hop = {2: comparison.HOP_BITS, 3: 40 * x.size, 4: 0}[layers]
    monkeypatch.setattr(comparison, "HOP_BITS", hop)
    assert len(comparison.NEGATIVE.of(x.size).tree.arities) == layers

    def program(party: Party, x: Shared) -> tuple[Shared, ...]:
        with_mask(party, r)
        return three_tests(party, x)

    assert_tested(x, run_local(program, share(x)))


def test_the_chosen_masks_are_those_in_use() -> None:
    sent = {}

    def program(party: Party, x: Shared) -> Shared:
        with_mask(party, np.array([4711], np.uint64))
        if party.role is Role.P0:
            send = party.send
            party.send = lambda *frame: (sent.setdefault("z0", frame[2].copy()), send(*frame))  # type: ignore
        return is_negative(party, x)

    shares = share([5])
    run_local(program, shares)
    assert sent["z0"].ravel().tolist() == [(int(shares[0][0]) + 4711) % 2**64]


@pytest.mark.slow
def test_more_than_ten_million_random_and_structured_pairs_without_one_error() -> None:
    rng = np.random.default_rng(20)
    for number in range(11):
        n = (1 << 20) + number
        a, b = pairs(rng, n)
        if number % 2:  # close together, often equal
            b = rng.integers(-(2**61), 2**61, n)
            a = b + (rng.integers(-2, 3, n) << rng.integers(0, 60, n))
        larger, smaller = opened(run_local(compare_exchange, share(a), share(b)))
        assert np.array_equal(larger, np.maximum(a, b))
        assert np.array_equal(smaller, np.minimum(a, b))


@pytest.mark.slow
def test_a_million_signs_and_zeros_without_one_error() -> None:
    x = signed(np.random.default_rng(21), (1 << 20) + 1)
    assert np.array_equal(open_locally(run_local(is_negative, share(x))), x < 0)
    assert np.array_equal(open_locally(run_local(is_zero, share(x))), x == 0)
