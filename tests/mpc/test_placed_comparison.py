"""Opened comparisons of keys and places from a stock: outcomes, rounds, blocks, views."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives.placed_comparison import Packing, Stock
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import Column, Words
from tests.mpc.cases import EDGES, NARROW_EDGES
from tests.mpc.test_views import leaks, views

pytestmark = pytest.mark.usefixtures("same_keys")

PACKINGS = pytest.mark.parametrize(
    "packing",
    [
        Packing(64, 16, 256),
        Packing(64, 16, 512),
        Packing(64, 32, 128),
        Packing(32, 16, 256),
        Packing(32, 32, 128),
        Packing(32, 32, 512),
    ],
    ids=str,
)
Vector = NDArray[np.int64]


def opened(
    packing: Packing, x: Vector, y: Vector, supplies: list[int], most: int = 100
) -> tuple[list[list[int]], list[int], list[int], int]:
    """The outcomes of each round, the hops at each party, what P0 asked for, the payload."""

    def program(party: Party, x: Shared, y: Shared) -> tuple[list[list[int]], int, int]:
        stock = Stock(party, packing, most=most)
        if party.is_helper:
            for supply in supplies:
                stock.deal(supply)
            outcomes = []
        else:
            both = of_type(packing, x.words, y.words)
            outcomes = [stock.compare(s, *both).astype(int).tolist() for s in supplies]
        if party.role is Role.P0:
            assert party.trace is not None
            asked.extend(moved.length for moved in party.trace if moved.kind is Kind.TELL)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return outcomes, party.hops, sent

    asked: list[int] = []
    p0, p1, helper = run_local(program, share(x), share(y), keep_trace=True)
    assert p0[0] == p1[0]
    return p0[0], [p0[1], p1[1], helper[1]], asked, p0[2] + p1[2] + helper[2]


def of_type(packing: Packing, x: Words, y: Words) -> list[Column]:
    """Shares mod 2^64 as those of keys and of places."""
    return [own.astype(each.type) for own, each in zip((x, y), packing.both, strict=True)]


def drawn(rng: Generator, packing: Packing, n: int) -> tuple[Vector, Vector]:
    """Differences of keys, many of them 0 or at an edge, and of different places."""
    top = (1 << packing.place_bits - 1) - 1
    edges = EDGES if packing.key_bits == 64 else NARROW_EDGES
    x = np.where(rng.random(n) < 0.5, 0, rng.choice(np.array(edges), n))
    y = rng.integers(1, top, n, endpoint=True) * rng.choice([-1, 1], n)
    y[rng.random(n) < 0.3] = rng.choice([-top, -1, 1, top])
    return x, y


def below(x: Vector, y: Vector) -> list[int]:
    return ((x < 0) | ((x == 0) & (y < 0))).astype(int).tolist()


@pytest.mark.usefixtures("each_arithmetic")
@PACKINGS
@pytest.mark.parametrize("n", [1, 255, 1500])
def test_places_decide_where_keys_are_equal_and_only_there(packing: Packing, n: int) -> None:
    x, y = drawn(np.random.default_rng(n), packing, n)
    outcomes, *_ = opened(packing, x, y, [20, 3, 0])
    assert outcomes == [below(x, y)] * 3


@pytest.mark.usefixtures("each_arithmetic")
@PACKINGS
def test_every_difference_of_few_places_and_every_power_of_two(packing: Packing) -> None:
    top = (1 << packing.place_bits - 1) - 1
    powers = [sign * (1 << bit) for bit in range(packing.place_bits - 1) for sign in (1, -1)]
    y = np.array([y for y in [*range(-40, 41), *powers, top, -top] if y], np.int64)
    x = np.zeros_like(y)
    outcomes, *_ = opened(packing, x, y, [10])
    assert outcomes == [below(x, y)]


def test_a_round_takes_four_hops_and_one_more_if_blocks_are_missing() -> None:
    packing = Packing(64, 16, 256)
    x, y = drawn(np.random.default_rng(1), packing, 600)
    for supplies, hops in (([3], 4), ([2], 5), ([0], 5), ([5, 1], 8), ([5, 0], 9), ([6, 0], 8)):
        _, at, asked, payload = opened(packing, x, y, supplies)
        assert max(at) == hops
        assert asked == [1] * len(supplies)
        used = 3 * len(supplies)
        dealt = max(used, sum(supplies))
        expected = used * packing.opened_payload + dealt * packing.dealt_payload + 8 * len(supplies)
        assert payload == expected


def test_a_round_without_comparisons_takes_in_what_was_dealt() -> None:
    packing = Packing(64, 32, 128)
    nothing = np.empty(0, np.int64)
    outcomes, *_ = opened(packing, nothing, nothing, [2, 0, 1])
    assert outcomes == [[], [], []]


@pytest.mark.usefixtures("each_arithmetic")
@PACKINGS
@pytest.mark.parametrize("n", [1, 255, 1500])
def test_differences_opened_before_take_a_hop_less_and_blocks_dealt_for_their_masks(
    packing: Packing, n: int
) -> None:
    rng = np.random.default_rng(n)
    x, y = drawn(rng, packing, n)
    r, s = of_type(packing, *rng.integers(0, 1 << 64, (2, n), np.uint64))
    key, place = of_type(packing, x.view(np.uint64), y.view(np.uint64))
    z, w = key + r, place + s

    def program(party: Party) -> tuple[list[int], int, int]:
        stock = Stock(party, packing, most=0)
        outcomes: list[int] = []
        if party.is_helper:
            stock.deal_for(r, s)
            stock.pass_by()
        else:
            stock.take_in(n)
            outcomes = stock.compare_opened(z, w).astype(int).tolist()
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return outcomes, party.hops, sent

    p0, p1, helper = run_local(program)
    assert p0[0] == p1[0] == below(x, y)
    # the first of four hops is not there; what was dealt arrives before the others
    assert max(p0[1], p1[1]) == 4
    blocks = -(-n // packing.length)
    assert p0[2] + p1[2] + helper[2] == blocks * (packing.wires_payload + packing.dealt_payload)


def test_more_blocks_than_there_are_pairs_are_refused() -> None:
    x, y = drawn(np.random.default_rng(2), Packing(64, 16, 256), 600)
    with pytest.raises(RemoteProtocolError, match="3 blocks"):
        opened(Packing(64, 16, 256), x, y, [0], most=2)


def test_a_comparison_takes_88_bytes_or_50_of_keys_of_32_bits_and_of_many_places_20_more() -> None:
    for bits, most in (((64, 16), 88), ((64, 32), 111.2), ((32, 16), 50), ((32, 32), 69.2)):
        packing = Packing(*bits, 1024)
        assert (packing.opened_payload + packing.dealt_payload) / packing.length <= most


@pytest.mark.slow
@pytest.mark.parametrize("key_bits", [pytest.param(64, marks=pytest.mark.soak), 32])
def test_views_of_two_inputs_with_the_same_outcome_are_statistically_alike(key_bits: int) -> None:
    packing = Packing(key_bits, 32, 128)

    def call(party: Party, x: Shared, y: Shared) -> None:
        stock = Stock(party, packing, most=1)
        if party.is_helper:
            stock.deal(1)
        else:
            stock.compare(1, *of_type(packing, x.words, y.words))

    top = (1 << key_bits - 1) - 1
    first, second = (views(call, values) for values in ((1, 5), (top, -7)))
    for role in Role:
        # the outcome is opened: its two shares fit together in every run
        allowed = set() if role is Role.HELPER else {"pairs"}
        assert set(leaks(first[role], second[role])) <= allowed, role
