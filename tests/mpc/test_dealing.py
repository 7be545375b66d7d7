"""Deals travel in frames that hold all sections in their order, filled one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.party import FULL_FRAME, corrections, frames
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import Words

FULL = FULL_FRAME


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([3], [[3]]),
        ([3, 4, 5], [[3, 4, 5]]),
        ([FULL, 1], [[FULL], [1]]),
        ([FULL - 1, 1, 1], [[FULL - 1, 1], [1]]),
        ([2 * FULL, FULL, 5, 6], [[2 * FULL], [FULL], [5, 6]]),
        ([5, 2 * FULL, 6], [[5, 2 * FULL], [6]]),
    ],
)
def test_a_frame_takes_sections_until_it_is_full(
    sizes: list[int], expected: list[list[int]]
) -> None:
    assert [[sizes[section] for section in frame] for frame in frames(sizes)] == expected


def random(*shape: int) -> Words:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


@pytest.mark.parametrize("sizes", [(7, 5), (FULL, 9), (9, FULL)])
def test_what_is_dealt_is_the_value_without_the_stream_however_it_travels(
    sizes: tuple[int, int],
) -> None:
    keys = [bytes([number]) * 16 for number in range(3)]
    xor, add, wide = random(sizes[0]), random(2, sizes[1]), random(4, 6)
    dealt = corrections(
        [Stream(key) for key in keys], xor=[xor.copy()], add=[add.copy()], wide=[wide.copy()]
    )
    whole = np.concatenate(list(dealt))
    of_xor, of_add, _ = np.split(whole, [xor.size, xor.size + add.size])
    assert np.array_equal(of_xor ^ Stream(keys[0]).words(xor.size), xor)
    assert np.array_equal(of_add + Stream(keys[1]).words(add.size), add.reshape(-1))
