"""Replicates have the law that they should, and the check refuses what cannot be one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, chisquare, poisson

from ppaurora.mpc.streams import Stream
from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.grid.resampling import CLASS, NONE, STRATA, Resampling, redrawn
from ppaurora.protocols.grid.resampling import poisson as drawn
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.delong import placed
from tests.protocols.grid.test_layout import verdicts
from tests.protocols.studies import Owner, upload_of

KEY = bytes(range(16))


@pytest.mark.parametrize("mean", [1, 7, 40, 1000, 10**7])
def test_draws_follow_the_law_of_poisson(mean: int) -> None:
    values = drawn(np.full(20_000, mean, np.uint64), 1, Stream(KEY))[0].astype(np.int64)
    edges = np.unique(poisson.ppf(np.linspace(0.02, 0.98, 15), mean))
    observed = np.bincount(np.searchsorted(edges, values), minlength=edges.size + 1)
    below = np.concatenate([[0.0], poisson.cdf(edges, mean), [1.0]])
    assert chisquare(observed, np.diff(below) * values.size).pvalue > 1e-4


def test_draws_of_one_count_do_not_tell_of_another_or_of_another_draw() -> None:
    values = drawn(np.array([9, 9, 30], np.uint64), 20_000, Stream(KEY)).astype(float)
    together = np.corrcoef(np.c_[values[1:], values[:-1]].T)
    assert np.abs(together - np.eye(6)).max() < 0.03


def test_draws_of_all_samples_have_the_law_of_draws_with_replacement() -> None:
    counts = np.array([3, 0, 50, 47], np.uint64)
    values = redrawn(counts, 20_000, Stream(KEY)).astype(int)
    assert set(values.sum(axis=1)) == {100}
    assert not values[:, 1].any()
    for place, count in enumerate(counts.tolist()):
        observed = np.bincount(values[:, place], minlength=101)
        chances = binom.pmf(np.arange(101), 100, count / 100)
        often = chances * 20_000 > 20
        if often.sum() > 1:
            rest = [20_000 - observed[often].sum(), 20_000 * (1 - chances[often].sum())]
            told = chisquare([*observed[often], rest[0]], [*(chances[often] * 20_000), rest[1]])
            assert told.pvalue > 1e-4
    # multinomial: -n·p·q
    wanted = -100 * 0.5 * 0.47
    assert np.cov(values[:, 2], values[:, 3])[0, 1] == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("n", [1, 2, 3, 1000, 2**20 + 1])
def test_a_draw_from_no_samples_and_from_all_of_one_part_is_as_many(n: int) -> None:
    assert redrawn(np.array([0, n, 0], np.uint64), 2, Stream(KEY)).tolist() == [[0, n, 0]] * 2
    assert not redrawn(np.zeros(3, np.uint64), 2, Stream(KEY)).any()


def test_strata_keep_what_they_say() -> None:
    grid = Thresholds((Fraction(1, 4), Fraction(1, 2)))
    counts = np.array([5, 0, 7, 30, 20, 10], np.uint64)
    for strata in STRATA:
        resampling = Resampling(50, grid.thresholds, strata)
        drawn_rows = resampling.drawn(grid, counts, Stream(KEY)).reshape(50, 2, 3)
        classes = {tuple(row) for row in drawn_rows.sum(axis=2).tolist()}
        assert (classes == {(12, 60)}) == (strata == CLASS)
        assert ({sum(one) for one in classes} == {72}) == (strata != NONE)


def test_a_secret_draws_the_same_again_and_another_secret_does_not() -> None:
    means = np.array([3, 0, 50], np.uint64)
    first, again, other = (drawn(means, 40, Stream(key)) for key in (KEY, KEY, KEY[::-1]))
    assert (first == again).all()
    assert (first != other).any()
    assert not first[:, 1].any()


def test_the_spread_of_the_replicates_is_delongs_standard_error() -> None:
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, 900)
    owner = Owner(np.clip(rng.normal(0.4 + 0.15 * labels, 0.2), 0, 1), labels)
    options = Options(
        metrics=("bootstrap:strata=none,replicates=800",), decimals=6, resolution="bins:1024"
    )
    data = options.pipeline.plaintext([upload_of(owner, options)])
    [rows] = data.replicates.values()
    areas = []
    for positives, negatives in np.array(rows):
        areas.append(negatives @ (positives.cumsum() - positives / 2))
        areas[-1] /= positives.sum() * negatives.sum()
    exact = placed(data)
    assert exact is not None
    assert np.std(areas) == pytest.approx(float(exact.variance) ** 0.5, rel=0.1)
    assert np.mean(areas) == pytest.approx(float(exact.area), abs=0.002)


HALVES = (Fraction(1, 2),)
LAYOUT = Options(
    metrics=(
        "bootstrap:strata=none,replicates=20,bins=2",
        "bootstrap:strata=none,replicates=21,bins=2",
    ),
    resolution="bins:2",
).pipeline.layout
HONEST = [1, 2, 3, 4]


def replicates(first: list[int]) -> list[int]:
    """An upload of ten samples whose replicates are like them, but for one."""
    return [*HONEST, *HONEST * 19, *first, *HONEST * 21]


@pytest.mark.parametrize(
    "lie",
    [[85, 0, 0, 0], [-1, 2, 3, 4], [1 << 31, 0, 0, 0], [1 << 62] * 4, [2**63 - 1, 2**63 - 1, 2, 3]],
)
def test_a_replicate_that_no_such_list_has_is_refused(lie: list[int]) -> None:
    told = verdicts(
        (replicates(HONEST), 10), (replicates(lie), 10), (replicates([84, 0, 0, 0]), 10),
        layout=LAYOUT,
    )  # fmt: skip
    assert told == [True, False, True]


@pytest.mark.parametrize("lie", [[1, 2, 3, 3], [1, 2, 3, 5], [-1, 4, 3, 4]])
def test_a_replicate_of_another_number_of_samples_is_refused(lie: list[int]) -> None:
    layout = Options(metrics=("bootstrap:replicates=20,bins=2",), resolution="bins:2")
    told = verdicts(
        ([*HONEST * 21], 10), ([*HONEST, *lie, *HONEST * 19], 10), layout=layout.pipeline.layout
    )
    assert told == [True, False]


def test_a_study_draws_each_resampling_once() -> None:
    assert LAYOUT.resamplings == (Resampling(20, HALVES, NONE), Resampling(21, HALVES, NONE))
    same = Options(
        metrics=(
            "bootstrap:strata=none,replicates=20,bins=2",
            "bootstrap:strata=none,replicates=20,level=0.5,bins=2",
        ),
    )
    assert same.pipeline.layout.resamplings == (Resampling(20, HALVES, NONE),)
