"""Words: integers mod 2^64, and how vectors are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.words import (
    BLOCK,
    LONG_ROW,
    ColumnLayout,
    as_signed,
    blocks,
    rows_where_they_lie,
    split,
    to_words,
)

any_integers = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20)


@given(any_integers)
def test_signed_integers_come_back(values: list[int]) -> None:
    assert as_signed(to_words(values)).tolist() == values


@given(st.lists(st.integers(-(2**200), 2**200), min_size=1, max_size=10))
def test_integers_of_any_size_are_reduced(values: list[int]) -> None:
    words = to_words(np.array(values, object))
    assert words.dtype == np.uint64
    assert words.tolist() == [value % 2**64 for value in values]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_every_integer_type_becomes_words(dtype: type) -> None:
    values = np.array([0, 1, np.iinfo(dtype).min if dtype is not np.bool_ else 0], dtype)
    assert to_words(values).tolist() == [int(value) % 2**64 for value in values]


def test_words_stay_the_same_array() -> None:
    words = np.array([2**64 - 1], np.uint64)
    assert to_words(words) is words


def test_one_integer_has_no_length() -> None:
    assert to_words(-1).shape == ()
    assert int(to_words(2**63)) == 2**63


def test_a_list_of_long_and_short_integers_keeps_every_bit() -> None:
    """numpy by itself makes doubles of them."""
    for values in ([5, 2**63 + 1], [2**63 + 1, -1], [2**64 - 1, 0, -(2**63)]):
        assert to_words(values).tolist() == [value % 2**64 for value in values]


def test_nothing_makes_no_words() -> None:
    assert to_words([]).tolist() == []


@pytest.mark.parametrize("values", [[0.5], [1.0], ["1"], [None], [2, 0.5]])
def test_what_numpy_does_not_take_for_integers_is_refused(values: list[object]) -> None:
    with pytest.raises(TypeError):
        to_words(values)


@given(st.integers(0, 1000), st.integers(1, 50))
def test_blocks_cover_everything_once_and_in_order(length: int, size: int) -> None:
    parts = list(blocks(length, size))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(length))
    assert all(part.stop - part.start <= size for part in parts)


def test_nothing_is_one_empty_block() -> None:
    assert list(blocks(0)) == [slice(0, 0)]


def test_numpy_has_its_own_buffer_back_whatever_happened_meanwhile() -> None:
    before, meanwhile = np.getbufsize(), []

    @rows_where_they_lie()
    def failing() -> None:
        meanwhile.append(np.getbufsize())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert meanwhile == [LONG_ROW]
    assert np.getbufsize() == before != LONG_ROW


def test_a_block_is_a_whole_number_of_words_of_bits() -> None:
    assert BLOCK % 64 == 0


def test_split_gives_consecutive_pieces_without_copying() -> None:
    words = np.arange(11, dtype=np.uint64)
    pieces = split(words, (2, 3), (), (4,), (0,))
    assert [piece.tolist() for piece in pieces] == [[[0, 1, 2], [3, 4, 5]], 6, [7, 8, 9, 10], []]
    assert all(np.shares_memory(piece, words) for piece in pieces if piece.size)


@pytest.mark.parametrize("shape", [(10,), (12,), (3, 4)])
def test_split_refuses_pieces_that_leave_words_over_or_lack_some(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="11"):
        split(np.arange(11, dtype=np.uint64), shape)


def test_what_fills_the_last_word_of_a_column_up_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that was written to before may hold anything, and what fills up is sent."""
    monkeypatch.setattr(np, "empty", lambda shape, dtype: np.full(shape, 2**64 - 1, dtype))
    layout = ColumnLayout(3, (4, 2, 8))
    columns = [np.array([1, 2, 3], np.uint64)] * 3
    expected = [1 | 2 << 32, 3, 1 | 2 << 16 | 3 << 32, 1, 2, 3]
    assert layout.message(columns).tolist() == expected
    room = layout.room()
    for into, column in zip(layout.columns(room), columns, strict=True):
        into[:] = column
    assert room.tolist() == expected
