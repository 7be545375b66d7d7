"""Coverage of the 95% intervals of groups, models, clusters, hospitals and times, by simulation.

Each interval is drawn in the clear, by its plain formula in floating point, which the quick tests
hold against what is released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm, rankdata, t

from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.wilson import wilson_in_clear
from ppaurora.protocols.release.random_effects import pooled_summary
from tests.protocols.statistics.test_auroc_coverage import estimated
from tests.protocols.studies import Owner, Study, run

Doubles = NDArray[np.float64]
Z = 1.959963984540054
AREAS = (0.5, 0.7, 0.85, 0.95, 0.98)
RATES = (0.05, 0.2, 0.5, 0.8, 0.95)
SMALL, LARGE = ((10, 10), (10, 90), (50, 50)), ((100, 100), (100, 900))
SITES, SITE_SIZES = (5, 20), ((10, 20), (30, 70), (100, 300))


def shift(area: float) -> float:
    """The distance of two normal laws with this AUROC."""
    return float(2**0.5 * norm.ppf(area))


def drawn_areas(
    rng: np.random.Generator, areas: Doubles, sizes: tuple[int, int]
) -> tuple[Doubles, Doubles]:
    """AUROCs with DeLong's variances of samples with these true AUROCs."""
    P, N = sizes
    middle = 2**0.5 * norm.ppf(areas)[:, None]
    return estimated(rng.normal(0, 1, (len(areas), P)) + middle, rng.normal(0, 1, (len(areas), N)))


def held(low: Doubles, high: Doubles, truth: float | Doubles) -> float:
    return float(np.mean((low <= truth) & (truth <= high)))


# -- groups and models -----------------------------------------------------------------------------


def of_groups(area: float, sizes: tuple[int, int], count: int) -> float:
    """Differences of two groups' AUROCs, of which the second is as large as the first."""
    rng = np.random.default_rng([1, round(1000 * area), *sizes])
    (A, V), (B, W) = (drawn_areas(rng, np.full(count, area), sizes) for _ in range(2))
    half = Z * np.sqrt(V + W)
    return held(A - B - half, A - B + half, 0.0)


def of_equal_groups(area: float, sizes: tuple[int, int], count: int, groups: int = 4) -> float:
    """The share of studies of equal groups whose chi-square stays below the 95% quantile."""
    rng = np.random.default_rng([2, round(1000 * area), *sizes])
    each = [drawn_areas(rng, np.full(count, area), sizes) for _ in range(groups)]
    A, V = (np.array(kind) for kind in zip(*each, strict=True))
    there = V.min(axis=0) > 0
    w = 1 / V[:, there]
    mean = (w * A[:, there]).sum(axis=0) / w.sum(axis=0)
    found = (w * (A[:, there] - mean) ** 2).sum(axis=0)
    return float(np.mean(found <= 7.814727903))


def placements(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Of each positive the share of negatives below, of each negative of positives above."""
    P, N = x.shape[1], y.shape[1]
    ranks = rankdata(np.concatenate([x, y], axis=1), axis=1)
    return (ranks[:, :P] - rankdata(x, axis=1)) / N, 1 - (ranks[:, P:] - rankdata(y, axis=1)) / P


def of_models(area: float, sizes: tuple[int, int], count: int) -> float:
    """Differences of two models' AUROCs on the same samples, whose scores correlate by a half."""
    rng, (P, N) = np.random.default_rng([3, round(1000 * area), *sizes]), sizes
    both = []
    common = rng.normal(0, 1, (count, P + N))
    for _ in range(2):
        scores = (common + rng.normal(0, 1, common.shape)) / 2**0.5
        both.append(placements(scores[:, :P] + shift(area), scores[:, P:]))
    a, b = (one - other for one, other in zip(*both, strict=True))
    half = Z * np.sqrt(a.var(axis=1, ddof=1) / P + b.var(axis=1, ddof=1) / N)
    return held(a.mean(axis=1) - half, a.mean(axis=1) + half, 0.0)


# -- rates and risks of groups ---------------------------------------------------------------------


def of_rates(rate: float, m: int, n: int) -> float:
    """Newcombe's limits of the difference of two equal rates: a sum of binomial chances."""
    (l1, u1), (l2, u2) = (
        np.array([wilson_in_clear(k, size, Fraction("0.95")) for k in range(size + 1)], float).T
        for size in (m, n)
    )
    p, q = np.arange(m + 1)[:, None] / m, np.arange(n + 1)[None] / n
    low = p - q - np.sqrt((p - l1[:, None]) ** 2 + (u2[None] - q) ** 2)
    high = p - q + np.sqrt((u1[:, None] - p) ** 2 + (q - l2[None]) ** 2)
    chance = binom.pmf(np.arange(m + 1), m, rate)[:, None] * binom.pmf(np.arange(n + 1), n, rate)
    return float(chance[(low <= 0) & (high >= 0)].sum())


def of_risks(share: float, n: int, count: int) -> float:
    """Differences of observed less expected between two groups of n with right risks."""
    rng = np.random.default_rng([4, round(1000 * share), n])
    gaps, squares = [], []
    for _ in range(2):
        f = rng.beta(4 * share, 4 * (1 - share), (count, n))
        seen = (rng.random((count, n)) < f).sum(axis=1)
        gaps.append((seen - f.sum(axis=1)) / n)
        squares.append(seen * (n - seen) / n**3)
    half = Z * np.sqrt(squares[0] + squares[1])
    return held(gaps[0] - gaps[1] - half, gaps[0] - gaps[1] + half, 0.0)


# -- clusters --------------------------------------------------------------------------------------


def obuchowski(scores: Doubles, labels: NDArray[np.int64]) -> tuple[float, float]:
    """AUROC and variance; each row of both is a cluster."""
    y = labels == 1
    P, N = int(y.sum()), int((~y).sum())
    V10, V01 = placements(scores[y][None], scores[~y][None])
    A = float(V10.mean())
    a, b = np.zeros(scores.shape), np.zeros(scores.shape)
    a[y], b[~y] = V10[0], V01[0]
    u = a.sum(axis=1) - y.sum(axis=1) * A
    w = b.sum(axis=1) - (~y).sum(axis=1) * A
    every, I10, I01 = len(labels), int(y.any(axis=1).sum()), int((~y).any(axis=1).sum())
    if min(I10, I01) < 2:
        return A, float("nan")
    first, second = I10 / (I10 - 1) * (u @ u) / P**2, I01 / (I01 - 1) * (w @ w) / N**2
    return A, float(first + second + 2 * every / (every - 1) * (u @ w) / (P * N))


def clustered(
    rng: np.random.Generator, area: float, clusters: int, size: int = 4
) -> tuple[Doubles, NDArray[np.int64]]:
    """Half of the variance of scores is common to a cluster; so are most of the labels."""
    ill = rng.random((clusters, 1)) < 0.4
    labels = (rng.random((clusters, size)) < np.where(ill, 0.8, 0.1)).astype(np.int64)
    common, own = rng.normal(0, 0.5**0.5, (clusters, 1)), rng.normal(0, 0.5**0.5, labels.shape)
    return shift(area) * labels + common + own, labels


def of_clusters(area: float, clusters: int, count: int) -> tuple[float, float]:
    """Limits by Obuchowski's variance, and by DeLong's, which takes samples for independent."""
    rng = np.random.default_rng([5, round(1000 * area), clusters])
    # the AUROC of a pair of one cluster is another one; of many clusters these pairs are few
    large = [obuchowski(*clustered(rng, area, 4000))[0] for _ in range(20)]
    truth, found, plain = float(np.mean(large)), [], []
    for _ in range(count):
        scores, labels = clustered(rng, area, clusters)
        A, V = obuchowski(scores, labels)
        half = Z * V**0.5 if V > 0 else 0.0
        found.append(A - half <= truth <= A + half)
        _, single = estimated(scores[labels == 1][None], scores[labels == 0][None])
        plain.append(abs(A - truth) <= Z * single[0] ** 0.5)
    return float(np.mean(found)), float(np.mean(plain))


# -- hospitals -------------------------------------------------------------------------------------


def summary(θ: Doubles, v: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """μ and the half widths of both intervals; a row of θ and v for each study, nan left out."""
    there = ~np.isnan(θ)
    k = there.sum(axis=1)
    w = np.where(there, 1 / np.where(there, v, 1), 0)
    x = np.where(there, θ, 0)
    S1, S2 = w.sum(axis=1), (w**2).sum(axis=1)
    Q = (w * x**2).sum(axis=1) - (w * x).sum(axis=1) ** 2 / S1
    between = np.maximum(0, (Q - (k - 1)) / (S1 - S2 / S1))
    w = np.where(there, 1 / (np.where(there, v, 1) + between[:, None]), 0)
    mean = (w * x).sum(axis=1) / w.sum(axis=1)
    s2 = (w * (x - mean[:, None]) ** 2).sum(axis=1) / ((k - 1) * w.sum(axis=1))
    inner, outer = (t.isf(0.025, np.maximum(k - less, 1)) for less in (1, 2))
    return mean, inner * np.sqrt(s2), outer * np.sqrt(between + s2)


def of_hospitals(
    area: float, spread: float, k: int, sizes: tuple[int, int], count: int
) -> tuple[float, float, float, float]:
    """The interval, the prediction interval, hospitals' own logit limits, and studies with one."""
    rng = np.random.default_rng([6, round(1000 * area), round(100 * spread), k, *sizes])
    μ = float(np.log(area / (1 - area)))
    true = rng.normal(μ, spread, count * k)
    A, V = drawn_areas(rng, 1 / (1 + np.exp(-true)), sizes)
    fine = (A > 0) & (A < 1) & (V > 0)
    inside = np.where(fine, A, 0.5)
    θ = np.where(fine, np.log(inside / (1 - inside)), np.nan)
    v = np.where(fine, np.maximum(V / (inside * (1 - inside)) ** 2, 2.0**-24), np.nan)
    own = np.abs(θ - true)[fine] <= Z * np.sqrt(v[fine])
    θ, v = θ.reshape(count, k), v.reshape(count, k)
    enough = (~np.isnan(θ)).sum(axis=1) >= 5
    if not enough.any():
        return float("nan"), float("nan"), float(own.mean()), 0.0
    mean, inner, outer = summary(θ[enough], v[enough])
    another = rng.normal(μ, spread, len(mean))
    inside_mean = np.abs(mean - μ) <= inner
    return (
        float(inside_mean.mean()),
        float((np.abs(mean - another) <= outer).mean()),
        float(own.mean()),
        float(enough.mean()),
    )


def of_own(area: float, sizes: tuple[int, int], count: int) -> float:
    """Hospitals' own limits, about what each of them has in truth."""
    return of_hospitals(area, 0.4, 5, sizes, count)[2]


def of_within(area: float, k: int, sizes: tuple[int, int], count: int) -> float:
    """The AUROC within hospitals of one true AUROC."""
    rng = np.random.default_rng([7, round(1000 * area), k, *sizes])
    A, V = drawn_areas(rng, np.full(count * k, area), sizes)
    mean, half = A.reshape(-1, k).mean(axis=1), Z * np.sqrt(V.reshape(-1, k).sum(axis=1)) / k
    return held(mean - half, mean + half, area)


# -- times -----------------------------------------------------------------------------------------


def kaplan_meier(times: Doubles, events: NDArray[np.bool_], at: float) -> tuple[Doubles, Doubles]:
    """S and Greenwood's sum at a time; a row for each study, no two times alike."""
    order = np.argsort(times, axis=1)
    times, events = (np.take_along_axis(one, order, axis=1) for one in (times, events))
    n = times.shape[1]
    risk = n - np.arange(n)
    dies = events & (times <= at)
    S = np.where(dies, 1 - 1 / risk, 1.0).prod(axis=1)
    with np.errstate(divide="ignore"):
        V = np.where(dies, 1 / (risk * (risk - 1.0)), 0.0).sum(axis=1)
    return S, V


def of_survival(survival: float, n: int, count: int) -> tuple[float, float]:
    """The limits of a curve with a third censored before the time; how often there are any."""
    rng = np.random.default_rng([8, round(1000 * survival), n])
    T = rng.exponential(1, (count, n)) / -np.log(survival)
    C = rng.exponential(1, (count, n)) / -np.log(2 / 3)
    S, V = kaplan_meier(np.minimum(T, C), T <= C, 1.0)
    there = (S > 0) & (S < 1) & np.isfinite(V)
    width = Z * np.sqrt(V[there]) / np.log(S[there])
    low, high = S[there] ** np.exp(-width), S[there] ** np.exp(width)
    return held(np.minimum(low, high), np.maximum(low, high), survival), float(there.mean())


# -- the tables ------------------------------------------------------------------------------------


def by_areas(name: str, of: Callable[[float], float]) -> str:
    return f"| {name} | " + " | ".join(f"{of(area):.3f}" for area in AREAS) + " |"


def of_several(few: int, many: int) -> Iterator[str]:
    for P, N in (*SMALL, *LARGE):
        count, sizes = (few if P + N <= 200 else many), (P, N)
        each: list[tuple[str, Callable[..., float]]] = [
            ("`auroc_groups`", of_groups),
            ("`auroc_groups_equal`, four groups, not rejected", of_equal_groups),
            ("`auroc_contrasts`, `auroc_difference`", of_models),
        ]
        for name, of in each:
            yield by_areas(f"{name} | {P} + {N}", partial(of, sizes=sizes, count=count))


def of_patients(few: int, many: int) -> Iterator[str]:
    for clusters in (20, 50, 200):
        both = [of_clusters(area, clusters, many) for area in AREAS]
        for name, place in (("`auroc_clusters`", 0), ("DeLong's of the same samples", 1)):
            cells = " | ".join(f"{one[place]:.3f}" for one in both)
            yield f"| {name} | {clusters} clusters of 4 | {cells} |"


def of_sites(few: int, many: int) -> Iterator[str]:
    for sizes in SITE_SIZES:
        within = partial(of_within, k=8, sizes=sizes, count=many)
        yield by_areas(f"`auroc_within_ci` | 8 x {sizes[0]} + {sizes[1]}", within)
    for sizes in ((20, 20), *SITE_SIZES[1:]):
        own = partial(of_own, sizes=sizes, count=many)
        yield by_areas(f"`site_values` | {sizes[0]} + {sizes[1]}", own)
    for spread in (0.0, 0.4):
        for k in SITES:
            for sizes in SITE_SIZES:
                found = [of_hospitals(area, spread, k, sizes, many) for area in AREAS]
                for name, place in (("mean", 0), ("prediction", 1)):
                    cells = " | ".join(f"{one[place]:.3f}" for one in found)
                    size = f"{k} x {sizes[0]} + {sizes[1]}, spread {spread:g}"
                    yield f"| `auroc_sites`, {name} | {size} | {cells} |"


def of_rates_and_times(few: int, many: int) -> Iterator[str]:
    for m, n in ((10, 10), (10, 90), (100, 100), (100, 900)):
        cells = " | ".join(f"{of_rates(rate, m, n):.3f}" for rate in RATES)
        yield f"| `rates_groups` | {m} and {n} | {cells} |"
    for n in (30, 100, 1000):
        cells = " | ".join(f"{of_risks(rate, n, few):.3f}" for rate in RATES)
        yield f"| `calibration_groups` | {n} and {n} | {cells} |"
    for n in (20, 50, 200, 1000):
        cells = " | ".join(f"{of_survival(rate, n, few)[0]:.3f}" for rate in RATES)
        yield f"| `kaplan_meier` | {n} | {cells} |"


# -- the tests -------------------------------------------------------------------------------------


def test_the_simulated_summary_is_the_released_one() -> None:
    rng = np.random.default_rng(1)
    θ, v = rng.normal(1, 0.4, (3, 7)), rng.uniform(0.01, 0.1, (3, 7))
    mean, inner, outer = summary(θ, v)
    for place in range(3):
        wanted = pooled_summary(
            [*map(Decimal, θ[place].tolist())], [*map(Decimal, v[place].tolist())], Fraction(1, 40)
        ).limits
        here = (mean[place], mean[place] - inner[place], mean[place] + inner[place],
                mean[place] - outer[place], mean[place] + outer[place])  # fmt: skip
        assert [float(one) for one in wanted] == pytest.approx(here, abs=1e-9)


def test_the_simulated_limits_of_clusters_are_the_released_ones() -> None:
    scores, labels = clustered(np.random.default_rng(2), 0.8, 12)
    risks = norm.cdf(scores)
    A, V = obuchowski(risks, labels)
    parts = np.repeat(np.arange(12), 4).tolist()
    owner = Owner(risks.reshape(-1).tolist(), labels.reshape(-1).tolist(), parts=parts)
    [text] = run(Study((owner,), Options(metrics=("auroc_clusters",)))).results.values()
    half = Z * V**0.5
    assert text == f"{A:.4f} ({max(0, A - half):.4f} to {min(1, A + half):.4f})"


def test_the_simulated_limits_of_survival_are_the_released_ones() -> None:
    rng = np.random.default_rng(3)
    times, events = np.arange(1.0, 41.0), rng.random(40) < 0.6
    S, V = kaplan_meier(times[None], events[None], 20.0)
    owner = Owner([0.5] * 40, events.astype(int).tolist(), times=times.tolist())
    options = Options(
        metrics=("kaplan_meier:at=20",),
        time_width="1",
        time_horizon="40",
        times_apart=True,
        least_cell=1,
    )
    [text] = run(Study((owner,), options)).results.values()
    width = Z * V[0] ** 0.5 / np.log(S[0])
    limits = sorted((S[0] ** np.exp(width), S[0] ** np.exp(-width)))
    for number in (S[0], *limits):
        assert f"{number:.4f}" in text


def test_simulated_differences_of_groups_are_the_released_ones() -> None:
    rng = np.random.default_rng(4)
    x, y = (norm.cdf(rng.normal(middle, 1, (2, 15))) for middle in (0.8, 0))
    A, V = estimated(x, y)
    rows = [(score, label, group) for group in (0, 1) for label, side in ((1, x), (0, y))
            for score in side[group].tolist()]  # fmt: skip
    scores, labels, parts = zip(*rows, strict=True)
    options = Options(metrics=("auroc_groups",), groups=("a", "b"), least_cell=1)
    owner = Owner(list(scores), list(labels), parts=list(parts))
    [text] = run(Study((owner,), options)).results.values()
    gap, half = A[1] - A[0], Z * (V[0] + V[1]) ** 0.5
    assert text.startswith(
        f"{gap:.4f} ({gap - half:.4f} to {gap + half:.4f}), z {gap / half * Z:.3f}"
    )


def test_intervals_of_many_samples_hold_the_truth_about_as_often_as_they_say() -> None:
    """Four standard errors of so few draws."""
    assert of_groups(0.8, (100, 100), 400) > 0.90
    assert 0.90 < of_equal_groups(0.8, (100, 100), 400) < 0.99
    assert of_models(0.8, (100, 100), 400) > 0.90
    assert of_clusters(0.8, 100, 100)[0] > 0.86
    mean, prediction, own, enough = of_hospitals(0.8, 0.4, 10, (30, 70), 200)
    assert min(mean, prediction, own) > 0.88
    assert enough == 1
    assert of_rates(0.5, 100, 100) > 0.94
    assert of_risks(0.3, 100, 400) > 0.90
    assert of_survival(0.8, 100, 400)[0] > 0.90


@pytest.mark.soak
@pytest.mark.parametrize("lines", [of_several, of_patients, of_sites, of_rates_and_times])
def test_the_coverage_of_every_interval(lines: Callable[[int, int], Iterator[str]]) -> None:
    for line in lines(1000, 400):
        print(line, flush=True)
