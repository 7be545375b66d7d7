"""No small part of the samples lies between two cuts that are shown, whoever subtracts what."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.least_cell import (
    Priorities,
    by_halves,
    shown,
    shown_cost,
    shown_plaintext,
)
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, run

Counts = list[list[list[int]]]
"""For each class every owner's counts between the cuts."""
Drawn = tuple[Counts, Priorities, int]


def drawn(seed: int) -> Drawn:
    """Few and many samples of one to five owners, with empty parts, in an order drawn at random."""
    rng = np.random.default_rng(seed)
    parts, owners = int(rng.integers(1, 14)), int(rng.integers(1, 6))
    most = int(rng.choice([1, 3, 10, 40]))
    counts = rng.integers(0, most + 1, (2, owners, parts))
    counts *= rng.random((2, owners, parts)) < rng.choice([0.3, 0.7, 1])
    counts *= rng.random(parts) < rng.choice([0.5, 0.9])
    return (
        counts.tolist(),
        Priorities(tuple(rng.permutation(parts - 1).tolist())),
        int(rng.integers(2, 9)),
    )


def small_cells(counts: Counts, seen: list[bool], least: int) -> int:
    """Subtract every pair of cuts that are shown, with and without each owner's own samples."""
    table = np.array(counts)
    up_to = np.concatenate([np.zeros((*table.shape[:2], 1), np.int64), table.cumsum(axis=2)], 2)
    cuts = [place + 1 for place, fine in enumerate(seen) if fine]
    found = 0
    for above, below in combinations([0, *cuts] if cuts else [], 2):
        own = up_to[:, :, below] - up_to[:, :, above]
        everybody = own.sum(axis=1)
        eyes = [everybody] + [everybody - one for one in own.T if own.shape[1] > 1]
        for positives, negatives in eyes:
            if positives or negatives:
                found += int(positives < least or negatives < least)
    return found


def needlessly_withheld(counts: Counts, order: Priorities, seen: list[bool], least: int) -> int:
    """The withheld cuts that neither an end nor a cut of higher priority, not out, is near to."""
    table = np.array(counts)
    parts = table.shape[2]
    found = 0
    for cut in range(1, parts):
        if seen[cut - 1]:
            continue
        before = [k for k in range(1, parts) if order.ranks[k - 1] < order.ranks[cut - 1]]
        out = any(near(table, cut, end, least) for end in (0, parts))
        others = [one for one in before if not any(near(table, one, e, least) for e in (0, parts))]
        found += not (out or any(near(table, cut, other, least) for other in others))
    return found


def near(table: np.ndarray[Any, Any], cut: int, other: int, least: int) -> bool:
    """Return whether somebody sees fewer than so many of a class between two cuts."""
    own = table[:, :, min(cut, other) : max(cut, other)].sum(axis=2)
    others = own if own.shape[1] == 1 else own.sum(axis=1, keepdims=True) - own
    return bool((others < least).any())


def privately(drawings: list[Drawn]) -> list[list[bool]]:
    shares = [
        share(np.array(one, np.uint64)) for counts, *_ in drawings for of in counts for one in of
    ]

    def program(party, *vectors):  # type: ignore[no-untyped-def]
        rest = iter(vectors)
        return [
            shown(party, [[next(rest) for _ in of] for of in counts], order, least)
            for counts, order, least in drawings
        ]

    p0, p1, _ = run_local(program, *shares)
    return [
        [word == 1 for word in reconstruct(a.words, b.words).tolist()]
        for a, b in zip(p0, p1, strict=True)
    ]


def check_privately(seeds: range) -> None:
    drawings = [drawn(seed) for seed in seeds]
    for (counts, order, least), seen in zip(drawings, privately(drawings), strict=True):
        assert seen == shown_plaintext(counts, order, least)
        assert small_cells(counts, seen, least) == 0


def test_the_shares_show_the_cuts_that_the_clear_does_and_no_small_cell() -> None:
    check_privately(range(40))


@pytest.mark.soak
def test_no_small_cell_comes_out_of_five_thousand_drawn_tables() -> None:
    for start in range(10_000, 15_000, 100):
        check_privately(range(start, start + 100))


def test_no_small_cell_comes_out_of_three_thousand_tables_in_the_clear() -> None:
    kept = 0
    for seed in range(3000, 6000):
        counts, order, least = drawn(seed)
        seen = shown_plaintext(counts, order, least)
        assert small_cells(counts, seen, least) == 0
        assert needlessly_withheld(counts, order, seen, least) == 0
        kept += sum(seen[:-1])
    assert kept > 1500


def test_what_is_shown_leaves_a_small_cell_if_one_cut_more_is_shown() -> None:
    """The attack finds what it looks for: cuts that nothing withholds leave small cells."""
    assert (
        sum(
            small_cells(counts, [True] * len(counts[0][0]), least) > 0
            for counts, _, least in map(drawn, range(200))
        )
        > 100
    )


def test_too_few_samples_in_all_leave_no_cut() -> None:
    few: Drawn = ([[[1, 1, 1], [0, 1, 0]], [[9, 9, 9], [9, 9, 9]]], Priorities((0, 1)), 3)
    assert shown_plaintext(*few) == [False] * 3
    assert privately([few]) == [[False] * 3]
    one_class: Drawn = ([[[9, 9, 0]], [[0, 0, 0]]], Priorities((0, 1)), 3)
    assert shown_plaintext(*one_class) == [False] * 3


def test_a_cut_without_a_sample_before_the_next_follows_it() -> None:
    same: Drawn = ([[[9, 0, 9]], [[9, 0, 9]]], Priorities((1, 0)), 5)
    assert privately([same]) == [[True] * 3]
    near: Drawn = ([[[9, 0, 2, 9]], [[9, 0, 9, 9]]], Priorities((2, 1, 0)), 5)
    assert privately([near]) == [[False, False, True, True]]


def test_the_middle_comes_first_and_named_thresholds_before_equal_steps() -> None:
    assert by_halves(range(6)) == [3, 1, 5, 0, 2, 4]
    assert by_halves([]) == []
    cuts = asked("ppv:at=0.3/0.75/0.9", "roc_curve:points=4").pipeline.cuts
    # cuts from the highest scores down: 0.9, 0.75, 0.5, 0.3, 0.25
    assert (cuts.shown, cuts.order.ranks) == ((1, 2, 3, 4, 5), (1, 0, 4, 2, 3))


def test_the_cost_is_twelve_hops_and_one_for_each_level() -> None:
    for k, levels in ((0, 0), (1, 1), (7, 3), (63, 6)):
        order = Priorities.of(range(k), range(k))
        assert len(order.levels) == levels
        counts: Counts = [[[9] * (k + 1)] * 3] * 2
        own = [share(np.array(one, np.uint64)) for of in counts for one in of]

        def program(party, *own, order=order):  # type: ignore[no-untyped-def]
            shown(party, [own[:3], own[3:]], order, 5)
            return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

        parties = run_local(program, *own)
        cost = shown_cost(order, 6)
        assert max(hops for hops, _ in parties) == cost.hops == (12 + levels if k else 8)
        assert sum(payload for _, payload in parties) == cost.payload


def asked(*metrics: str, least_cell: int = 5) -> Options:
    return Options(metrics=metrics, decimals=3, least_cell=least_cell)


def test_one_least_cell_holds_for_all_cut_points_of_a_study() -> None:
    cuts = asked("ppv:at=0.5/0.25", "pr_curve:points=4", least_cell=7).pipeline.cuts
    assert (cuts.shown, cuts.least) == ((1, 2, 3), 7)
    assert asked("auroc").parts[0].of(asked("auroc")) is not None
    assert asked("brier").pipeline.cuts == Cuts()
    assert not asked("roc_curve:points=2", least_cell=1).pipeline.cuts.withhold


def test_every_table_of_a_study_reads_the_cut_points_that_are_shown_and_no_other() -> None:
    """Two samples above 0.75: nobody may read them, whichever statistic asks."""
    x = [0.9, 0.8] + [k / 48 for k in range(36)] * 3
    y = [1, 0] + [0, 1] * 54
    owners = tuple(Owner(x[k::3], y[k::3]) for k in range(3))
    metrics = ("confusion:at=0.75/0.5", "mcc:at=0.75/0.5", "ppv:at=0.75/0.5", "f1:at=0.75/0.5")
    alone = run(Study(owners, asked(*metrics, least_cell=1))).results
    assert not any("withheld" in told for told in alone.values())
    together = run(Study(owners, asked(*metrics, "roc_curve:points=4"))).results
    for text in metrics:
        first, kept, why = together[text].split("; ")
        assert set(first.replace(",", "").split()[3::2]) == {"withheld"}
        assert why == "withheld: fewer than 5 of a class between this cut and another"
        assert kept == alone[text].split("; ")[1]


def test_class_counts_below_the_least_cell_are_withheld() -> None:
    owners = tuple(Owner([0.1, 0.2, 0.3, 0.4], [0, 0, 0, int(k == 2)]) for k in range(3))
    assert run(Study(owners, asked("class_counts"))).results["class_counts"] == (
        "withheld: fewer than 5 of a class in all, in some owner's eyes"
    )
    assert (
        "withheld"
        not in run(Study(owners, asked("class_counts", least_cell=1))).results["class_counts"]
    )


def test_every_label_is_refused_beside_a_least_cell() -> None:
    with pytest.raises(OptionRefused, match="would tell every label"):
        asked("labels_by_rank:samples=50")
    assert asked("labels_by_rank:samples=50", least_cell=1).least_cell == 1
