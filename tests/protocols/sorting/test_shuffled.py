"""The sort that shuffles, then opens: lists of every shape, what is opened, what it costs."""

from importlib import import_module
from math import factorial, log, sqrt

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives.shuffle import masked_shuffle_cost
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.sorting import shuffled
from ppaurora.protocols.sorting.opened_order import OpenedOrder
from ppaurora.protocols.sorting.shuffled import Plan, ShuffledSort

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
    assert Plan.of(40_000, 6).packing.place_bits == 32
    assert Plan.of(1 << 15, 6).packing.place_bits == 16
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


@pytest.mark.parametrize("kind", KINDS)
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


def test_the_helper_hears_how_many_blocks_are_missing_and_nothing_else():
    lists = drawn(np.random.default_rng(5), "tied", (64, 64, 64))
    *_, traces = run(lists, ShuffledSort(6))
    received = [moved for moved in traces[Role.HELPER] if not moved.sent]
    assert [moved.length for moved in received if moved.kind is Kind.TELL] == [1] * 5
    assert {moved.kind for moved in received} == {Kind.TELL, Kind.PERMUTED}


# -- what it costs ---------------------------------------------------------------------------------


def test_few_elements_meet_in_one_round_at_the_declared_cost():
    for sizes in ((1, 1), (2, 1), (20, 13), (1, 0, 40)):
        for kind in KINDS:
            lists = drawn(np.random.default_rng(6), kind, sizes)
            _, hops, payload, _ = run(lists, ShuffledSort())
            spent = ShuffledSort().cost(sizes)
            assert (hops, payload) == (spent.hops, spent.payload) == (5, spent.payload)
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
    assert mean.hops == 1 + 4 * rounds
    assert 0.8 * mean.hops <= hops <= most.hops
    assert 0.75 * mean.payload <= payload <= most.payload


def blocks_of_one_sort(rng, plan):
    """The blocks dealt to a sort of a random order, those used, and the rounds that miss some."""
    order, rank = OpenedOrder(plan.n), rng.permutation(plan.n)
    dealt = used = late = 0
    for done, supply in enumerate(plan.supplies):
        i, j = order.pairs(len(plan.supplies) - done)
        order.learn(rank[i] < rank[j])
        used += -(-i.size // plan.packing.length)
        # what is missing is dealt behind the supply
        dealt += supply
        late += used > dealt
        dealt = max(dealt, used)
    return dealt, used, late


@pytest.mark.parametrize("rounds", [3, 6, 8, 10, 12])
def test_blocks_are_hardly_ever_missing_however_many_rounds_there_are(rounds):
    rng, plan = np.random.default_rng(10), Plan.of(1000, rounds)
    assert sum(blocks_of_one_sort(rng, plan)[2] for _ in range(8)) <= 4


@pytest.mark.parametrize(("n", "rounds"), [(100, 5), (86, 10)])
def test_no_sort_of_a_block_or_two_a_round_takes_more_bytes_than_the_bound(n, rounds):
    rng, plan = np.random.default_rng(0), Plan.of(n, rounds)
    packing, first = plan.packing, plan.supplies[0]
    # beside the blocks; the first round does not open its keys and places
    other = masked_shuffle_cost(plan.layout(columns=0)).payload + 8 * (rounds - 1)
    other -= first * (packing.opened_payload - packing.wires_payload)
    most = ShuffledSort(rounds).most_cost((n - 1, 1)).payload
    for _ in range(30):
        dealt, used, _ = blocks_of_one_sort(rng, plan)
        assert other + dealt * packing.dealt_payload + used * packing.opened_payload <= most


def test_eight_thousand_samples_are_sorted_in_25_hops_and_23_megabytes():
    spent = ShuffledSort(6).cost([1000] * 8)
    assert spent.hops == 25
    assert spent.payload <= 23_000_000
    assert ShuffledSort(12).cost([1000] * 8).payload <= 15_500_000
