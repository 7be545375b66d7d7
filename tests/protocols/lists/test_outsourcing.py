"""A list in two shares: sorted, uniformly random to each proxy, decoded strictly."""

import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.outsourcing import SEED_BYTES, SeedShare, WordShare, received, split

KEYS = np.array([5, 9, 1, 9, 2**63 - 1, 0], np.uint64)


def test_the_shares_make_the_keys_sorted_descending():
    for_p0, for_p1 = split(KEYS)
    assert (for_p0.words() + for_p1.words()).tolist() == sorted(KEYS.tolist(), reverse=True)


def test_a_fresh_seed_for_every_list():
    first, second = split(KEYS), split(KEYS)
    assert first[0].seed != second[0].seed
    assert not np.array_equal(first[1].words(), second[1].words())


def test_the_order_of_the_rows_leaves_no_trace():
    seed = bytes(range(SEED_BYTES))
    forwards, backwards = split(KEYS, seed), split(KEYS[::-1].copy(), seed)
    assert np.array_equal(forwards[1].words(), backwards[1].words())


def test_shares_survive_the_journey():
    for_p0, for_p1 = split(KEYS)
    there = SeedShare.from_bytes(for_p0.to_bytes(), KEYS.size)
    here = WordShare.from_bytes(for_p1.to_bytes(), KEYS.size)
    assert np.array_equal(there.words(), for_p0.words())
    assert np.array_equal(here.words(), for_p1.words())


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data + b"\0"])
def test_a_byte_too_few_or_too_many_is_refused(spoil):
    for_p0, for_p1 = split(KEYS)
    with pytest.raises(DataRefused):
        SeedShare.from_bytes(spoil(for_p0.to_bytes()), KEYS.size)
    with pytest.raises(DataRefused):
        WordShare.from_bytes(spoil(for_p1.to_bytes()), KEYS.size)


def test_the_helper_holds_a_length_only():
    for_p0, for_p1 = split(KEYS)
    held = [
        received(role, part, KEYS.size)
        for role, part in zip(Role, (for_p0, for_p1, None), strict=True)
    ]
    assert [len(one) for one in held] == [KEYS.size] * 3
    assert [one.present for one in held] == [True, True, False]


def test_shares_do_not_print():
    for_p0, for_p1 = split(KEYS)
    assert repr(for_p0) == "SeedShare(length=6)"
    assert repr(for_p1) == "WordShare()"


def test_an_empty_list_has_two_empty_shares():
    for_p0, for_p1 = split(KEYS[:0])
    assert for_p0.words().size == for_p1.words().size == 0
