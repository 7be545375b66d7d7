"""Biased bits come as often as their threshold says, and what a party knows does not tell them."""

from __future__ import annotations

import os
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ppaurora.mpc import Party, Role, Shared
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import biased_bits
from ppaurora.mpc.primitives.biased_bits import ONE
from ppaurora.mpc.streams import Stream
from tests.mpc.test_views import FALSE_ALARM, View, Watch, bits_differ, bytes_differ

pytestmark = pytest.mark.usefixtures("same_keys")


def own_stream(party: Party) -> Stream | None:
    return None if party.is_helper else Stream(os.urandom(16))


def drawn(thresholds: Any) -> NDArray[np.int64]:
    return open_locally(run_local(lambda party: biased_bits(party, thresholds, own_stream(party))))


@pytest.mark.parametrize("eighths", range(9))
def test_frequencies_are_those_of_the_thresholds(eighths: int) -> None:
    """Hoeffding: P(|mean - p| >= t) <= 2·exp(-2·n·t²)."""
    n = 40_000
    bits = drawn(np.full(n, ONE // 8 * eighths))
    assert set(bits.tolist()) <= {0, 1}
    assert abs(bits.mean() - eighths / 8) < sqrt(log(2 / FALSE_ALARM) / (2 * n))
    if eighths in (0, 8):
        assert bits.mean() == eighths / 8


def test_each_bit_has_a_threshold_of_its_own() -> None:
    assert drawn([0, ONE, ONE, 0, 1, ONE - 1]).tolist() == [0, 1, 1, 0, 0, 1]


def test_a_threshold_is_met_exactly() -> None:
    """u just below 4θ gives a one, u = 4θ none: checked with words that are known."""

    class Known:
        def __init__(self, words: list[int]) -> None:
            self._words = np.array(words, np.uint64)

        def words(self, count: int) -> NDArray[np.uint64]:
            return self._words[:count]

    theta = [1, 12345, ONE // 2, ONE // 2 + 1, ONE - 1]
    # above one half it is the complement of a rare bit
    rare = [4 * min(t, ONE - t) for t in theta]
    for offset, below in ((-1, 1), (0, 0)):
        u = [r + offset for r in rare]
        own = {Role.P0: Known([7] * 5), Role.P1: Known([(word - 7) % 2**64 for word in u])}
        at = run_local(
            lambda party, own=own: biased_bits(party, theta, own.get(party.role))  # type: ignore[misc]
        )
        expected = [below if t <= ONE // 2 else 1 - below for t in theta]
        assert open_locally(at).tolist() == expected


@pytest.mark.parametrize("threshold", [-1, ONE + 1])
def test_a_threshold_out_of_range_is_refused(threshold: int) -> None:
    with pytest.raises(ValueError, match="threshold"):
        drawn([threshold])


def test_a_proxy_without_a_stream_is_refused() -> None:
    with pytest.raises(LocalProtocolError, match="stream of its own"):
        run_local(lambda party: biased_bits(party, [1], None))


def test_no_partys_view_tells_the_bit() -> None:
    """With what it drew itself, a party sees the same whether the bit is 0 or 1."""
    runs = 400

    class Recorded(Stream):
        def __init__(self, watch: Watch) -> None:
            super().__init__(os.urandom(16))
            self._watch = watch

        def words(self, count: int) -> NDArray[np.uint64]:
            words = super().words(count)
            self._watch._seen.append(words.copy())
            return words

    def program(party: Party) -> tuple[View, list[Shared]]:
        watch = Watch(party)
        own = None if party.is_helper else Recorded(watch)
        rows, bits = [], []
        for _ in range(runs):
            bits.append(biased_bits(party, [ONE // 2], own))
            rows.append(watch.view([]))
        return np.stack(rows), bits

    at = run_local(program)
    bit = np.array(
        [int((a.words + b.words)[0]) for a, b in zip(at[0][1], at[1][1], strict=True)], np.bool_
    )
    fewer = min(bit.sum(), runs - bit.sum())
    assert fewer > runs // 3
    for role in (Role.P0, Role.P1):
        ones, zeros = at[role][0][bit][:fewer], at[role][0][~bit][:fewer]
        assert not bits_differ(ones, zeros, FALSE_ALARM / 4)
        assert not bytes_differ(ones, zeros, FALSE_ALARM / 4)


def test_both_proxies_streams_matter() -> None:
    """One half of the bits comes from each proxy: with either stream known the bits still vary."""
    for known in (Role.P0, Role.P1):

        def program(party: Party, known: Role = known) -> Shared:
            own = Stream(bytes(16)) if party.role is known else own_stream(party)
            return biased_bits(party, np.full(1000, ONE // 2), own)

        first, second = (open_locally(run_local(program)) for _ in range(2))
        assert 350 < np.count_nonzero(first != second) < 650
