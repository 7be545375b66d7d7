"""Replicates of whole clusters: against rows that are drawn one cluster after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import poisson

from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.resampling import NONE, Resampling
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.counted_clusters import CountedClusters
from ppaurora.protocols.pipelines.together import Together
from ppaurora.protocols.statistics.bootstrap import Bootstrap, ClusterBootstrap
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols import pooled
from tests.protocols.grid.test_layout import verdicts
from tests.protocols.statistics import test_auroc_clusters
from tests.protocols.statistics.test_bootstrap import in_words
from tests.protocols.studies import Owner, Study, keys_of, run, run_all, upload_of

AUROC = "bootstrap:replicates=21,level=0.7,unit=cluster,largest=60"
FREE = "bootstrap:replicates=20,level=0.5,strata=none,unit=cluster,largest=60"
RATES = "bootstrap:replicates=20,unit=cluster,largest=60,of=ppv:at=0.5/0.3"
BENEFIT = "bootstrap:replicates=20,level=0.5,strata=none,unit=cluster,largest=60,of=youden:at=0.3"
PRECISION = "bootstrap:replicates=20,unit=cluster,largest=60,of=average_precision"
ASKED = ((AUROC, RATES, "brier"), (FREE, BENEFIT), (PRECISION,))
PLAIN = Options(metrics=ASKED[0], resolution="decimals:2", least_cell=1)

Row = tuple[float, int]
Cells = list[Fraction | None]


def drawn(count: int, seed: int) -> list[Study]:
    """Studies of 1 to 5 owners with clusters of all sizes, scores of two decimals."""
    studies = []
    for place, one in enumerate(test_auroc_clusters.drawn(count, seed)):
        owners = tuple(replace(own, scores=np.round(own.scores, 2).tolist()) for own in one.owners)
        options = replace(
            PLAIN,
            metrics=ASKED[place % len(ASKED)],
            decimals=one.options.decimals,
        )
        studies.append(Study(owners, options, one.direction))
    return studies


def rows_of(owner: Owner) -> list[Row]:
    pairs = zip(owner.scores, owner.labels, strict=True)
    return [(float(score), int(label)) for score, label in pairs]


def replicates(owner: Owner, one: Bootstrap) -> list[list[Row]]:
    """The rows of each replicate: of every cluster that is drawn all, once for each draw."""
    clusters = range(0) if owner.parts is None else owner.parts
    members: dict[int, list[Row]] = {}
    for row, cluster in zip(rows_of(owner), clusters, strict=True):
        members.setdefault(cluster, []).append(row)
    every = [members[cluster] for cluster in sorted(members)]
    stream = one.resampling.stream(bytes(KEY_BYTES))
    found = []
    for _ in range(one.replicates):
        if one.strata == NONE:
            chances = (stream.array((1, len(every)))[0] >> np.uint64(1)) / 2.0**63
            times = poisson.ppf(chances, 1).astype(int).tolist()
            chosen = [place for place, often in enumerate(times) for _ in range(often)]
        else:
            words = stream.array((len(every),)).tolist()
            chosen = [(word >> 11) * len(every) // 2**53 for word in words]
        found.append([row for place in chosen for row in every[place]])
    return found


def numbers(one: Bootstrap, rows: Sequence[Row], sign: int) -> Cells:
    """The metric of these rows, at each of its thresholds."""
    scores, labels = [sign * score for score, _ in rows], [label for _, label in rows]
    of, _, at = one.of.partition(":at=")
    if not at:
        both = {"auroc": pooled.auroc, "average_precision": pooled.average_precision}
        return [both[of](scores, labels)]
    P, found = sum(labels), []
    for threshold in at.split("/"):
        called = [y for x, y in zip(scores, labels, strict=True) if x >= sign * float(threshold)]
        tp, fp, N = sum(called), len(called) - sum(called), len(labels) - P
        if of == "ppv":
            found.append(Fraction(tp, tp + fp) if called else None)
        else:
            found.append(Fraction(tp, P) - Fraction(fp, N) if P and N else None)
    return found


def check(study: Study, results: dict[str, str]) -> int:
    """The number of rows with limits; every result is that of numpy's percentiles."""
    sign, defined = (1 if study.direction == "higher" else -1), 0
    for one in study.options.asked:
        if not isinstance(one, Bootstrap):
            continue
        each = [replicates(owner, one) for owner in study.owners]
        together = [[row for own in lists for row in own] for lists in zip(*each, strict=True)]
        values = numbers(one, [row for own in study.owners for row in rows_of(own)], sign)
        of_replicates = [numbers(one, rows, sign) for rows in together]
        told = results[one.text]
        if told.startswith("undefined"):
            assert values == [None]
            continue
        rows = [row for row in told.split("; ") if not row.startswith("undefined:")]
        for row, value, found in zip(rows, values, zip(*of_replicates, strict=True), strict=True):
            limits: Cells = [None, None]
            if None not in found:
                tail = (1 - one.level) / 2
                # exact numbers, in the order that numpy finds
                shares = [float(tail), float(1 - tail)]
                order = np.argsort([float(number) for number in found], kind="stable")
                places = np.percentile(
                    np.arange(len(found)), [100 * s for s in shares], method="inverted_cdf"
                )
                limits = [found[order[int(place)]] for place in places]
            cells = [cell.split()[-1] for cell in row.split(", ") if "threshold" not in cell]
            assert cells == [in_words(n, study.options.decimals) for n in (value, *limits)], row
            defined += limits[0] is not None
    return defined


def test_limits_are_numpys_percentiles_of_rows_drawn_by_clusters() -> None:
    studies = drawn(6, 3)
    results = run_all(studies)
    assert sum(check(one, out.results) for one, out in zip(studies, results, strict=True)) > 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_percentiles_of_rows_drawn_by_clusters(part: int) -> None:
    studies, defined = drawn(100, 20 + part), 0
    for start in range(0, 100, 10):
        batch = studies[start : start + 10]
        for one, out in zip(batch, run_all(batch), strict=True):
            defined += check(one, out.results)
    print(f"part {part}: {defined} pairs of limits")
    assert defined > 40


# -- draws -----------------------------------------------------------------------------------------

GRID = Options(metrics=("bootstrap",), resolution="decimals:1").pipeline.layout.grid


def rows_drawn(resampling: Resampling, clusters: Sequence[int]) -> np.ndarray:
    """Draws of each row in each replicate, every row in a part of its own."""
    n = len(clusters)
    words = resampling.drawn_clusters(
        GRID, np.arange(n), np.ones(n, int), np.array(clusters), resampling.stream(bytes(16))
    )
    return words.reshape(resampling.replicates, 2, -1)[:, 0, :n].astype(int)


def of_grid(strata: str, largest: int, draws: int = 1000) -> Resampling:
    return Resampling(draws, GRID.thresholds, strata, largest)


@pytest.mark.parametrize("strata", ["owner", "none"])
def test_all_rows_of_a_cluster_enter_a_replicate_equally_often(strata: str) -> None:
    clusters = [5, 2, 5, 9, 2, 5, 0, 9]
    times = rows_drawn(of_grid(strata, 3), clusters)
    first = [clusters.index(cluster) for cluster in clusters]
    assert (times == times[:, first]).all()
    assert (times[:, sorted(set(first))].sum(axis=1) == 4).all() == (strata == "owner")


def test_clusters_are_drawn_independently_with_the_law_of_their_draws() -> None:
    times = rows_drawn(of_grid("none", 2, 1000), [0, 1, 2, 3, 3])[:, :4]
    mean, covariance = times.mean(axis=0), np.cov(times.T)
    assert mean == pytest.approx(np.ones(4), abs=0.15)
    assert covariance == pytest.approx(np.eye(4), abs=0.25)
    times = rows_drawn(of_grid("owner", 2, 1000), [0, 1, 2, 3, 3])[:, :4]
    # multinomial: of 4 draws among 4, variance 4·1/4·3/4 and covariance -4/16
    assert np.cov(times.T) == pytest.approx(np.eye(4) - 0.25, abs=0.2)


def test_clusters_of_one_sample_each_are_drawn_as_samples_are() -> None:
    times = rows_drawn(of_grid("owner", 1), range(8))
    assert (times.sum(axis=1) == 8).all()
    assert np.bincount(times.reshape(-1))[0] / times.size == pytest.approx((7 / 8) ** 8, abs=0.03)


def test_drawing_does_not_depend_on_the_order_of_rows_or_the_names_of_clusters() -> None:
    owner = Owner([0.1, 0.9, 0.4, 0.9], [0, 1, 1, 0], parts=[0, 1, 0, 2])
    other = Owner([0.9, 0.4, 0.9, 0.1], [0, 1, 1, 0], parts=[8, 3, 4, 3])
    assert upload_of(owner, PLAIN).tolist() == upload_of(other, PLAIN).tolist()
    [column, clusters] = keys_of(owner, PLAIN)
    again = PLAIN.pipeline.repeatable([column, clusters], bytes(15) + b"\1")
    assert again.tolist() != upload_of(owner, PLAIN).tolist()


# -- the check -------------------------------------------------------------------------------------

TWO = Options(
    metrics=("bootstrap:replicates=20,bins=2,unit=cluster,largest=2",), resolution="bins:2"
)
HONEST = [25, 25, 25, 25]


@pytest.mark.parametrize(
    ("total", "fine"), [(0, True), (100, True), (281, True), (282, False), (1 << 31, False)]
)
def test_a_replicate_that_is_larger_or_smaller_than_chance_makes_it_is_refused(
    total: int, fine: bool
) -> None:
    layout = TWO.pipeline.layout
    [resampling] = layout.resamplings
    # 9·sqrt(2·100) = 127.3, and two clusters 27 times
    assert (resampling.least(100), resampling.most(100)) == (0, 100 + 127 + 54)
    fewer = [0, total, 0, 0]
    asked = ([*HONEST * 21], 100), ([*HONEST * 7, *fewer, *HONEST * 13], 100)
    assert verdicts(*asked, layout=layout) == [True, fine]


def test_a_replicate_of_a_long_list_has_about_as_many_samples() -> None:
    resampling = of_grid("owner", 3)
    assert (resampling.least(30_000), resampling.most(30_000)) == (27_300, 32_781)
    [layout] = {replace(TWO.pipeline.layout, resamplings=(replace(resampling, thresholds=()),))}
    few, many = [15_000, 12_300], [15_000, 12_299]
    short = [0, 0, 15_000, 15_000]
    lists = ([*short, *few * 1000], 30_000), ([*short, *few * 999, *many], 30_000)
    assert verdicts(*lists, layout=layout) == [True, False]


@pytest.mark.parametrize("strata", ["owner", "none"])
@pytest.mark.parametrize("largest", [1, 4, 50])
def test_honest_replicates_are_well_within_the_bounds(strata: str, largest: int) -> None:
    rng = np.random.default_rng(largest)
    for n in (1, 2, largest, 400):
        clusters = np.repeat(np.arange(n), largest)[:n]
        resampling = Resampling(300, (), strata, largest)
        words = resampling.drawn_clusters(
            GRID, np.zeros(n, int), rng.integers(0, 2, n), clusters, resampling.stream(bytes(16))
        )
        totals = words.reshape(300, 2).sum(axis=1)
        low, high = resampling.least(n), resampling.most(n)
        assert low is not None
        assert totals.min() >= low
        assert totals.max() <= high
        # the farthest of 300 draws are within half of what is allowed
        assert totals.max() - n <= (high - n) / 2 + 1


# -- a study ---------------------------------------------------------------------------------------


def study_of(*metrics: str, owners: int = 2, size: int = 40, **changes: object) -> Study:
    rng = np.random.default_rng(size)
    lists = []
    for _ in range(owners):
        labels = rng.integers(0, 2, size)
        scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2)
        parts = rng.integers(0, size // 2, size)
        lists.append(Owner(scores.tolist(), labels.tolist(), parts=parts.tolist()))
    options = replace(PLAIN, metrics=metrics, **changes)  # type: ignore[arg-type]
    return Study(tuple(lists), options)


def test_clusters_are_one_upload_with_sums_lists_and_obuchowskis_interval() -> None:
    asked = (AUROC, "auroc_clusters", "brier", "bootstrap:replicates=20")
    study = study_of(*asked, table="sorted", merge="network")
    assert isinstance(study.options.pipeline, Together)
    assert study.options.pipeline.columns == ("cluster",)
    results = run(study).results
    assert results[AUROC].split(", ")[0].split()[1] == results["auroc_clusters"].split()[0]
    assert study.options.parts[-1] is CountedClusters


def test_the_cost_is_the_predicted_one_and_that_of_drawing_samples() -> None:
    study = study_of(AUROC, owners=3)
    outcome, sizes = run(study), study.sizes
    estimates = phase_estimates(study.options, sizes)
    assert sum(one.spent.payload for one in estimates) == outcome.payload
    samples = study_of(AUROC.replace(",unit=cluster,largest=60", ""), owners=3)
    assert run(samples).hops == outcome.hops
    [told] = ledger(study.options, sizes).learns.receivers
    assert "replicates that the owners drew by clusters" in told


def test_limits_of_clusters_count_as_digits_that_tell_labels_at_thresholds_too() -> None:
    of = {text: statistic(text).label_digits(4) for text in (AUROC, RATES)}
    assert of == {AUROC: 4, RATES: 2 * 4}
    assert statistic("bootstrap:of=ppv:at=0.5/0.3").label_digits(4) == 0


def test_what_draws_of_clusters_do_not_keep_is_refused() -> None:
    with pytest.raises(OptionRefused, match="no draw of patients keeps how many"):
        statistic("bootstrap:unit=cluster,strata=class")
    with pytest.raises(OptionRefused, match="a largest cluster, and draws single samples"):
        statistic("bootstrap:largest=3")
    with pytest.raises(OptionRefused, match="cannot be released by group"):
        Options(metrics=(AUROC,), groups=("a", "b"))
    with pytest.raises(OptionRefused, match="takes every sample for one"):
        Options(metrics=(AUROC,), most_weight=2.0)
    with pytest.raises(OptionRefused, match="the score and the label of a row at one owner"):
        Options(metrics=(AUROC,), least_join=5)


def test_a_study_has_the_program_of_clusters_under_the_name_that_it_asked_for() -> None:
    [one] = Options(metrics=(AUROC,)).asked
    assert isinstance(one, ClusterBootstrap)
    assert one.text == AUROC
    assert one.short == "AUROC, bootstrap of clusters"
    assert Options(metrics=(AUROC,)).pipeline.counting_grid is None
    assert statistic("bootstrap:unit=sample") == statistic("bootstrap")


def test_more_samples_than_it_holds_are_refused_beforehand() -> None:
    one = statistic("bootstrap:unit=cluster")
    assert one.fits(MOST_SAMPLES // 37, 15)
    assert not one.fits(MOST_SAMPLES // 37 + 1, 15)
    for largest in (1, 5, 100):
        assert all(Resampling(20, (), "owner", largest).most(n) <= 37 * n for n in range(300))
