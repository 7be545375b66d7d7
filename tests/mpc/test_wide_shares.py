"""Wide share vectors: their algebra is that of the integers mod 2^256, and they show nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import Party, Role, Shared, WideShared, concatenate_wide
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.sharing import reconstruct, share
from ppaurora.mpc.wide_sharing import held_at, reconstruct_wide, share_wide
from ppaurora.mpc.wide_words import to_wide
from ppaurora.mpc.words import Words
from tests.mpc.wide_cases import WIDE_EDGES

P0, P1, HELPER = Role
number = st.one_of(st.sampled_from(WIDE_EDGES), st.integers(-(2**255), 2**255 - 1))
vector = st.lists(number, min_size=1, max_size=40)
two_vectors = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[st.lists(number, min_size=n, max_size=n)] * 2)
)


def at_all(*values: Sequence[int]) -> list[list[WideShared]]:
    """What each role holds of the vectors."""
    shares = [share_wide(each) for each in values]
    held = [[held_at(role, each) for each in shares] for role in Role]
    assert all(isinstance(x, WideShared) for at_one in held for x in at_one)
    return held  # type: ignore[return-value]


def opened(compute: Callable[..., WideShared], *values: Sequence[int]) -> list[int]:
    """What the three roles' results of a local computation make."""
    p0, p1, helper = (compute(*held) for held in at_all(*values))
    assert len(p0) == len(p1) == len(helper)
    assert not helper.present
    return reconstruct_wide(p0.words, p1.words)


def mod(values: Any) -> list[int]:
    return [int(value) % 2**256 for value in values]


@pytest.mark.parametrize("operation", [operator.add, operator.sub])
@given(vectors=two_vectors)
def test_vectors_add_and_subtract(
    operation: Callable[[Any, Any], Any], vectors: tuple[list[int], list[int]]
) -> None:
    assert opened(operation, *vectors) == mod(map(operation, *vectors))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
@given(vectors=two_vectors)
def test_public_vectors_stand_on_either_side(
    operation: Callable[[Any, Any], Any], vectors: tuple[list[int], list[int]]
) -> None:
    x, public = vectors
    assert opened(lambda v: operation(v, public), x) == mod(map(operation, x, public))
    assert opened(lambda v: operation(public, v), x) == mod(map(operation, public, x))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
@given(x=vector, public=number)
def test_public_integers_stand_on_either_side(
    operation: Callable[[Any, Any], Any], x: list[int], public: int
) -> None:
    assert opened(lambda v: operation(v, public), x) == mod(operation(a, public) for a in x)
    assert opened(lambda v: operation(public, v), x) == mod(operation(public, a) for a in x)


def test_public_arrays_stand_on_either_side() -> None:
    public = np.array([3, -4], np.int64)
    assert opened(lambda v: v + public, [2**200, 1]) == mod([2**200 + 3, -3])
    assert opened(lambda v: public * v, [2**200, 1]) == mod([3 * 2**200, -4])


@given(vector)
def test_negation_and_the_sum(x: list[int]) -> None:
    assert opened(operator.neg, x) == mod(-a for a in x)
    assert opened(WideShared.sum, x) == mod([sum(x)])


def test_nothing_sums_to_zero() -> None:
    assert opened(WideShared.sum, []) == [0]


@given(vector, st.data())
def test_slices_and_index_arrays_select_as_numpy_does(x: list[int], data: st.DataObject) -> None:
    part = data.draw(st.slices(len(x)))
    assert opened(lambda v: v[part], x) == mod(x[part])
    places = data.draw(st.lists(st.integers(-len(x), len(x) - 1), max_size=20))
    assert opened(lambda v: v[np.array(places, np.int64)], x) == mod(x[i] for i in places)
    chosen = np.array([a & 1 for a in x], np.bool_)
    assert opened(lambda v: v[chosen], x) == mod(a for a in x if a & 1)


@given(st.lists(vector, min_size=1, max_size=4))
def test_concatenation_puts_one_after_the_other(parts: list[list[int]]) -> None:
    together = [a for part in parts for a in part]
    assert opened(lambda *vectors: concatenate_wide(vectors), *parts) == mod(together)


def test_one_element_repeats() -> None:
    assert opened(lambda v: v.repeat(3), [-5]) == mod([-5] * 3)
    for [v] in at_all([1, 2]):
        with pytest.raises(LocalProtocolError):
            v.repeat(3)


@given(vector)
def test_the_lowest_limbs_are_shares_of_the_numbers_mod_2_64(x: list[int]) -> None:
    p0, p1, helper = (v.low() for [v] in at_all(x))
    assert all(isinstance(part, Shared) for part in (p0, p1, helper))
    assert reconstruct(p0.words, p1.words).tolist() == [a % 2**64 for a in x]
    assert len(helper) == len(x)


@given(vector)
def test_public_and_zero_vectors_are_held_by_p0(values: list[int]) -> None:
    held = [WideShared.public(role, values) for role in Role]
    assert reconstruct_wide(held[P0].words, held[P1].words) == mod(values)
    assert not held[P1].words.any()
    zeros = [WideShared.zeros(role, 3) for role in Role]
    assert reconstruct_wide(zeros[P0].words, zeros[P1].words) == [0] * 3
    assert [len(each) for each in zeros] == [3] * 3


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_public_values_of_another_length_are_refused_at_every_role(
    operation: Callable[[Any, Any], Any],
) -> None:
    for length, public in ((1, 3), (3, 1), (0, 1), (4, 2)):
        for [v] in at_all([7] * length):
            with pytest.raises(LocalProtocolError):
                operation(v, np.arange(public))
            with pytest.raises(LocalProtocolError):
                operation(list(range(public)), v)


@pytest.mark.parametrize("operation", [operator.add, operator.sub])
def test_vectors_of_another_length_or_role_are_refused_at_every_role(
    operation: Callable[[Any, Any], Any],
) -> None:
    for x, longer in at_all([1], [1, 2]):
        with pytest.raises(LocalProtocolError):
            operation(x, longer)
    with pytest.raises(LocalProtocolError):
        operation(WideShared.public(P0, [1]), WideShared.public(P1, [1]))


@pytest.mark.parametrize("role", Role)
def test_what_needs_a_protocol_or_a_public_value_is_refused(role: Role) -> None:
    [x] = at_all([1, 2, 3])[role]
    with pytest.raises(TypeError, match="wide_multiply"):
        x * x
    with pytest.raises(TypeError, match="truth"):
        bool(x)
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(TypeError):
        x[1]  # type: ignore[index]
    with pytest.raises(TypeError):
        x + 0.5
    with pytest.raises(TypeError):
        x * 0.5


def test_nothing_printed_shows_a_word() -> None:
    for [x] in at_all([1234567890123456789, 5]):
        assert repr(x) == str(x) == f"<WideShared of 2 at {x.role}>"


def test_the_helper_holds_lengths_only() -> None:
    [x] = at_all([1, 2, 3])[HELPER]
    assert not x.present
    with pytest.raises(LocalProtocolError, match="helper holds no words"):
        _ = x.words


def test_words_of_another_shape_are_refused() -> None:
    with pytest.raises(LocalProtocolError, match="3 wide numbers in words of shape"):
        WideShared(P0, np.zeros(3, np.uint64), 3)


def test_operations_leave_their_operands_as_they_were() -> None:
    [x, y], _, _ = at_all([1, 2, 3], [4, 5, 6])
    before = x.words.copy(), y.words.copy()
    for result in (x + y, x - y, -x, x + 1, 1 - x, x * 3, concatenate_wide([x, y])):
        result.words[:] = 0
    np.testing.assert_array_equal(before, (x.words, y.words))


def test_what_is_dealt_wide_makes_the_numbers_behind_all_words() -> None:
    bits, sums = np.array([5], np.uint64), np.array([7, 8], np.uint64)
    numbers = [0, 1, 2**255, 2**256 - 1]

    def program(party: Party) -> list[Words]:
        party.step()
        if party.is_helper:
            party.deal(xor=[bits], add=[sums], wide=[to_wide(numbers).reshape(4, 2, 2)])
            return []
        return list(party.dealt((1,), (2,), (4, 2, 2)))

    p0, p1, _ = run_local(program)
    np.testing.assert_array_equal(p0[0] ^ p1[0], bits)
    np.testing.assert_array_equal(p0[1] + p1[1], sums)
    assert reconstruct_wide(*(at[2].reshape(4, 4) for at in (p0, p1))) == numbers


def test_runs_take_words_and_wide_numbers_as_inputs() -> None:
    def program(party: Party, x: Shared, y: WideShared) -> WideShared:
        assert isinstance(x, Shared)
        assert isinstance(y, WideShared)
        return y * 3

    p0, p1, helper = run_local(program, share([1]), share_wide([2**200, 5]))
    assert reconstruct_wide(p0.words, p1.words) == [3 * 2**200, 15]
    assert len(helper) == 2


@given(x=st.lists(st.integers(0, 2**180), min_size=1, max_size=20), bits=st.integers(0, 255))
def test_scaling_down_is_off_by_at_most_one(x: list[int], bits: int) -> None:
    found = opened(lambda v: v.scaled_down(bits), x)
    assert all(0 <= one - (value >> bits) <= 1 for one, value in zip(found, x, strict=True))


def test_zero_and_public_numbers_are_scaled_down_exactly() -> None:
    assert opened(lambda v: v.scaled_down(100), [0] * 50) == [0] * 50
    p0, p1 = (WideShared.public(role, [7 << 100, 5]).scaled_down(100) for role in (P0, P1))
    assert reconstruct_wide(p0.words, p1.words) == [7, 0]
