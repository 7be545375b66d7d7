"""A list in two shares: sorted, uniformly random to each proxy, decoded strictly."""

import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.protocols.errors import ShareRefused
from ppaurora.protocols.lists.outsourcing import (
    SHARE_OF,
    SeedShare,
    UploadForm,
    descending,
    received,
    split,
)
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.options import Options

KEYS = np.array([5, 9, 1, 9, 2**63 - 1, 0], np.uint64)
ORDERED = descending(KEYS)
FORM = UploadForm.of_words(KEYS.size)


def test_the_shares_make_the_keys_sorted_descending():
    shares = split(ORDERED)
    total = shares[Role.P0].words() + shares[Role.P1].words()
    assert total.tolist() == sorted(KEYS.tolist(), reverse=True)


def test_a_fresh_seed_for_every_list():
    first, second = split(ORDERED), split(ORDERED)
    assert first[Role.P0].seed != second[Role.P0].seed
    assert not np.array_equal(first[Role.P1].words(), second[Role.P1].words())


@pytest.mark.parametrize("options", [Options(), Options(metrics=("auroc",), resolution="bins:8")])
def test_the_order_of_the_rows_leaves_no_trace(options):
    keys = encode([0.5, 0.9, 0.1, 0.9, 1, 0], [1, 0, 0, 1, 1, 0], PROBABILITIES)
    forwards, backwards = (options.pipeline.upload([one]) for one in (keys, keys[::-1]))
    assert forwards.size == options.pipeline.words(keys.size)
    assert np.array_equal(forwards, backwards)


@pytest.mark.parametrize("role", [Role.P0, Role.P1])
def test_shares_survive_the_journey_in_the_bytes_that_are_told(role):
    share = split(ORDERED)[role]
    data = share.to_bytes()
    assert len(data) == SHARE_OF[role].size(FORM)
    there = SHARE_OF[role].from_bytes(data, FORM)
    assert np.array_equal(there.words(), share.words())
    assert np.array_equal(received(role, data, FORM).words, share.words())


@pytest.mark.parametrize("keys", [KEYS, KEYS[:0]])
@pytest.mark.parametrize("role", [Role.P0, Role.P1])
def test_a_share_is_viewed_as_the_bytes_that_travel(role, keys):
    share = split(descending(keys))[role]
    assert share.view() == share.to_bytes()
    assert share.view().nbytes == SHARE_OF[role].size(UploadForm.of_words(keys.size))


def test_sorting_and_splitting_change_neither_keys_nor_list():
    keys, ordered = KEYS.copy(), ORDERED.copy()
    descending(keys)
    split(ordered)
    assert np.array_equal(keys, KEYS)
    assert np.array_equal(ordered, ORDERED)


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data + b"\0"])
@pytest.mark.parametrize("role", [Role.P0, Role.P1])
def test_a_byte_too_few_or_too_many_is_refused(role, spoil):
    data = spoil(split(ORDERED)[role].to_bytes())
    with pytest.raises(ShareRefused):
        received(role, data, FORM)


def test_the_helper_gets_no_share_and_holds_a_length_only():
    assert set(split(ORDERED)) == set(SHARE_OF) == {Role.P0, Role.P1}
    held = received(Role.HELPER, None, FORM)
    assert (len(held), held.present) == (KEYS.size, False)


def test_shares_do_not_print():
    shares = split(ORDERED)
    assert repr(shares[Role.P0]) == "SeedShare(length=6)"
    assert repr(shares[Role.P1]) == "WordShare()"


def test_a_seed_that_lies_on_a_disk_grows_into_the_share_that_it_always_did():
    words = SeedShare(bytes(range(32)), 300_001).words()
    assert words[:2].tobytes().hex() == "0119a90a15d494fe26553998cd415d55"
    assert words[-1:].tobytes().hex() == "ea700ed54485e819"


def test_an_owner_is_told_what_each_proxy_gets():
    told = [share.described for share in split(ORDERED).values()]
    assert told == ["a random seed of 32 bytes", "48 bytes, masked by that seed's stream"]


def test_an_empty_list_has_two_empty_shares():
    assert [share.words().size for share in split(KEYS[:0]).values()] == [0, 0]


SHORTER = UploadForm(((2, 4), (3, 8), (1, 4)))


def test_numbers_mod_2_32_travel_as_halves_and_the_others_whole():
    shares = split(ORDERED, form=SHORTER)
    data = shares[Role.P1].to_bytes()
    assert len(data) == SHARE_OF[Role.P1].size(SHORTER) == shares[Role.P1].nbytes == 4 * 3 + 8 * 3
    there = received(Role.P1, data, SHORTER).words + shares[Role.P0].words()
    halves, whole = [0, 1, 5], [2, 3, 4]
    assert there[whole].tolist() == ORDERED[whole].tolist()
    assert (there[halves] % 2**32).tolist() == (ORDERED[halves] % 2**32).tolist()
    for spoiled in (data[:-1], data + bytes(1), data + bytes(4)):
        with pytest.raises(ShareRefused, match="bytes for 6 numbers, not 36"):
            received(Role.P1, spoiled, SHORTER)


@pytest.mark.parametrize(
    ("options", "samples", "expected"),
    [
        (Options(), 100, 800),
        (Options(resolution="float32"), 100, 400),
        (Options(resolution="decimals:9"), 7, 28),
        (Options(resolution="float32", range=("any",)), 100, 800),
        (Options(resolution="float32", ties="helper"), 100, 800),
        (Options(resolution="float32", merge="delta", delta=3), 100, 800),
        (Options(resolution="float32", metrics=("auroc_difference",)), 100, 1200),
        (Options(resolution="float32", metrics=("auroc_folds",), folds=5), 100, 400),
        (Options(resolution="bins:10000"), 100, 4 * 20_000),
        (Options(resolution="bins:100"), 100, 8 * 200),
    ],
    ids=str,
)
def test_an_upload_has_the_bytes_that_its_numbers_need(options, samples, expected):
    assert options.pipeline.form(samples).nbytes == expected
