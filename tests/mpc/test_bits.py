"""Bit-slicing against a naive transpose, at lengths around words and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc.bits import columns, crop, cropped_words, pack, slice_bits, transpose, uncrop, unpack
from mpc.words import BLOCK

LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 1000, BLOCK]
LONGER = [BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 100_003]


def random_words(*shape: int) -> NDArray[np.uint64]:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


def bit(words: NDArray[np.uint64], place: int) -> NDArray[np.uint64]:
    return words >> np.uint64(place) & np.uint64(1)


@pytest.mark.parametrize("width", [0, 1, 2, 63, 512])
def test_transpose_is_the_naive_one(width: int) -> None:
    matrix = random_words(64, width)
    transposed = transpose(matrix.copy())
    for row in range(64):
        naive = sum(bit(matrix[column], row) << np.uint64(column) for column in range(64))
        np.testing.assert_array_equal(transposed[row], naive)


@pytest.mark.parametrize("width", [1, 7, 512])
def test_transpose_is_its_own_inverse(width: int) -> None:
    matrix = random_words(64, width)
    np.testing.assert_array_equal(transpose(transpose(matrix.copy())), matrix)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_plane_of_a_slice_is_one_bit_of_all_elements(length: int) -> None:
    words = random_words(length)
    planes = slice_bits(words)
    assert planes.shape == (64, columns(length))
    for place in (0, 1, 31, 32, 62, 63):
        np.testing.assert_array_equal(unpack(planes[place], length), bit(words, place))


@pytest.mark.parametrize("length", LENGTHS)
def test_the_padding_of_a_slice_is_zero(length: int) -> None:
    whole = slice_bits(np.full(length, 2**64 - 1, np.uint64))
    assert int(np.bitwise_count(whole).sum()) == 64 * length


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
    parts = [slice_bits(words[start : start + BLOCK])[5] for start in range(0, length, BLOCK)]
    np.testing.assert_array_equal(plane, np.concatenate(parts))


@pytest.mark.parametrize("shape", [(1,), (3,), (4, 5)])
def test_cropping_keeps_every_element_and_what_it_says_of_words(shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    for length in [*range(1, 130), 1000, BLOCK]:
        planes = random_words(*shape, columns(length))
        cropped = crop(planes, length)
        assert cropped.size == cropped_words(count, length) <= planes.size
        back = uncrop(cropped, planes.shape, length)
        assert back.shape == planes.shape
        for plane, whole in zip(back.reshape(count, -1), planes.reshape(count, -1), strict=True):
            np.testing.assert_array_equal(unpack(plane, length), unpack(whole, length))


def test_eight_planes_of_few_elements_fill_one_word() -> None:
    assert [cropped_words(8, length) for length in (1, 8, 9, 16, 56, 57, 64)] == [
        1,
        1,
        2,
        2,
        7,
        8,
        8,
    ]
    assert cropped_words(1, 1) == cropped_words(8, 8) == 1


def test_a_slice_of_planes_that_does_not_lie_in_one_piece_is_cropped_all_the_same() -> None:
    planes = random_words(6, 4)[::2, ::-1]
    np.testing.assert_array_equal(crop(planes, 200), np.ascontiguousarray(planes).reshape(-1))
    first = planes[:, :1]
    np.testing.assert_array_equal(
        uncrop(crop(first, 9), (3, 1), 9) & np.uint64(511), first & np.uint64(511)
    )
