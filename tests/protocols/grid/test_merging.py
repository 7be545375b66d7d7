"""Cut points are merged until no owner sees too few samples between two of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.merging import surviving, surviving_plaintext
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, run

Counts = list[list[list[int]]]
"""For each class every owner's counts between the cut points."""


def drawn(seed: int) -> tuple[Counts, int]:
    """Few and many samples, of one to four owners, in one class or two, with empty parts."""
    rng = np.random.default_rng(seed)
    parts, owners, classes = (int(rng.integers(*ends)) for ends in ((2, 9), (1, 5), (1, 3)))
    most = int(rng.choice([1, 3, 10, 40]))
    counts = rng.integers(0, most + 1, (classes, owners, parts)) * (
        rng.random((classes, owners, parts)) < 0.7
    )
    return counts.tolist(), int(rng.integers(2, 9))


def enough(group: np.ndarray[tuple[int, int], np.dtype[np.int64]], least: int) -> bool:
    """Return whether every owner sees so many samples of each class beside its own."""
    seen = group if group.shape[1] == 1 else group.sum(axis=1, keepdims=True) - group
    return bool((seen >= least).all())


def check(counts: Counts, least: int, survived: list[bool]) -> None:
    """No group is too small in anybody's eyes, and no cut point is given up without need."""
    table = np.array(counts)
    assert survived[-1] == enough(table.sum(axis=2), least)
    ends = sorted({*(part for part, fine in enumerate(survived) if fine), table.shape[2] - 1})
    starts = [0, *(end + 1 for end in ends[:-1])]
    groups = [table[:, :, a : b + 1].sum(axis=2) for a, b in zip(starts, ends, strict=True)]
    assert sum(group.sum() for group in groups) == table.sum()

    if survived[-1]:
        assert all(enough(group, least) for group in groups)
    else:
        assert not any(survived)
    for a, b in zip(starts[:-1], ends[:-1], strict=True):
        # a cut point between would leave a group that is too small above it
        assert not any(enough(table[:, :, a : k + 1].sum(axis=2), least) for k in range(a, b))


def privately(drawings: list[tuple[Counts, int]]) -> list[list[bool]]:
    shares = [
        share(np.array(one, np.uint64)) for counts, _ in drawings for of in counts for one in of
    ]

    def program(party, *vectors):  # type: ignore[no-untyped-def]
        rest = iter(vectors)
        return [
            surviving(party, [[next(rest) for _ in of] for of in counts], least)
            for counts, least in drawings
        ]

    p0, p1, _ = run_local(program, *shares)
    return [
        [word == 1 for word in reconstruct(a.words, b.words).tolist()]
        for a, b in zip(p0, p1, strict=True)
    ]


def check_privately(seeds: range) -> None:
    drawings = [drawn(seed) for seed in seeds]
    for (counts, least), survived in zip(drawings, privately(drawings), strict=True):
        check(counts, least, survived)
        assert survived == surviving_plaintext(counts, least)


def test_no_group_is_too_small_and_no_sample_lost() -> None:
    check_privately(range(40))


@pytest.mark.soak
def test_no_group_of_two_thousand_histograms_is_too_small_and_no_sample_lost() -> None:
    check_privately(range(1000, 3000))


def test_two_thousand_histograms_in_the_clear_too() -> None:
    kept = 0
    for seed in range(3000, 5000):
        counts, least = drawn(seed)
        survived = surviving_plaintext(counts, least)
        check(counts, least, survived)
        kept += sum(survived)
    assert kept > 1000


def test_too_few_samples_in_all_leave_no_cut_point() -> None:
    assert surviving_plaintext([[[1, 1, 1], [0, 1, 0]]], 3) == [False] * 3
    assert privately([([[[1, 1, 1], [0, 1, 0]]], 3)]) == [[False] * 3]


def grid(*metrics: str) -> Options:
    return Options(metrics=metrics, decimals=3, resolution="bins:16")


def test_the_strictest_statistic_decides_for_all_cut_points_of_a_study() -> None:
    cuts = grid("ppv:at=0.5/0.25", "pr_curve:points=4,least=7", "roc_curve:points=2").pipeline.cuts
    assert cuts == Cuts((), (1, 2, 3), 7, both_classes=True)
    assert grid("ppv:at=0.5").pipeline.cuts == Cuts((), (1,))
    assert grid("auroc").pipeline.cuts == Cuts()
    assert not grid("roc_curve:points=2,least=1", "ppv:at=0.5").pipeline.cuts.merge


def test_every_table_of_a_study_reads_the_cut_points_that_survived_and_no_other() -> None:
    """Two samples above 0.75: with a curve in the study, nobody may read them at that threshold."""
    x = [0.9, 0.8] + [k / 48 for k in range(36)] * 3
    y = [1, 0] + [0, 1] * 54
    owners = tuple(Owner(x[k::3], y[k::3]) for k in range(3))
    metrics = ("confusion:at=0.75/0.5", "mcc:at=0.75/0.5", "ppv:at=0.75/0.5", "f1:at=0.75/0.5")
    alone = run(Study(owners, grid(*metrics))).results
    assert not any("undefined" in told for told in alone.values())
    together = run(Study(owners, grid(*metrics, "roc_curve:points=4"))).results
    for text in metrics:
        merged, kept, why = together[text].split("; ")
        assert set(merged.replace(",", "").split()[3::2]) == {"withheld"}
        assert why == (
            "withheld: fewer than 5 of a class between this cut and the next (roc_curve:least=5)"
        )
        assert kept == alone[text].split("; ")[1]
    at = [row.split(", ") for row in together["roc_curve:points=4"].split("; ")[:-1]]
    assert [row[1] != "fpr withheld" for row in at] == [True, True, False]
    assert Fraction(at[1][1].split()[1]) > 0
