"""The first difference of shared digits, told to a third party: its value, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from ppaurora.mpc.first_difference import decoded, encoded, message_planes, random_planes
from ppaurora.mpc.gates import ALL_ONES
from ppaurora.mpc.role import PROXIES
from ppaurora.mpc.words import Words

Law = Counter[tuple[tuple[int, ...], ...]]


def value(equal: Sequence[int], less: Sequence[int]) -> int:
    """By the definition."""
    f = less[-1]
    for alike, below in zip(reversed(equal), reversed(less[:-1]), strict=True):
        f = below ^ alike & f
    return f


def messages(equal: Words, less: Words, random: Words, seed: int = 1) -> list[Words]:
    """Those of both proxies, for shares drawn with a seed."""
    rng = np.random.default_rng(seed)
    first = [rng.integers(0, 1 << 64, planes.shape, np.uint64) for planes in (equal, less)]
    shares = first, [whole ^ own for whole, own in zip((equal, less), first, strict=True)]
    return [encoded(role, *own, random) for role, own in zip(PROXIES, shares, strict=True)]


@pytest.mark.parametrize("digits", [1, 2, 3, 12, 24])
def test_the_helper_finds_the_value(digits: int) -> None:
    rng = np.random.default_rng(digits)
    equal, less = (rng.integers(0, 1 << 64, (digits, 3), np.uint64) for _ in range(2))
    # equal down to any place
    equal |= rng.integers(0, 1 << 64, equal.shape, np.uint64)
    random = rng.integers(0, 1 << 64, (random_planes(digits), 3), np.uint64)
    first, second = messages(equal, less, random)
    assert first.shape == second.shape == (message_planes(digits), 3)
    expected = less[-1]
    for alike, below in zip(equal[: digits - 1][::-1], less[:-1][::-1], strict=True):
        expected = below ^ alike & expected
    assert decoded(digits, first, second).tolist() == expected.tolist()


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_over_all_random_bits_the_messages_follow_one_law_for_each_value(digits: int) -> None:
    every = np.array([*product((0, 1), repeat=random_planes(digits))], np.uint64).T
    random = every * np.uint64(ALL_ONES)
    laws: dict[int, Law] = {}
    for bits in product((0, 1), repeat=2 * digits - 1):
        equal, less = bits[: digits - 1], bits[digits - 1 :]
        of_all = [
            np.array(one, np.uint64).reshape(-1, 1) * np.full(every.shape[1], ALL_ONES, np.uint64)
            for one in (equal, less)
        ]
        # the same shares in every run: only what the proxies draw together hides the rest
        fixed = [np.repeat(one[:, :1], every.shape[1], axis=1) for one in of_all]
        shared = fixed, [*map(np.zeros_like, fixed)]
        sent = [encoded(role, *own, random) for role, own in zip(PROXIES, shared, strict=True)]
        law: Law = Counter(zip(*(map(tuple, one.T.tolist()) for one in sent), strict=True))
        assert len(set(law.values())) == 1
        assert law == laws.setdefault(value(equal, less), law)
    # of as many sums as have this value, each with every mask
    assert {len(law) for law in laws.values()} == {2 ** (2 * message_planes(digits) - 1)}
    assert not laws[0].keys() & laws[1].keys()


def test_the_law_does_not_depend_on_how_the_digits_are_shared() -> None:
    every = np.array([*product((0, 1), repeat=random_planes(2))], np.uint64).T
    random = every * np.uint64(ALL_ONES)
    equal, less = np.zeros((1, 1), np.uint64), np.full((2, 1), ALL_ONES, np.uint64)
    laws = []
    for first in product((0, ALL_ONES), repeat=3):
        own = np.repeat(np.array(first, np.uint64)[:, None], every.shape[1], axis=1)
        others = own ^ np.concatenate([equal, less])
        sent = [
            encoded(role, one[:1], one[1:], random)
            for role, one in zip(PROXIES, (own, others), strict=True)
        ]
        laws.append(Counter(zip(*(map(tuple, one.T.tolist()) for one in sent), strict=True)))
    assert all(law == laws[0] for law in laws)
