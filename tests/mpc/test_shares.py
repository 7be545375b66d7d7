"""Share vectors: their algebra is that of the integers mod 2^64, and they show nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import Role, Shared, SharedBits, concatenate, interleave, low_bits
from ppaurora.mpc.bits import unpack
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.sharing import reconstruct, share, shared_at
from tests.mpc.cases import EDGES

word = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1))
two_vectors = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[st.lists(word, min_size=n, max_size=n)] * 2)
)
vector = st.lists(word, min_size=1, max_size=150)
P0, P1, HELPER = Role


def at_all(*values: list[int]) -> list[list[Shared]]:
    """What each role holds of the vectors."""
    shares = [share(each) for each in values]
    return [[shared_at(role, each) for each in shares] for role in Role]


def opened(compute: Callable[..., Shared], *values: list[int]) -> list[int]:
    """What the three roles' results of a local computation make."""
    p0, p1, helper = (compute(*held) for held in at_all(*values))
    assert len(p0) == len(p1) == len(helper)
    assert not helper.present
    return reconstruct(p0.words, p1.words).tolist()


def mod(values: Any) -> list[int]:
    return [int(value) % 2**64 for value in values]


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
    x, public = vectors[0], np.array(vectors[1], np.int64)
    assert opened(lambda v: operation(v, public), x) == mod(map(operation, x, vectors[1]))
    assert opened(lambda v: operation(public, v), x) == mod(map(operation, vectors[1], x))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
@given(x=vector, public=word)
def test_public_integers_stand_on_either_side(
    operation: Callable[[Any, Any], Any], x: list[int], public: int
) -> None:
    assert opened(lambda v: operation(v, public), x) == mod(operation(a, public) for a in x)
    assert opened(lambda v: operation(public, v), x) == mod(operation(public, a) for a in x)


@given(vector)
def test_negation_sums_and_running_sums(x: list[int]) -> None:
    assert opened(operator.neg, x) == mod(-a for a in x)
    assert opened(Shared.sum, x) == mod([sum(x)])
    assert opened(Shared.cumsum, x) == mod(sum(x[: i + 1]) for i in range(len(x)))


def test_nothing_sums_to_zero() -> None:
    assert opened(Shared.sum, []) == [0]
    assert opened(Shared.cumsum, []) == []


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
    assert opened(lambda *vectors: concatenate(vectors), *parts) == mod(together)


@pytest.mark.parametrize(("evens", "odds"), [(0, 0), (1, 0), (1, 1), (2, 1), (50, 50), (51, 50)])
def test_interleaving_alternates(evens: int, odds: int) -> None:
    whole = list(range(100, 100 + evens + odds))
    assert opened(interleave, whole[0::2], whole[1::2]) == whole


def test_one_element_repeats() -> None:
    assert opened(lambda v: v.repeat(3), [-5]) == mod([-5] * 3)
    for [v] in at_all([1, 2]):
        with pytest.raises(LocalProtocolError):
            v.repeat(3)


@given(vector)
def test_public_and_zero_vectors_are_held_by_p0(values: list[int]) -> None:
    held = [Shared.public(role, values) for role in Role]
    assert held[P0].words.tolist() == mod(values)
    assert not held[P1].words.any()
    assert reconstruct(*(Shared.zeros(role, 3).words for role in (P0, P1))).tolist() == [0] * 3
    assert len(Shared.zeros(HELPER, 3)) == 3


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_public_values_of_another_length_are_refused_at_every_role(
    operation: Callable[[Any, Any], Any],
) -> None:
    for length, public in ((1, 3), (3, 1), (0, 1), (4, 2)):
        for [v] in at_all([7] * length):
            with pytest.raises(LocalProtocolError):
                operation(v, np.arange(public))
            with pytest.raises(LocalProtocolError):
                operation(np.arange(public), v)


@pytest.mark.parametrize("operation", [operator.add, operator.sub])
def test_vectors_of_another_length_or_role_are_refused_at_every_role(
    operation: Callable[[Any, Any], Any],
) -> None:
    for x, longer in at_all([1], [1, 2]):
        with pytest.raises(LocalProtocolError):
            operation(x, longer)
    with pytest.raises(LocalProtocolError):
        operation(Shared.public(P0, [1]), Shared.public(P1, [1]))


@pytest.mark.parametrize("role", Role)
def test_what_needs_a_protocol_or_a_public_value_is_refused(role: Role) -> None:
    x = shared_at(role, share([1, 2, 3]))
    with pytest.raises(TypeError, match="multiply"):
        x * x
    with pytest.raises(TypeError, match="truth"):
        bool(x)
    with pytest.raises(TypeError, match="truth"):
        assert low_bits(x)
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
        bits = low_bits(x)
        assert repr(x) == str(x) == f"<Shared of 2 at {x.role}>"
        assert repr(bits) == str(bits) == f"<SharedBits of 2 at {x.role}>"


def test_the_helper_holds_lengths_only() -> None:
    x = shared_at(HELPER, share([1, 2, 3]))
    assert not x.present
    for hidden in (lambda: x.words, lambda: low_bits(x).plane):
        with pytest.raises(LocalProtocolError, match="helper holds no words"):
            hidden()


def test_operations_leave_their_operands_as_they_were() -> None:
    [x, y], _, _ = at_all([1, 2, 3], [4, 5, 6])
    before = x.words.copy(), y.words.copy()
    for result in (x + y, x - y, -x, x + 1, 1 - x, x * 3, x.cumsum(), concatenate([x, y])):
        result.words[:] = 0
    np.testing.assert_array_equal(before, (x.words, y.words))


# -- bits ------------------------------------------------------------------------------------------


def bits_of(compute: Callable[..., SharedBits], *values: list[int]) -> list[int]:
    """What the roles' low bits make after a local computation."""
    p0, p1, helper = (compute(*map(low_bits, held)) for held in at_all(*values))
    assert len(p0) == len(p1) == len(helper)
    return unpack(p0.plane ^ p1.plane, len(p0)).tolist()


@given(vector)
def test_low_bits_of_shares_make_the_low_bit(x: list[int]) -> None:
    assert bits_of(lambda b: b, x) == [a & 1 for a in x]


@given(two_vectors)
def test_bits_add_and_complement(vectors: tuple[list[int], list[int]]) -> None:
    x, y = vectors
    assert bits_of(operator.xor, x, y) == [(a ^ b) & 1 for a, b in zip(x, y, strict=True)]
    assert bits_of(operator.invert, x) == [1 - (a & 1) for a in x]


@given(vector, st.data())
def test_bits_are_selected_as_vectors_are(x: list[int], data: st.DataObject) -> None:
    part = data.draw(st.slices(len(x)))
    assert bits_of(lambda b: b[part], x) == [a & 1 for a in x[part]]
    places = data.draw(st.lists(st.integers(0, len(x) - 1), max_size=99))
    assert bits_of(lambda b: b[np.array(places, np.int64)], x) == [x[i] & 1 for i in places]


def test_complemented_padding_never_becomes_a_bit() -> None:
    assert (
        bits_of(lambda b: (~b)[np.arange(3).repeat(30)], [0, 1, 0])
        == [1] * 30 + [0] * 30 + [1] * 30
    )


def test_bits_of_another_length_or_a_wrong_plane_are_refused() -> None:
    for x, longer in at_all([1], [1, 2]):
        with pytest.raises(LocalProtocolError):
            low_bits(x) ^ low_bits(longer)
    with pytest.raises(LocalProtocolError, match="2 words do not hold 64 bits"):
        SharedBits(P0, np.zeros(2, np.uint64), 64)
