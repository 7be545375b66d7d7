"""The private regression against scoring in more digits; its steps whatever the data."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.ranking.logit_scoring import (
    BITS,
    LINE_BITS,
    Regression,
    bits_of,
    grouped,
    scored,
)
from tests.protocols.release.test_recalibration import exact, hard


def fitted(x: np.ndarray, positives: np.ndarray, samples: np.ndarray) -> Regression:
    logits = [Decimal(float(one)) for one in x]

    def program(party: Party, positives: Shared, samples: Shared, n: int) -> Regression:
        return scored(party, grouped(party, logits, positives, samples, n))

    n = int(samples.sum())
    found: list[Regression] = run_local(
        lambda party, *both: program(party, *both, n),
        share(positives.astype(np.uint64)),
        share(samples.astype(np.uint64)),
    )
    p0, p1, helper = found
    told = [(one.intercept, one.slope, one.found) for one in (p0, p1)]
    assert told[0] == told[1]
    assert helper.found == 0
    if p0.found:
        line = [one / (1 << LINE_BITS) for one in (p0.intercept, p0.slope)]
        [[m00], [m01], [m11]] = (
            reconstruct_wide(ours.words, theirs.words)
            for ours, theirs in zip(p0.inverse, p1.inverse, strict=True)
        )
        unit = 1 << BITS + bits_of(n)
        # the one beside the diagonal may be negative
        beside = m01 - (1 << 256) if m01 >> 255 else m01
        inverse = np.array([[m00, beside], [beside, m11]], object) / unit
        assert inverse.astype(float) == pytest.approx(inverse_at(x, samples, *line), rel=1e-9)
    return p0


def inverse_at(x: np.ndarray, samples: np.ndarray, a: float, b: float) -> np.ndarray:
    """The inverse information of these samples at a line."""
    eta = a + b * np.asarray(x, float)
    w = samples * np.exp(-np.logaddexp(0, eta) - np.logaddexp(0, -eta))
    return np.linalg.inv([[w.sum(), (w * x).sum()], [(w * x).sum(), (w * x * x).sum()]])


def check_fits(count: int, seed: int) -> tuple[int, int]:
    """The number that have a line, and of those that are found, none off by 10^-10."""
    rng, there, told = np.random.default_rng(seed), 0, 0
    for _ in range(count):
        data = hard(rng)
        expected, found = exact(*data), fitted(*data)
        there += expected is not None
        if found.found and expected is not None:
            told += 1
            numbers = [one / (1 << LINE_BITS) for one in (found.intercept, found.slope)]
            assert numbers == pytest.approx(expected[:2], abs=1e-10)
    return there, told


@pytest.mark.parametrize(("count", "least"), [(4, 2), pytest.param(8, 5, marks=pytest.mark.weekly)])
def test_the_line_is_within_a_ten_thousand_millionth_of_the_maximum(count: int, least: int) -> None:
    there, told = check_fits(count, 3)
    assert told >= least
    assert told == there


@pytest.mark.soak
def test_two_hundred_hard_data_sets_have_the_line_of_more_digits() -> None:
    there, told = check_fits(200, 4)
    print(f"{there} have a line, {told} of them are found")
    assert there > 100
    assert told == there


def test_two_thousand_million_samples_do_not_run_over() -> None:
    x = np.log([1 / 32767, 1 / 3, 3, 32767.0])
    samples = np.array([5 * 10**8] * 3 + [6 * 10**8])
    positives = np.array([10**7, 10**8, 3 * 10**8, 59 * 10**7])
    expected, found = exact(x, positives, samples), fitted(x, positives, samples)
    assert expected is not None
    assert found.found
    numbers = [one / (1 << LINE_BITS) for one in (found.intercept, found.slope)]
    assert numbers == pytest.approx(expected[:2], abs=1e-10)
