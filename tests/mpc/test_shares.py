"""Vectors of words beyond the algebra of `test_shared_vector`, and shared bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import Role, Shared, SharedBits, interleave, low_bits
from ppaurora.mpc.bits import unpack
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.shares import reconstruct, share, shared_at
from ppaurora.mpc.words import as_signed
from tests.mpc.cases import EDGES

word = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1))
two_vectors = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[st.lists(word, min_size=n, max_size=n)] * 2)
)
vector = st.lists(word, min_size=1, max_size=150)
P0, P1, HELPER = Role


def at_all(*values: list[int]) -> list[list[Shared]]:
    """The vectors as each role holds them."""
    shares = [share(each) for each in values]
    return [[shared_at(role, each) for each in shares] for role in Role]


def opened(compute: Callable[..., Shared], *values: list[int]) -> list[int]:
    """The opened results of a local computation of the three roles."""
    p0, p1, helper = (compute(*held) for held in at_all(*values))
    assert len(p0) == len(p1) == len(helper)
    assert not helper.present
    return reconstruct(p0.words, p1.words).tolist()


def mod(values: Any) -> list[int]:
    return [int(value) % 2**64 for value in values]


@given(vector)
def test_running_sums_are_those_of_the_first_elements(x: list[int]) -> None:
    assert opened(Shared.cumsum, x) == mod(sum(x[: i + 1]) for i in range(len(x)))
    assert opened(Shared.cumsum, []) == []


@pytest.mark.parametrize(("evens", "odds"), [(0, 0), (1, 0), (1, 1), (2, 1), (50, 50), (51, 50)])
def test_interleaving_alternates(evens: int, odds: int) -> None:
    whole = list(range(100, 100 + evens + odds))
    assert opened(interleave, whole[0::2], whole[1::2]) == whole


# -- bits ------------------------------------------------------------------------------------------


def bits_of(compute: Callable[..., SharedBits], *values: list[int]) -> list[int]:
    """The opened low bits after a local computation."""
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


@pytest.mark.parametrize("role", Role)
def test_bits_show_nothing(role: Role) -> None:
    bits = low_bits(shared_at(role, share([1, 0, 1])))
    assert repr(bits) == str(bits) == f"<SharedBits of 3 at {role}>"
    with pytest.raises(TypeError, match="truth"):
        bool(bits)
    with pytest.raises(TypeError):
        hash(bits)
    if role is HELPER:
        with pytest.raises(LocalProtocolError, match="helper holds no words"):
            _ = bits.plane


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_shares_make_the_values(values: list[int]) -> None:
    assert as_signed(reconstruct(*share(values))).tolist() == values


def test_sharing_again_gives_other_shares() -> None:
    drawn = np.concatenate([part for _ in range(20) for part in share([0] * 50)[:1]])
    assert np.unique(drawn).size == drawn.size


def test_the_helper_gets_no_share() -> None:
    held = [shared_at(role, share([1, 2])) for role in Role]
    assert [x.present for x in held] == [True, True, False]
