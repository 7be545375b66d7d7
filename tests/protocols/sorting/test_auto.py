"""The choice of the sort, by public sizes, round trip and throughput: the same everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.role import Role
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import ties
from ppaurora.protocols.ranking.ranked import Scan, groups_cost
from ppaurora.protocols.sorting.auto import (
    CANDIDATES,
    MARGIN,
    MOST_PLANNED,
    WORK,
    AutoSort,
    best_sort,
    nanoseconds,
)
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.shuffled import ShuffledSort
from ppaurora.protocols.sorting.sort import SCANNING, Conditions, anew
from tests.protocols.studies import Owner, Study, owners_of, run

NEAR, FAR = Conditions(50, 100), Conditions(40_000, 1000)
EIGHT = (1000,) * 8


def test_short_round_trips_choose_the_network_and_long_ones_few_rounds():
    chosen = [best_sort(EIGHT, Conditions(us)) for us in (50, 4000, 10_000, 100_000)]
    assert chosen == [NetworkSort(), ShuffledSort(10), ShuffledSort(8), ShuffledSort(4)]


def test_many_samples_and_slow_lines_choose_the_network():
    assert best_sort((131_072,) * 8, FAR) == NetworkSort()
    assert best_sort((4000,) * 8, Conditions(10_000, 100)) == NetworkSort()
    assert best_sort((4000,) * 8, Conditions(10_000, 1000)) == ShuffledSort(12)


def test_no_candidate_is_faster_than_the_chosen_one_by_more_than_the_margin():
    rng = np.random.default_rng(1)
    for _ in range(20):
        sizes = rng.integers(0, 3000, rng.integers(1, 12)).tolist()
        where = Conditions(int(10 ** rng.uniform(1, 5)), int(10 ** rng.uniform(1, 4)))
        least = nanoseconds(best_sort(sizes, where), sizes, where)
        assert all(MARGIN * nanoseconds(sort, sizes, where) >= least for sort in CANDIDATES)


def test_columns_and_sorts_beside_count_with_their_bytes_and_their_work():
    rng = np.random.default_rng(3)
    for _ in range(20):
        sizes = rng.integers(0, 3000, rng.integers(2, 12)).tolist()
        where = Conditions(int(10 ** rng.uniform(2, 5)), int(10 ** rng.uniform(1, 4)))
        best = best_sort(sizes, where, columns=1, beside=2)
        least = nanoseconds(best, sizes, where, columns=1, beside=2)
        for sort in CANDIDATES:
            time = nanoseconds(sort, sizes, where, columns=1, beside=2)
            assert MARGIN * time >= least
            assert time > nanoseconds(sort, sizes, where)
    # a column is shuffled once, but moved by every comparator of the network
    where = Conditions(800)
    chosen = [
        best_sort(EIGHT, where).name,
        best_sort(EIGHT, where, columns=1).name,
        best_sort(EIGHT, where, columns=1, beside=2).name,
    ]
    assert chosen == ["network", "shuffled", "network"]


def of_two_scores(options):
    rng = np.random.default_rng(4)
    lists = [rng.random((2, size)).round(2) for size in (50, 40, 30)]
    owners = tuple(Owner(a, rng.integers(0, 2, a.size), b) for a, b in lists)
    return Study(owners, options)


def test_two_scores_of_each_sample_are_sorted_by_what_suits_both():
    asked, where = ("auroc_differs",), Conditions(5500, 200)
    two, one = Options(metrics=asked, merge="auto", conditions=where), Options(merge="auto")
    assert replace(one, conditions=where).decided(EIGHT).merge == "shuffled"
    assert two.decided(EIGHT).merge == "network"
    expected = run(of_two_scores(Options(metrics=asked))).results
    for conditions, name in ((NEAR, "network"), (FAR, "shuffled")):
        options = replace(two, conditions=conditions)
        assert options.decided((50, 40, 30)).merge == name
        assert run(of_two_scores(options)).results == expected


@pytest.mark.parametrize("where", [NEAR, FAR, Conditions(0, 1), Conditions(1_000_000, 10_000)])
def test_beside_each_sort_the_quicker_scan_is_counted(where):
    costs = [groups_cost(sum(EIGHT), Scan(few_hops=few)) for few in (False, True)]
    slow, quick = sorted((where.nanoseconds(one, SCANNING) for one in costs), reverse=True)
    assert slow > quick
    for sort in CANDIDATES:
        alone = where.nanoseconds(sort.cost(EIGHT), WORK[sort.name])
        assert nanoseconds(sort, EIGHT, where) == alone + quick


@pytest.mark.parametrize("sizes", [(), (0,), (5,), (1, 1)])
def test_few_samples_have_a_sort(sizes):
    assert best_sort(sizes, FAR).cost(sizes).payload < 30_000


@pytest.mark.parametrize("wrong", [{"round_trip_us": -1}, {"megabits": 0}])
def test_impossible_conditions_are_refused(wrong):
    with pytest.raises(ValueError, match="megabit"):
        Conditions(**wrong)


def test_a_delta_is_refused():
    with pytest.raises(OptionRefused, match="delta"):
        AutoSort.of(3)


def test_a_session_repeated_with_another_sort_hides_the_ties_by_the_same_dummies(monkeypatch):
    """Drawn anew each time, the dummies would average out over the repetitions."""
    told, differ = [], ties.differ

    def spy(first, second):
        told.append(differ(first, second).sum())
        return differ(first, second)

    monkeypatch.setattr(ties, "differ", spy)
    keys = {role: bytes([role]) * 32 for role in Role}
    for asked, times in (("auroc", 1), ("auroc_differs", 2)):
        for conditions in (NEAR, FAR):
            one = of_two_scores(Options(metrics=(asked,), ties="helper", conditions=conditions))

            def program(party, *uploads, one=one):
                return evaluate(party, one.options, uploads, sizes=one.sizes)

            run_local(program, *one.shares(), lasting_keys=keys)
        near, far = told[:times], told[times:]
        assert len(near) == len(far) == times
        assert near == far
        told.clear()


def test_it_is_what_runs_unless_a_study_says_otherwise():
    assert Options() == Options(merge="auto")


def study(options):
    rng = np.random.default_rng(2)
    scores, labels = rng.random(120).round(2), rng.integers(0, 2, 120)
    return Study(owners_of(scores, labels, [50, 40, 30]), options)


@pytest.mark.parametrize(("conditions", "name"), [(NEAR, "network"), (FAR, "shuffled")])
def test_a_study_runs_as_foreseen_for_its_conditions(conditions, name):
    one = study(Options(metrics=("auroc", "aupr"), merge="auto", conditions=conditions))
    outcome = run(one)
    assert outcome.results == one.expected()
    sort = best_sort((50, 40, 30), conditions)
    assert sort.name == name
    predicted = {phase.phase: phase for phase in phase_estimates(one.options, (50, 40, 30))}
    assert predicted["sort"].spent == sort.cost((50, 40, 30))
    assert predicted["sort"].exact == sort.cost_is_exact
    others = [phase.spent for phase in predicted.values() if phase.phase != "sort"]
    most = sort.most_cost((50, 40, 30))
    assert outcome.hops <= most.hops + sum(spent.hops for spent in others)
    assert outcome.payload <= most.payload + sum(spent.payload for spent in others)


def test_the_ledger_states_both_sorts_beforehand():
    told = ledger(Options(merge="auto"), (50, 40, 30)).learns
    [text] = [text for text in told.helper if "shuffled" in text]
    assert text.startswith("if the sort is shuffled: the outcomes of the sort's comparisons")
    assert told.P0 == ledger(Options(merge="network"), (50, 40, 30)).learns.P0
    assert told.onlookers == ()


def test_many_rows_in_any_order_are_shuffled_and_no_network_is_planned_for_them() -> None:
    """A plan for a million rows would take minutes, and more hops and bytes than the shuffle."""
    for rows in (MOST_PLANNED + 1, 1 << 20):
        for round_trip in (0, 200, 50_000):
            chosen = AutoSort().chosen_anew(rows, Conditions(round_trip_us=round_trip))
            assert isinstance(chosen, ShuffledSort)
    few = AutoSort().chosen_anew(2, Conditions())
    assert few == best_sort([1, 1], Conditions())
    # where both can be planned, the shuffle takes fewer hops and bytes than the network
    sizes = anew(MOST_PLANNED)
    network, shuffled = NetworkSort().cost(sizes), ShuffledSort().cost(sizes)
    assert network.hops > shuffled.hops
    assert network.payload > shuffled.payload
    assert NetworkSort().chosen_anew(9, Conditions()) == NetworkSort()
