"""Streams: the same key and name give the same words, any other gives others, none comes twice."""

from __future__ import annotations

from collections import Counter
from math import factorial, log, sqrt

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ppaurora.mpc import streams
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.streams import (
    LASTING,
    PASSING,
    Counting,
    Sections,
    Stream,
    StreamFamily,
    with_slack,
)

KEY, OTHER_KEY = bytes(range(16)), bytes(16)
SESSION, OTHER_SESSION = bytes(range(32)), bytes(32)
CHUNK_WORDS = (1 << 20) // 8
SEGMENT = PASSING.segment_words
SIZES = [0, 1, 2, 3, 1000, CHUNK_WORDS - 1, CHUNK_WORDS, CHUNK_WORDS + 1, 3 * CHUNK_WORDS + 5]
WAYS = {"lasting": (LASTING, False), "by CTR": (PASSING, False), "by GCM": (PASSING, True)}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """Each counting, and each way to the words of the one that has two."""
    counting, by_gcm = request.param
    monkeypatch.setattr(streams, "gcm_is_quicker", lambda: by_gcm)
    return counting


def keystream(key: bytes, count: int, counting: Counting = LASTING) -> np.ndarray:
    """The stream as the counting says, block by block, with the cipher alone."""
    blocks = -(-count // 2)
    numbers = np.zeros((blocks, 4), ">u4")
    if counting is LASTING:
        numbers[:, 3] = np.arange(blocks)
    else:
        numbers[:, 2], numbers[:, 3] = np.divmod(np.arange(blocks), SEGMENT // 2)
        numbers[:, 3] += 2
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return np.frombuffer(encryptor.update(numbers.tobytes()), np.uint64)[:count]


@pytest.mark.parametrize("count", SIZES)
def test_words_are_the_encrypted_counters(counting: Counting, count: int) -> None:
    stream = Stream(KEY, counting=counting)
    np.testing.assert_array_equal(stream.words(count), keystream(KEY, count, counting))


def test_pieces_follow_one_another_without_a_gap_or_overlap(counting: Counting) -> None:
    stream = Stream(KEY, counting=counting)
    counts = (1, 0, 3, CHUNK_WORDS + 1, 2, 7, SEGMENT - 14, SEGMENT, 1, SEGMENT)
    pieces = [stream.words(count) for count in counts]
    pieces.append(stream.array((2, 3)).reshape(-1))
    whole = np.concatenate(pieces)
    np.testing.assert_array_equal(whole, keystream(KEY, whole.size, counting))


@pytest.mark.parametrize("first", [0, 1, 2, SEGMENT - 1, SEGMENT, SEGMENT + 1, 5 * SEGMENT - 2])
def test_a_stream_begins_at_any_word(counting: Counting, first: int) -> None:
    words = Stream(KEY, first, counting).words(SEGMENT + 5)
    expected = keystream(KEY, first + SEGMENT + 5, counting)[first:]
    np.testing.assert_array_equal(words, expected)


@pytest.mark.parametrize("counting", [LASTING, PASSING])
def test_no_block_of_a_counting_has_the_counter_of_another(counting: Counting) -> None:
    ends = [counting.segment_words * segment for segment in (0, 1, 2, 1 << 20)]
    near = range(-64, 64, 2)
    counters = [counting.counter(end + word) for end in ends for word in near if end + word >= 0]
    assert len(set(counters)) == len(counters)
    assert counting.segment_words // 2 + counting.first <= 1 << 32
    assert counting.counter(7) == counting.counter(6)


def test_what_lies_on_disks_has_the_words_that_it_always_had() -> None:
    """The first words of AES-128 in counter mode from zero, and one far behind."""
    assert Stream(KEY).words(2).tobytes().hex() == "c6a13b37878f5b826f4f8162a1c8d879"
    whole = Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor()
    assert Stream(KEY).words(300_001).tobytes() == whole.update(bytes(8 * 300_001))
    assert Stream(KEY, 1 << 33).words(1).tobytes().hex() == "426c768faa410b72"


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000, SEGMENT - 1, SEGMENT])
@pytest.mark.parametrize("before", [0, 1, 2, 5, SEGMENT - 2])
def test_a_part_has_the_next_words_and_the_stream_those_behind(
    counting: Counting, before: int, count: int
) -> None:
    stream, expected = Stream(KEY, counting=counting), keystream(KEY, before + count + 6, counting)
    stream.words(before)
    part = stream.part(count)
    behind = stream.words(3)
    assert np.array_equal(part.words(count), expected[before : before + count])
    assert np.array_equal(behind, expected[before + count :][:3])
    assert np.array_equal(stream.words(3), expected[before + count + 3 :])


def test_blinding_counts_as_reading_for_the_part_that_follows() -> None:
    stream, expected = Stream(KEY), keystream(KEY, 20)
    stream.blind(np.zeros(3, np.uint64), with_slack(3))
    stream.blind_in_place(np.zeros(4, np.uint64))
    assert np.array_equal(stream.part(5).words(5), expected[7:12])
    assert np.array_equal(stream.words(8), expected[12:])


def test_no_two_words_of_a_stream_are_the_same() -> None:
    words = np.concatenate([Stream(KEY).words(50_000), Stream(OTHER_KEY).words(50_000)])
    assert np.unique(words).size == words.size  # by chance: 3·10^-10


@pytest.mark.parametrize("count", SIZES)
def test_blind_is_xor_with_the_next_words(counting: Counting, count: int) -> None:
    words = keystream(OTHER_KEY, count)
    out, stream = with_slack(count), Stream(KEY, counting=counting)
    stream.blind(words, out)
    np.testing.assert_array_equal(out[:count], words ^ keystream(KEY, count, counting))
    assert stream.words(1)[0] == keystream(KEY, count + 1, counting)[-1]


@pytest.mark.parametrize("step", [2, -1])
def test_blind_takes_what_does_not_lie_in_one_piece(step: int) -> None:
    flat = keystream(OTHER_KEY, 60)
    for words in (flat[::step], flat.reshape(5, 12)[::step, ::3].T):
        assert not words.flags.c_contiguous
        out = with_slack(words.size)
        Stream(KEY).blind(words, out)
        np.testing.assert_array_equal(out[: words.size], words.ravel() ^ keystream(KEY, words.size))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1000, SEGMENT, SEGMENT + 1])
def test_blind_in_place_is_xor_with_the_next_words(counting: Counting, count: int) -> None:
    words = np.arange(count, dtype=np.uint64)
    stream, behind = Stream(KEY, counting=counting), np.arange(count + 4, dtype=np.uint64)
    for _ in range(2):
        stream.blind_in_place(behind[:count])
    expected = keystream(KEY, 2 * count, counting)
    assert np.array_equal(behind[:count], words ^ expected[:count] ^ expected[count:])
    assert behind[count:].tolist() == [count, count + 1, count + 2, count + 3]


def test_blind_writes_no_further_than_its_slack() -> None:
    out = np.full(20, 7, np.uint64)
    Stream(KEY).blind(np.zeros(5, np.uint64), out[:7])
    assert (out[7:] == 7).all()


class TestPermutations:
    @pytest.mark.parametrize("count", [0, 1, 2, 3, 1000, 100_003])
    def test_hold_every_item_once(self, count: int) -> None:
        np.testing.assert_array_equal(np.sort(Stream(KEY).permutation(count)), np.arange(count))

    def test_are_the_same_for_both_who_share_the_key(self) -> None:
        first, second = Stream(KEY), Stream(KEY)
        for count in (5, 100):
            np.testing.assert_array_equal(first.permutation(count), second.permutation(count))

    def test_come_all_equally_often(self) -> None:
        """Chi-squared over the 24 orders of 4 items; under random keys one alarm in 10^6."""
        stream, draws, k = Stream(KEY), 6000, factorial(4) - 1
        counts = Counter(tuple(stream.permutation(4)) for _ in range(draws))
        mean = draws / factorial(4)
        statistic = sum((count - mean) ** 2 / mean for count in counts.values())
        x = log(1e6)
        assert len(counts) == factorial(4)
        assert statistic < k + 2 * sqrt(k * x) + 2 * x

    def test_draw_again_where_two_words_are_equal(self) -> None:
        draws = iter([np.array([3, 1, 3], np.uint64), np.array([3, 1, 2], np.uint64)])

        class Repeating(Stream):
            def words(self, count: int) -> np.ndarray:
                return next(draws)

        assert Repeating(KEY).permutation(3).tolist() == [1, 2, 0]


class TestFamilies:
    def test_agree_for_one_session_key(self) -> None:
        first, second = StreamFamily(SESSION), StreamFamily(SESSION)
        second.open("another")  # the order of opening does not matter
        np.testing.assert_array_equal(first.open("mask").words(9), second.open("mask").words(9))

    def test_give_every_name_and_session_key_words_of_its_own(self) -> None:
        names = ["", "mask", "mask 0", "mask 1", "deal", "Mask", "maſk"]
        words = np.concatenate(
            [
                family.open(name).words(100)
                for family in map(StreamFamily, (SESSION, OTHER_SESSION))
                for name in names
            ]
        )
        assert np.unique(words).size == words.size

    def test_open_a_name_once(self) -> None:
        family = StreamFamily(SESSION)
        family.open("mask")
        with pytest.raises(LocalProtocolError, match="'mask'"):
            family.open("mask")
        with pytest.raises(LocalProtocolError):
            family.key("mask")

    def test_number_their_sections(self) -> None:
        sections = Sections(StreamFamily(SESSION), "mask")
        third, first = sections[2], sections[0]
        assert sections[2] is third
        assert sections[0] is first
        plain = StreamFamily(SESSION)
        np.testing.assert_array_equal(third.words(4), plain.open("mask 2").words(4))
        np.testing.assert_array_equal(first.words(4), plain.open("mask 0").words(4))

    def test_print_no_key(self) -> None:
        family = StreamFamily(SESSION)
        stream = family.open("mask")
        assert repr(family) == "<StreamFamily of 1 streams>"
        assert repr(stream) == "<Stream>"
