"""Told comparisons of keys and places: outcomes, rounds, blocks, bytes, views."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives.placed_comparison import (
    LARGEST_BLOCK,
    SMALLEST_HALF,
    UNIT,
    Packing,
    ToldOrder,
    block_lengths,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import Column, ColumnLayout
from tests.mpc.cases import EDGES, NARROW_EDGES
from tests.mpc.test_views import leaks, views

pytestmark = pytest.mark.usefixtures("same_keys")

PACKINGS = pytest.mark.parametrize(
    "packing",
    [
        Packing(64, 2),
        Packing(64, 8000),
        Packing(64, 1 << 20),
        Packing(32, 4096),
        Packing(32, 1 << 15),
        Packing(32, (1 << 15) + 1),
        Packing(32, 1 << 31),
    ],
    ids=str,
)
Vector = NDArray[np.int64]


def opened(party: Party, packing: Packing, x: Shared, y: Shared) -> list[Column]:
    """z of keys and of places at the proxies, r at the helper."""
    layout = ColumnLayout(len(x), tuple(each.bits // 8 for each in packing.both))
    if party.is_helper:
        [(r0, r1)] = party.both_masks((layout.words,))
        party.end_round()
        return layout.columns(layout.sum(r0, r1))
    [mine] = party.masks((layout.words,))
    for room, number in zip(layout.columns(mine), (x.words, y.words), strict=True):
        room += number.astype(room.dtype)
    return layout.columns(layout.sum(mine, party.exchange(mine)))


def one_round(party: Party, told: ToldOrder, x: Column, y: Column) -> list[bool]:
    party.step()
    if party.is_helper:
        told.deal(x, y)
        party.end_round()
    else:
        told.take_in(x.size)
        told.ask(x, y)
        party.end_round()
    party.end_round()
    outcomes: list[bool] = told.told(x.size).tolist()
    return outcomes


def compared(
    packing: Packing, x: Vector, y: Vector, rounds: int = 1
) -> tuple[list[list[bool]], list[int], int]:
    """The outcomes at each party, the hops, and the payload, but those of opening z."""

    def program(party: Party, x: Shared, y: Shared) -> tuple[list[bool], int, int]:
        both = opened(party, packing, x, y)
        before = sum(link.counters.bytes_sent for link in party.links.values())
        told = ToldOrder(party, packing)
        for _ in range(rounds):
            outcomes = one_round(party, told, *both)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return outcomes, party.hops - 1, sent - before

    at = run_local(program, share(x), share(y))
    return [one[0] for one in at], [one[1] for one in at], sum(one[2] for one in at)


def drawn(rng: Generator, packing: Packing, n: int) -> tuple[Vector, Vector]:
    """Differences of keys, many of them 0 or at an edge, and of different places."""
    top = packing.places_below - 1
    edges = EDGES if packing.key_bits == 64 else NARROW_EDGES
    x = np.where(rng.random(n) < 0.5, 0, rng.choice(np.array(edges), n))
    y = rng.integers(1, top, n, endpoint=True) * rng.choice([-1, 1], n)
    edge = rng.random(n) < 0.3
    y[edge] = rng.choice([-top, -1, 1, top], int(edge.sum()))
    return x, y


def below(x: Vector, y: Vector) -> list[bool]:
    outcomes: list[bool] = ((x < 0) | ((x == 0) & (y < 0))).tolist()
    return outcomes


@pytest.mark.usefixtures("each_arithmetic")
@PACKINGS
@pytest.mark.parametrize("n", [1, 255, 1500])
def test_places_decide_where_keys_are_equal_and_only_there(packing: Packing, n: int) -> None:
    x, y = drawn(np.random.default_rng(n), packing, n)
    at, *_ = compared(packing, x, y)
    assert at == [below(x, y)] * 3


@pytest.mark.usefixtures("each_arithmetic")
@PACKINGS
def test_every_difference_of_few_places_and_every_power_of_two(packing: Packing) -> None:
    top = packing.places_below - 1
    powers = [sign << bit for bit in range(top.bit_length()) for sign in (1, -1)]
    few = [y for y in [*range(-40, 41), *powers, top, -top] if y and abs(y) <= top]
    y = np.array(few, np.int64)
    x = np.zeros_like(y)
    assert compared(packing, x, y)[0] == [below(x, y)] * 3


@pytest.mark.parametrize("packing", [Packing(64, 8000), Packing(32, 8000), Packing(64, 1 << 16)])
@pytest.mark.parametrize("pairs", [1, 600, 5000])
def test_a_round_takes_two_hops_and_the_declared_bytes(packing: Packing, pairs: int) -> None:
    x, y = drawn(np.random.default_rng(1), packing, pairs)
    for rounds in (1, 2):
        _, hops, payload = compared(packing, x, y, rounds)
        # what is dealt for the first goes ahead, and for the others with the outcomes
        assert max(hops) == 2 * rounds
        assert payload == rounds * packing.payload(pairs)


def test_a_comparison_takes_43_bytes_of_keys_of_32_bits_and_91_of_64() -> None:
    for packing, most in ((Packing(32, 8000), 42.4), (Packing(64, 8000), 90.4)):
        assert packing.payload(1 << 20) / (1 << 20) <= most


def test_blocks_hold_all_pairs_and_go_to_both_proxies_alike() -> None:
    for pairs in (1, UNIT, UNIT + 1, 2 * SMALLEST_HALF, 40_000, 10 * LARGEST_BLOCK + 1):
        lengths = block_lengths(pairs)
        assert len(set(lengths)) == 1
        assert lengths[0] % UNIT == 0
        assert lengths[0] <= LARGEST_BLOCK
        assert pairs <= sum(lengths) < pairs + UNIT * len(lengths)
        assert pairs < 2 * SMALLEST_HALF or len(lengths) > 1
    assert block_lengths(0) == []


def test_a_proxy_hears_nothing_of_the_other_and_the_helper_only_of_both() -> None:
    packing = Packing(32, 100)

    def program(party: Party, x: Shared, y: Shared) -> list[tuple[Role, Kind]]:
        told, both = ToldOrder(party, packing), opened(party, packing, x, y)
        assert party.trace is not None
        before = len(party.trace)
        one_round(party, told, *both)
        return [(moved.peer, moved.kind) for moved in party.trace[before:] if not moved.sent]

    x, y = drawn(np.random.default_rng(3), packing, 100)
    p0, p1, helper = run_local(program, share(x), share(y), keep_trace=True)
    assert {*p0, *p1} == {(Role.HELPER, Kind.TELL), (Role.HELPER, Kind.DEAL)}
    assert helper == [(Role.P0, Kind.TELL), (Role.P1, Kind.TELL)]


@pytest.mark.slow
@pytest.mark.parametrize("key_bits", [pytest.param(64, marks=pytest.mark.soak), 32])
def test_views_of_two_inputs_with_the_same_outcome_are_statistically_alike(key_bits: int) -> None:
    packing = Packing(key_bits, 1 << 20)

    def call(party: Party, x: Shared, y: Shared) -> None:
        both = opened(party, packing, x, y)
        one_round(party, ToldOrder(party, packing), *both)

    top = (1 << key_bits - 1) - 1
    first, second = (views(call, values) for values in ((1, 5), (top, -7)))
    for role in Role:
        # z is opened to the proxies, and the two messages to the helper fit together
        assert set(leaks(first[role], second[role])) <= {"pairs"}, role
