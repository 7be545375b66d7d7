"""Shared vectors of both rings: their algebra is that of the integers, and they show nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import Role, Shared, WideShared, concatenate, concatenate_wide
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import held_at
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.mpc.wide_shares import reconstruct_wide, share_wide
from ppaurora.mpc.words import Words
from tests.mpc.cases import EDGES
from tests.mpc.wide_cases import WIDE_EDGES

P0, P1, HELPER = Role
Vector = Shared | WideShared
Operation = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Kind:
    """A ring's vectors: numbers mod 2^bits, how they are shared, put together and joined."""

    vectors: type[Shared] | type[WideShared]
    bits: int
    edges: Sequence[int]
    share: Callable[[Sequence[int]], tuple[Words, Words]]
    reconstruct: Callable[[Words, Words], list[int]]
    concatenate: Callable[[Iterable[Any]], Vector]
    product: str

    @property
    def number(self) -> st.SearchStrategy[int]:
        low, high = -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        return st.one_of(st.sampled_from(self.edges), st.integers(low, high))

    def draw(self, data: st.DataObject, length: int | None = None, least: int = 1) -> list[int]:
        """A vector, of `length` or of any."""
        shortest, longest = (least, 40) if length is None else (length, length)
        return data.draw(st.lists(self.number, min_size=shortest, max_size=longest))

    def at_all(self, *values: Sequence[int]) -> list[list[Any]]:
        """The vectors as each role holds them."""
        shares = [self.share(each) for each in values]
        held = [[held_at(role, each) for each in shares] for role in Role]
        assert all(isinstance(x, self.vectors) for at_one in held for x in at_one)
        return held

    def opened(self, compute: Callable[..., Vector], *values: Sequence[int]) -> list[int]:
        """The opened results of a local computation of the three roles."""
        p0, p1, helper = (compute(*held) for held in self.at_all(*values))
        assert len(p0) == len(p1) == len(helper)
        assert not helper.present
        return self.reconstruct(p0.words, p1.words)

    def mod(self, values: Iterable[Any]) -> list[int]:
        return [int(value) % (1 << self.bits) for value in values]


def _opened(first: Words, second: Words) -> list[int]:
    return reconstruct(first, second).tolist()


KINDS = (
    Kind(Shared, 64, EDGES, share, _opened, concatenate, "primitives.multiply"),
    Kind(
        WideShared,
        256,
        WIDE_EDGES,
        share_wide,
        reconstruct_wide,
        concatenate_wide,
        "primitives.wide_multiply",
    ),
)
in_both_rings = pytest.mark.parametrize("ring", KINDS, ids=lambda ring: ring.vectors.__name__)
sums = pytest.mark.parametrize("operation", [operator.add, operator.sub])
sums_and_products = pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])


@in_both_rings
@sums
@given(data=st.data())
def test_vectors_add_and_subtract(ring: Kind, operation: Operation, data: st.DataObject) -> None:
    x = ring.draw(data, least=0)
    y = ring.draw(data, len(x))
    assert ring.opened(operation, x, y) == ring.mod(map(operation, x, y))


@in_both_rings
@sums_and_products
@given(data=st.data())
def test_public_vectors_stand_on_either_side(
    ring: Kind, operation: Operation, data: st.DataObject
) -> None:
    x = ring.draw(data, least=0)
    public = ring.draw(data, len(x))
    small = np.array([value % 2**64 for value in public], np.uint64).view(np.int64)
    for beside, values in ((public, public), (small, small.tolist())):
        after = ring.opened(lambda v, b=beside: operation(v, b), x)
        before = ring.opened(lambda v, b=beside: operation(b, v), x)
        assert after == ring.mod(map(operation, x, values))
        assert before == ring.mod(map(operation, values, x))


@in_both_rings
@sums_and_products
@given(data=st.data())
def test_public_integers_stand_on_either_side(
    ring: Kind, operation: Operation, data: st.DataObject
) -> None:
    x, public = ring.draw(data), data.draw(ring.number)
    assert ring.opened(lambda v: operation(v, public), x) == ring.mod(
        operation(a, public) for a in x
    )
    assert ring.opened(lambda v: operation(public, v), x) == ring.mod(
        operation(public, a) for a in x
    )


@in_both_rings
@given(data=st.data())
def test_negation_and_the_sum(ring: Kind, data: st.DataObject) -> None:
    x = ring.draw(data)
    assert ring.opened(operator.neg, x) == ring.mod(-a for a in x)
    assert ring.opened(ring.vectors.sum, x) == ring.mod([sum(x)])


@in_both_rings
def test_nothing_sums_to_zero(ring: Kind) -> None:
    assert ring.opened(ring.vectors.sum, []) == [0]


@in_both_rings
@given(data=st.data())
def test_slices_and_index_arrays_select_as_numpy_does(ring: Kind, data: st.DataObject) -> None:
    x = ring.draw(data)
    part = data.draw(st.slices(len(x)))
    assert ring.opened(lambda v: v[part], x) == ring.mod(x[part])
    places = data.draw(st.lists(st.integers(-len(x), len(x) - 1), max_size=20))
    selected = ring.opened(lambda v: v[np.array(places, np.int64)], x)
    assert selected == ring.mod(x[i] for i in places)
    chosen = np.array([a & 1 for a in x], np.bool_)
    assert ring.opened(lambda v: v[chosen], x) == ring.mod(a for a in x if a & 1)


@in_both_rings
@given(data=st.data())
def test_concatenation_puts_one_after_the_other(ring: Kind, data: st.DataObject) -> None:
    parts = [ring.draw(data) for _ in range(data.draw(st.integers(1, 4)))]
    together = [a for part in parts for a in part]
    assert ring.opened(lambda *vectors: ring.concatenate(vectors), *parts) == ring.mod(together)


@in_both_rings
def test_one_element_repeats(ring: Kind) -> None:
    assert ring.opened(lambda v: v.repeat(3), [-5]) == ring.mod([-5] * 3)
    for [v] in ring.at_all([1, 2]):
        with pytest.raises(LocalProtocolError):
            v.repeat(3)


@in_both_rings
@given(data=st.data())
def test_public_and_zero_vectors_are_held_by_p0(ring: Kind, data: st.DataObject) -> None:
    values = ring.draw(data)
    held = [ring.vectors.public(role, values) for role in Role]
    assert ring.reconstruct(held[P0].words, held[P1].words) == ring.mod(values)
    assert not held[P1].words.any()
    zeros = [ring.vectors.zeros(role, 3) for role in Role]
    assert ring.reconstruct(zeros[P0].words, zeros[P1].words) == [0] * 3
    assert [len(each) for each in zeros] == [3] * 3


@in_both_rings
@sums_and_products
def test_public_values_of_another_length_are_refused_at_every_role(
    ring: Kind, operation: Operation
) -> None:
    for length, public in ((1, 3), (3, 1), (0, 1), (4, 2)):
        for [v] in ring.at_all([7] * length):
            with pytest.raises(LocalProtocolError):
                operation(v, np.arange(public))
            with pytest.raises(LocalProtocolError):
                operation(list(range(public)), v)


@in_both_rings
@sums
def test_vectors_of_another_length_or_role_are_refused_at_every_role(
    ring: Kind, operation: Operation
) -> None:
    for x, longer in ring.at_all([1], [1, 2]):
        with pytest.raises(LocalProtocolError):
            operation(x, longer)
    with pytest.raises(LocalProtocolError):
        operation(ring.vectors.public(P0, [1]), ring.vectors.public(P1, [1]))


@pytest.mark.parametrize("role", Role)
def test_vectors_of_two_rings_do_not_go_together(role: Role) -> None:
    x, y = Shared.public(role, [1, 2]), WideShared.public(role, [1, 2])
    for operation in (operator.add, operator.sub):
        with pytest.raises(TypeError, match="one ring"):
            operation(x, y)
        with pytest.raises(TypeError, match="one ring"):
            operation(y, x)


@in_both_rings
@pytest.mark.parametrize("role", Role)
def test_what_needs_a_protocol_or_a_public_value_is_refused(ring: Kind, role: Role) -> None:
    [x] = ring.at_all([1, 2, 3])[role]
    with pytest.raises(TypeError, match=ring.product):
        x * x
    with pytest.raises(TypeError, match="truth"):
        bool(x)
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(TypeError):
        x[1]
    with pytest.raises(TypeError):
        x + 0.5
    with pytest.raises(TypeError):
        x * 0.5


@in_both_rings
def test_nothing_printed_shows_a_word(ring: Kind) -> None:
    for [x] in ring.at_all([1234567890123456789, 5]):
        assert repr(x) == str(x) == f"<{ring.vectors.__name__} of 2 at {x.role}>"


@in_both_rings
def test_the_helper_holds_lengths_only(ring: Kind) -> None:
    [x] = ring.at_all([1, 2, 3])[HELPER]
    assert not x.present
    with pytest.raises(LocalProtocolError, match="helper holds no words"):
        _ = x.words


@in_both_rings
def test_operations_leave_their_operands_as_they_were(ring: Kind) -> None:
    [x, y], _, _ = ring.at_all([1, 2, 3], [4, 5, 6])
    before = x.words.copy(), y.words.copy()
    for result in (x + y, x - y, -x, x + 1, 1 - x, x * 3, ring.concatenate([x, y])):
        result.words[:] = 0
    np.testing.assert_array_equal(before, (x.words, y.words))
