"""Bit-slicing against single bits, at lengths around words and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ppaurora.mpc.bits import columns, crop, cropped_words, pack, planes_of, uncrop, unpack
from ppaurora.mpc.words import BLOCK

LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 1000, 100_001, BLOCK]
LONGER = [BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 30_001]


def random_words(*shape: int) -> NDArray[np.uint64]:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


def bit(words: NDArray[np.uint64], place: int) -> NDArray[np.uint64]:
    return words >> np.uint64(place) & np.uint64(1)


@pytest.mark.parametrize("length", LENGTHS)
def test_every_bit_of_a_block_lies_in_its_plane(length: int) -> None:
    words = random_words(length)
    planes = planes_of(words)
    assert planes.shape == (64, columns(length))
    for place in range(64):
        np.testing.assert_array_equal(unpack(planes[place], length), bit(words, place))
        np.testing.assert_array_equal(planes[place], pack(bit(words, place)))


def test_words_that_do_not_lie_in_one_piece_have_planes_all_the_same() -> None:
    words = random_words(2 * 4097)
    np.testing.assert_array_equal(planes_of(words[::-2]), planes_of(words[::-2].copy()))


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


def test_cropping_keeps_every_element_and_takes_the_words_it_says() -> None:
    for length in [*range(1, 67), 127, 128, 129, 200]:
        bits = bit(random_words(3, length), 0)
        planes = np.stack([pack(row) for row in bits])
        cropped = crop(planes, length)
        assert cropped.size == cropped_words(3, length) <= planes.size
        np.testing.assert_array_equal(uncrop(cropped, 3, length), planes)


def test_planes_of_few_elements_fill_few_words() -> None:
    lengths = (1, 8, 9, 16, 56, 57, 64, 65)
    assert [cropped_words(8, length) for length in lengths] == [1, 1, 2, 2, 7, 8, 8, 16]


def test_planes_that_do_not_lie_in_one_piece_are_cropped_all_the_same() -> None:
    planes = random_words(6, 4)[::2, ::-1]
    np.testing.assert_array_equal(crop(planes, 200), np.ascontiguousarray(planes).reshape(-1))
    few = random_words(6, 2)[::2, ::2]
    np.testing.assert_array_equal(crop(few, 20), crop(few.copy(), 20))
