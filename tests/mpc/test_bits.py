"""Bit-slicing against single bits, at lengths around words and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ppaurora.mpc.bits import (
    columns,
    crop,
    cropped_words,
    load,
    pack,
    transpose,
    uncrop,
    unpack,
)
from ppaurora.mpc.words import BLOCK

EVERY_BIT = np.uint64(2**64 - 1)
LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 1000, 100_001, BLOCK]
LONGER = [BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 30_001]


def random_words(*shape: int) -> NDArray[np.uint64]:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


def bit(words: NDArray[np.uint64], place: int) -> NDArray[np.uint64]:
    return words >> np.uint64(place) & np.uint64(1)


def planes_of(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """All 64 bit planes of a block, by the three transposes, the rows regrouped after each."""
    rows = transpose(load(words, EVERY_BIT), 1)
    planes = np.empty_like(rows)
    for low, first in enumerate(np.moveaxis(rows.reshape(16, 4, -1), 1, 0)):
        second = transpose(first.copy(), 4)
        for middle, third in enumerate(np.moveaxis(second.reshape(4, 4, -1), 1, 0)):
            planes[4 * middle + low :: 16] = transpose(third.copy(), 16)
    return planes


@pytest.mark.parametrize("length", LENGTHS)
def test_three_turns_bring_every_bit_into_its_plane(length: int) -> None:
    words = random_words(length)
    planes = planes_of(words)
    assert planes.shape == (64, columns(length))
    for place in range(64):
        np.testing.assert_array_equal(unpack(planes[place], length), bit(words, place))


@pytest.mark.parametrize("unit", [1, 4, 16])
@pytest.mark.parametrize("rows", [4, 16, 64])
def test_a_turn_is_its_own_inverse_and_keeps_to_its_four_rows(unit: int, rows: int) -> None:
    matrix = random_words(rows, 7)
    turned = transpose(matrix.copy(), unit)
    assert not np.array_equal(turned, matrix)
    for start in range(0, rows, 4):
        alone = transpose(matrix[start : start + 4].copy(), unit)
        np.testing.assert_array_equal(turned[start : start + 4], alone)
    np.testing.assert_array_equal(transpose(turned, unit), matrix)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_loaded_block_has_only_the_masked_bits_and_zeros_behind(length: int) -> None:
    mask = np.uint64(0x7FFF_0000_FFFF_0001)
    loaded = load(np.full(length, EVERY_BIT), mask)
    assert loaded.shape == (64, columns(length))
    assert not np.any(loaded & ~mask)
    assert int(np.bitwise_count(loaded).sum()) == int(mask).bit_count() * length


@pytest.mark.parametrize("length", LENGTHS + LONGER)
def test_unpack_undoes_pack(length: int) -> None:
    bits = bit(random_words(length), 0)
    plane = pack(bits)
    assert plane.size == columns(length)
    np.testing.assert_array_equal(unpack(plane, length), bits)


@pytest.mark.parametrize("length", LONGER)
def test_a_long_plane_is_its_blocks_planes(length: int) -> None:
    words = random_words(length)
    plane = pack(bit(words, 5))
    parts = [planes_of(words[start : start + BLOCK])[5] for start in range(0, length, BLOCK)]
    np.testing.assert_array_equal(plane, np.concatenate(parts))


def held(planes: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """The planes with zeros where there is no element: rows share the 64 rows of a block."""
    rows = planes.shape[1]
    # a row's word has a bit for each of 64 / rows rows of the block, in each of `rows` lanes
    lane = 64 // rows
    kept = np.zeros_like(planes)
    for element in range(length):
        row, column = divmod(element, planes.shape[2])
        for nibble in range(rows):
            place = np.uint64(1 << (lane * nibble + row % lane))
            kept[:, row // lane, column] |= planes[:, row // lane, column] & place
    return kept


@pytest.mark.parametrize("rows", [1, 4, 16])
def test_cropping_keeps_every_element_and_takes_the_words_it_says(rows: int) -> None:
    for length in [*range(1, 67), 127, 128, 129, 200]:
        planes = random_words(3, rows, columns(length))
        cropped = crop(planes, length)
        assert cropped.size == cropped_words(3, rows, length) <= planes.size
        back = uncrop(cropped, planes.shape, length)
        np.testing.assert_array_equal(held(back, length), held(planes, length))


def test_planes_of_few_elements_fill_few_words() -> None:
    lengths = (1, 8, 9, 16, 56, 57, 64)
    assert [cropped_words(8, 1, length) for length in lengths] == [1, 1, 2, 2, 7, 8, 8]
    assert [cropped_words(1, 4, length) for length in lengths] == [1, 1, 1, 1, 4, 4, 4]
    assert [cropped_words(1, 16, length) for length in lengths] == [1, 2, 3, 4, 14, 15, 16]
    # 65 elements take 33 rows of two columns
    assert [cropped_words(1, rows, 65) for rows in (1, 4, 16)] == [2, 6, 18]


def test_planes_that_do_not_lie_in_one_piece_are_cropped_all_the_same() -> None:
    planes = random_words(6, 1, 4)[::2, :, ::-1]
    np.testing.assert_array_equal(crop(planes, 200), np.ascontiguousarray(planes).reshape(-1))
