"""The public part of the sort by opened comparisons: every order is found, by few comparisons."""

from itertools import permutations

import numpy as np
import pytest

from ppaurora.protocols.sorting.opened_order import OpenedOrder, meetings, pivots
from ppaurora.protocols.sorting.shuffled import MOST_OVER_MEAN, TENTHS, comparisons


def found(x, rounds):
    """The order that the outcomes give, and how many pairs met in each round."""
    known = OpenedOrder(x.size)
    met = []
    for left in range(rounds, 0, -1):
        i, j = known.pairs(left)
        assert np.all(i != j)
        assert np.unique(i * x.size + j).size == i.size
        met.append(i.size)
        known.learn(x[i] < x[j])
    return known.order, met


@pytest.mark.parametrize("rounds", [1, 2, 3, 6])
def test_every_order_of_few_elements_is_found(rounds):
    for n in range(6):
        for order in permutations(range(n)):
            x = np.array(order, np.int64)
            assert x[found(x, rounds)[0]].tolist() == list(range(n))


@pytest.mark.parametrize("rounds", TENTHS)
@pytest.mark.parametrize("n", [57, 192, 1000])
def test_any_order_of_many_elements_is_found(n, rounds):
    x = np.random.default_rng(n).permutation(n)
    order, met = found(x, rounds)
    assert x[order].tolist() == list(range(n))
    assert met[0] == meetings(n, rounds)


def test_pivots_are_the_rounded_root():
    sizes = np.arange(4, 3000)
    for rounds in (2, 3, 6):
        root = np.floor(1.15 * sizes ** (1 / rounds) + 0.5 + 1e-9).astype(int)
        exact = root.clip(1, sizes)
        assert np.all(pivots(sizes, rounds) == exact)
    assert np.all(pivots(sizes, 1) == sizes)


@pytest.mark.parametrize(("n", "runs"), [(64, 60), (300, 20), (2000, 4)])
@pytest.mark.parametrize("rounds", TENTHS)
def test_the_declared_mean_and_bound_are_those_of_random_orders(n, runs, rounds):
    rng = np.random.default_rng(n * rounds)
    taken = [sum(found(rng.permutation(n), rounds)[1]) for _ in range(runs)]
    mean = comparisons(n, rounds)
    assert np.mean(taken) == pytest.approx(mean, rel=0.2)
    assert max(taken) <= MOST_OVER_MEAN * mean
