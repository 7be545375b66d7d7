"""Coverage of the intervals of rates and of the bootstrap, by the integers that servers compute on.

Wilson's limits need no drawing: the chance that they hold the truth is a sum of binomial chances.
The bootstrap is drawn: binormal scores in 128 equal parts, multinomial replicates of the counts, or
of patients with four samples each, who are those of `test_many_coverages`.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from scipy.stats import binom, norm

from ppaurora.protocols.ranking.wilson import wilson_in_clear
from tests.protocols.statistics.test_many_coverages import clustered

LEVEL = Fraction("0.95")
BINS, REPLICATES = 128, 200
AREAS = (0.5, 0.7, 0.85, 0.95, 0.98)
SIZES = ((10, 10), (10, 90), (100, 100), (100, 900))
PATIENTS = (20, 50, 200)
UNITS = ("cluster", "sample")


def of_wilson(m: int, rate: float) -> float:
    """The chance that the limits of m samples hold a rate."""
    inside = [
        low <= rate <= high for low, high in (wilson_in_clear(k, m, LEVEL) for k in range(m + 1))
    ]
    return float(binom.pmf(np.arange(m + 1), m, rate)[inside].sum())


def areas(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """The AUROC of each row of counts, the highest part first."""
    won = (negatives * (2 * positives.cumsum(axis=1) - positives)).sum(axis=1)
    return won / (2 * positives.sum(axis=1) * negatives.sum(axis=1))


def of_bootstrap(area: float, P: int, N: int, strata: str, drawn: int) -> tuple[float, float]:
    """The share of percentile limits that hold the AUROC, and of studies without any."""
    rng = np.random.default_rng([round(1000 * area), P, N, len(strata)])
    shift = 2**0.5 * norm.ppf(area)
    held = none = 0
    low, high = (ceil(REPLICATES * share) - 1 for share in (0.025, 0.975))
    for _ in range(drawn):
        scores = norm.cdf(np.r_[rng.normal(shift, 1, P), rng.normal(0, 1, N)], shift / 2, 1.5)
        places = BINS - 1 - np.minimum((scores * BINS).astype(int), BINS - 1)
        pos, neg = (np.bincount(one, minlength=BINS) for one in (places[:P], places[P:]))
        if strata == "class":
            p, n = (rng.multinomial(c.sum(), c / c.sum(), REPLICATES) for c in (pos, neg))
        else:
            both = rng.multinomial(P + N, np.r_[pos, neg] / (P + N), REPLICATES)
            p, n = both[:, :BINS], both[:, BINS:]
        if not (p.sum(axis=1) * n.sum(axis=1)).all():
            none += 1
            continue
        ordered = np.sort(areas(p, n))
        held += bool(ordered[low] <= area <= ordered[high])
    return held / max(1, drawn - none), none / drawn


def of_patients(area: float, patients: int, drawn: int) -> dict[str, tuple[float, float]]:
    """The same of patients with four samples, where they are drawn, and where samples are."""
    rng = np.random.default_rng([round(1000 * area), patients, 4])
    truth = float(np.mean([whole(area, clustered(rng, area, 4000)) for _ in range(20)]))
    low, high = (ceil(REPLICATES * share) - 1 for share in (0.025, 0.975))
    held, none = dict.fromkeys(UNITS, 0), dict.fromkeys(UNITS, 0)
    for _ in range(drawn):
        counts = counted(area, *clustered(rng, area, patients))
        every = counts.sum(axis=0)
        times = rng.multinomial(patients, np.full(patients, 1 / patients), REPLICATES)
        of_units = {
            # whole numbers, in floating point because that is faster
            "cluster": times.astype(float) @ counts.astype(float),
            "sample": rng.multinomial(every.sum(), every / every.sum(), REPLICATES),
        }
        for unit, found in of_units.items():
            p, n = found[:, :BINS], found[:, BINS:]
            if not (p.sum(axis=1) * n.sum(axis=1)).all():
                none[unit] += 1
                continue
            ordered = np.sort(areas(p, n))
            held[unit] += bool(ordered[low] <= truth <= ordered[high])
    return {unit: (held[unit] / max(1, drawn - none[unit]), none[unit] / drawn) for unit in UNITS}


def counted(area: float, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """A row for each patient: the positives of each part, the highest first, and the negatives."""
    risks = norm.cdf(scores, norm.ppf(area) / 2**0.5, 1.5)
    places = BINS - 1 - np.minimum((risks * BINS).astype(int), BINS - 1) + BINS * (labels == 0)
    rows = 2 * BINS * np.arange(len(places))[:, None]
    found = np.bincount((places + rows).reshape(-1), minlength=2 * BINS * len(places))
    return found.reshape(-1, 2 * BINS)


def whole(area: float, patients: tuple[np.ndarray, np.ndarray]) -> float:
    """The AUROC of the binned scores of all patients."""
    every = counted(area, *patients).sum(axis=0)[None]
    return float(areas(every[:, :BINS], every[:, BINS:])[0])


def table(drawn: int) -> list[str]:
    lines = []
    for P, N in SIZES:
        for strata in ("owner", "class"):
            found = [of_bootstrap(area, P, N, strata, drawn) for area in AREAS]
            cells = " | ".join(f"{held:.3f}" for held, _ in found)
            lines.append(f"| {P} + {N} | {strata} | {cells} |")
    return lines


@pytest.mark.parametrize("m", [10, 50, 400])
def test_wilsons_limits_hold_the_rate_about_as_often_as_they_say(m: int) -> None:
    found = [of_wilson(m, rate) for rate in (0.05, 0.2, 0.5, 0.8, 0.95)]
    assert 0.91 < np.mean(found) < 0.97
    assert min(found) > 0.88


def test_a_bootstrap_of_many_samples_holds_the_area() -> None:
    held, none = of_bootstrap(0.8, 100, 100, "class", 60)
    assert held > 0.85
    assert not none


def test_drawing_patients_widens_the_limits_that_drawing_their_samples_gives() -> None:
    found = of_patients(0.7, 60, 60)
    assert found["cluster"][0] > 0.85
    assert found["cluster"][0] > found["sample"][0]


def test_simulated_replicates_of_patients_are_those_of_their_rows() -> None:
    scores, labels = clustered(np.random.default_rng(4), 0.8, 9)
    counts, times = counted(0.8, scores, labels), np.array([2, 0, 1, 0, 3, 1, 1, 0, 1])
    rows = counted(0.8, np.repeat(scores, times, axis=0), np.repeat(labels, times, axis=0))
    assert (rows.sum(axis=0) == times @ counts).all()


@pytest.mark.soak
def test_coverage_of_the_bootstrap_of_patients() -> None:
    for patients in PATIENTS:
        found = [of_patients(area, patients, 400) for area in AREAS]
        for unit in UNITS:
            cells = " | ".join(f"{one[unit][0]:.3f}" for one in found)
            without = ", ".join(f"{one[unit][1]:.3f}" for one in found)
            print(f"| {patients} patients of 4 | {unit} | {cells} | none: {without}", flush=True)


@pytest.mark.soak
def test_coverage_of_the_bootstrap() -> None:
    for line in table(400):
        print(line, flush=True)
    for m in (10, 30, 100, 1000):
        rates = " | ".join(f"{of_wilson(m, rate):.3f}" for rate in (0.05, 0.2, 0.5, 0.8, 0.95))
        print(f"| {m} | {rates} |", flush=True)
