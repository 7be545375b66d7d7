"""The sort that shuffles, then opens: lists of every shape, what is opened, what it costs."""

from importlib import import_module
from math import factorial, log, sqrt

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives.shuffle import masked_shuffle_cost
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.sorting import shuffled
from ppaurora.protocols.sorting.opened_order import OpenedOrder
from ppaurora.protocols.sorting.shuffled import Plan, ShuffledSort
from tests.further import some_of

pytestmark = pytest.mark.usefixtures("same_keys")

FALSE_ALARM = 1e-9
TOP = 2**63 - 1


def drawn(rng, kind, sizes):
    """Lists of keys, each descending."""
    pool = {"all tied": [5], "tied": [0, 1, TOP - 1, TOP], "distinct": None}[kind]
    keys = rng.integers(0, TOP, sum(sizes)) if pool is None else rng.choice(pool, sum(sizes))
    pieces = np.split(keys, np.cumsum(sizes)[:-1])
    return [np.sort(piece)[::-1] for piece in pieces]


KINDS = ("all tied", "tied", "distinct")
SIZES = [
    (0,), (1,), (0, 0), (0, 3), (1, 1), (2, 1), (1, 0, 2), (5, 4, 0, 7), (60, 1), (64, 64, 64),
]  # fmt: skip


def run(lists, sort):
    """The parties' results, with their hops and bytes."""

    def program(party, *own):
        ranked = sort.sorted(party, own)
        payload = sum(link.counters.bytes_sent for link in party.links.values())
        return ranked, party.hops, payload, party.trace

    at = run_local(program, *map(share, lists), keep_trace=True)
    keys = open_locally([ranked for ranked, *_ in at]).view(np.int64)
    return keys, max(one[1] for one in at), sum(one[2] for one in at), [one[3] for one in at]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("rounds", [3, 6])
def test_lists_of_every_shape_become_one(sizes, rounds):
    for kind in KINDS:
        lists = drawn(np.random.default_rng(len(sizes)), kind, sizes)
        keys, *_ = run(lists, ShuffledSort(rounds))
        assert keys.tolist() == sorted((k for one in lists for k in one.tolist()), reverse=True)


def test_more_places_than_16_bits_hold_are_sorted():
    lists = drawn(np.random.default_rng(1), "tied", (20_000, 20_000))
    assert Plan.of(40_000, 6).packing.places.bits == 32
    assert Plan.of(1 << 15, 6).packing.places.bits == 16
    keys, *_ = run(lists, ShuffledSort(6))
    assert keys.tolist() == np.sort(np.concatenate(lists))[::-1].tolist()


def test_a_delta_is_refused():
    with pytest.raises(OptionRefused, match="delta"):
        ShuffledSort.of(3)


def test_rounds_of_which_nothing_was_measured_are_refused():
    with pytest.raises(ValueError, match="7 rounds"):
        ShuffledSort(7)


def test_two_sorts_run_side_by_side():
    rng = np.random.default_rng(2)
    first, second = (drawn(rng, "tied", (70, 50)) for _ in range(2))
    sort = ShuffledSort(4)

    def program(party, *own):
        both = side_by_side(
            party, [lambda p: sort.sorted(p, own[:2]), lambda p: sort.sorted(p, own[2:])]
        )
        # the streams go on after the lanes
        return [*both, sort.sorted(party, own[:2])], party.hops

    at = run_local(program, *map(share, [*first, *second]))
    for number, lists in enumerate((first, second, first)):
        keys = open_locally([results[number] for results, _ in at]).view(np.int64)
        assert keys.tolist() == np.sort(np.concatenate(lists))[::-1].tolist()


# -- what is opened --------------------------------------------------------------------------------


def opened_orders(monkeypatch, lists, runs):
    """The orders that P0 saw in so many sorts of the same lists."""
    orders = []
    opened = shuffled._opened

    def spy(lane, *rest):
        order, rows = opened(lane, *rest)
        if lane.role is Role.P0:
            orders.append(tuple(order.tolist()))
        return order, rows

    def program(party, *own):
        for _ in range(runs):
            ShuffledSort(3).sorted(party, own)

    with monkeypatch.context() as patch:
        patch.setattr(shuffled, "_opened", spy)
        run_local(program, *map(share, lists))
    return orders


def uneven(orders, n):
    """Return whether the orders are further from uniform than chance explains.

    Chi-squared with k = n! - 1: P(X >= k + 2·sqrt(k·x) + 2·x) <= exp(-x) for many orders of each.
    """
    seen = np.unique(orders, axis=0, return_counts=True)[1]
    expected = len(orders) / factorial(n)
    counts = np.concatenate([seen, np.zeros(factorial(n) - seen.size)])
    k, x = factorial(n) - 1, -log(FALSE_ALARM)
    return float(((counts - expected) ** 2 / expected).sum()) > k + 2 * sqrt(k * x) + 2 * x


RUNS = 240
FEW = (2, 2)


@pytest.mark.parametrize("kind", some_of(KINDS, in_ci=["all tied", "distinct"]))
def test_the_opened_order_is_uniform_whatever_is_tied(monkeypatch, kind):
    lists = drawn(np.random.default_rng(3), kind, FEW)
    assert not uneven(opened_orders(monkeypatch, lists, RUNS), sum(FEW))


def test_ties_broken_by_the_place_after_the_shuffle_would_show(monkeypatch):
    real = shuffled.masked_shuffle

    def keys_before_the_places(party, layout, columns, *, prepare):
        if not party.is_helper:
            # the proxies shuffle the keys by themselves, and nobody what follows
            stream = party.common(party.unique_name("keys"))
            keys, places = columns
            columns = [keys[stream.permutation(layout.n)], places]
        return real(party, layout, columns, prepare=prepare)

    monkeypatch.setattr(shuffled, "masked_shuffle", keys_before_the_places)
    shuffle = import_module("ppaurora.mpc.primitives.shuffle")  # not the function
    monkeypatch.setattr(shuffle, "_within", lambda lengths, stream: np.arange(sum(lengths)))
    lists = drawn(np.random.default_rng(3), "all tied", FEW)
    assert uneven(opened_orders(monkeypatch, lists, RUNS), sum(FEW))
    distinct = drawn(np.random.default_rng(3), "distinct", FEW)
    assert not uneven(opened_orders(monkeypatch, distinct, RUNS), sum(FEW))


def lengths_seen(kind, runs):
    """The bytes of the comparisons of each sort, by the frames that P0 sent."""
    lists = drawn(np.random.default_rng(4), kind, (60, 40))

    def program(party, *own):
        seen = []
        for _ in range(runs):
            before = len(party.trace)
            ShuffledSort(6).sorted(party, own)
            seen.append(sum(moved.length for moved in party.trace[before:] if moved.sent))
        return seen

    return run_local(program, *map(share, lists), keep_trace=True)[Role.P0]


def test_the_trace_follows_the_same_law_for_tied_and_for_distinct_keys():
    runs = 60
    tied, distinct = (lengths_seen(kind, runs) for kind in ("all tied", "distinct"))
    # Dvoretzky, Kiefer, Wolfowitz: P(further than t from the law) <= 2·exp(-2·runs·t²)
    t = sqrt(log(4 / FALSE_ALARM) / (2 * runs))
    values = sorted({*tied, *distinct})
    assert len(values) > 1
    apart = [abs(sum(v <= x for v in tied) - sum(v <= x for v in distinct)) for x in values]
    assert max(apart) / runs <= 2 * t


def test_the_helper_hears_of_every_round_from_both_proxies_and_tells_both_alike():
    lists = drawn(np.random.default_rng(5), "tied", (64, 64, 64))
    *_, traces = run(lists, ShuffledSort(6))
    of_helper = [moved for moved in traces[Role.HELPER] if moved.kind is not Kind.DEAL]
    heard = [moved for moved in of_helper if not moved.sent]
    assert [moved.kind for moved in heard] == [Kind.PERMUTED] * 3 + [Kind.TELL] * 12
    for first, second in zip(heard[1::2], heard[2::2], strict=True):
        assert (first.peer, second.peer) == (Role.P0, Role.P1)
        assert first.length == second.length
    sent = [(moved.peer, moved.kind) for moved in of_helper if moved.sent]
    assert sent == [(p, Kind.PERMUTED) for p in PROXIES] + [(p, Kind.TELL) for p in PROXIES] * 6
    # between the proxies nothing moves but the rows, and zeros
    for proxy in PROXIES:
        between = [moved for moved in traces[proxy] if moved.peer is not Role.HELPER]
        assert [moved.kind for moved in between] == [Kind.PERMUTED] * 4


def test_all_three_learn_the_same_order_and_the_helper_knows_no_opened_number(monkeypatch):
    seen = {role: [] for role in Role}
    opened = shuffled._opened

    def spy(lane, *rest):
        order, rows = opened(lane, *rest)
        seen[lane.role].append(order.tolist())
        return order, rows

    monkeypatch.setattr(shuffled, "_opened", spy)
    run(drawn(np.random.default_rng(9), "tied", (64, 64, 64)), ShuffledSort(6))
    assert seen[Role.P0] == seen[Role.P1] == seen[Role.HELPER]


# -- what it costs ---------------------------------------------------------------------------------


def test_few_elements_meet_in_one_round_at_the_declared_cost():
    for sizes in ((1, 1), (2, 1), (20, 13), (1, 0, 40)):
        for kind in KINDS:
            lists = drawn(np.random.default_rng(6), kind, sizes)
            _, hops, payload, _ = run(lists, ShuffledSort())
            spent = ShuffledSort().cost(sizes)
            assert (hops, payload) == (spent.hops, spent.payload) == (4, spent.payload)
            assert ShuffledSort().most_cost(sizes) == spent


@pytest.mark.parametrize("sizes", [(0, 0), (7,), (0, 9)])
def test_a_single_list_is_sorted_already_and_costs_nothing(sizes):
    lists = drawn(np.random.default_rng(7), "tied", sizes)
    _, hops, payload, _ = run(lists, ShuffledSort())
    assert (hops, payload) == (0, 0)
    assert (ShuffledSort().cost(sizes).hops, ShuffledSort().cost(sizes).payload) == (0, 0)


@pytest.mark.parametrize("rounds", [3, 6, 12])
def test_a_sort_takes_about_its_declared_cost_and_less_than_the_bound(rounds):
    sizes = (300, 200, 100)
    sort = ShuffledSort(rounds)
    mean, most = sort.cost(sizes), sort.most_cost(sizes)
    _, hops, payload, _ = run(drawn(np.random.default_rng(8), "tied", sizes), sort)
    # a round in which nothing is left to compare takes no hops
    assert mean.hops == most.hops == 2 + 2 * rounds
    assert 0.8 * mean.hops <= hops <= most.hops
    assert 0.7 * mean.payload <= payload <= most.payload


@pytest.mark.parametrize("rounds", [3, 6, 8, 10, 12])
def test_the_declared_bytes_are_about_those_of_random_orders_and_hardly_ever_exceeded(rounds):
    rng = np.random.default_rng(10)
    for sizes in ((500, 500), (99, 1)):
        sort, n = ShuffledSort(rounds), sum(sizes)
        plan = Plan.of(n, rounds)
        taken = []
        for _ in range(8):
            order, rank, payload = OpenedOrder(n), rng.permutation(n), 0
            for left in range(plan.rounds, 0, -1):
                i, j = order.pairs(left)
                order.learn(rank[i] < rank[j])
                payload += plan.packing.payload(i.size)
            taken.append(payload)
        shuffle = masked_shuffle_cost(plan.layout(columns=0)).payload
        assert shuffle + max(taken) <= sort.most_cost(sizes).payload
        if n == 1000:
            # few elements are in order before the last round
            mean = sort.cost(sizes).payload - shuffle
            assert abs(np.mean(taken) - mean) <= 0.2 * mean


def test_eight_thousand_samples_are_sorted_in_14_hops_and_20_or_10_megabytes():
    spent = ShuffledSort(6).cost([1000] * 8)
    assert spent.hops == 14
    assert spent.payload <= 20_500_000
    assert ShuffledSort(12).cost([1000] * 8).payload <= 15_000_000
    narrow = ShuffledSort(6).cost([1000] * 8, narrow=True)
    assert narrow.hops == 14
    assert narrow.payload <= 10_000_000
