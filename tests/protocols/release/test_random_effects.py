"""The random-effects summary in the clear: a published example, and numpy's doubles.

The example are the thirteen trials of the BCG vaccine [Colditz et al., JAMA 271:698-702 (1994)] as
metafor's dat.bcg has them; rma(method="DL") prints -0.7141, standard error 0.1787, tau^2 0.3088,
I^2 92.12% of log risk ratios [Viechtbauer, Journal of Statistical Software 36(3) (2010)].
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t

from ppaurora.protocols.release.random_effects import logistic, pooled_summary

BCG = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619),
    (33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892),
    (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
)  # fmt: skip
"""Cases and others of the vaccinated, cases and others of the controls."""
TAIL = Fraction(1, 40)


def log_risk_ratios() -> tuple[list[Decimal], list[Decimal]]:
    θ, v = [], []
    for a, b, c, d in BCG:
        n, m = Decimal(a + b), Decimal(c + d)
        θ.append(((a / n) / (c / m)).ln())
        v.append(1 / Decimal(a) - 1 / n + 1 / Decimal(c) - 1 / m)
    return θ, v


def test_the_trials_of_the_bcg_vaccine_have_the_published_summary() -> None:
    θ, v = log_risk_ratios()
    found = pooled_summary(θ, v, TAIL)
    assert [f"{one:.4f}" for one in (found.limits[0], found.between)] == ["-0.7141", "0.3088"]
    assert f"{100 * found.inconsistency:.2f}" == "92.12"
    # the ordinary standard error, 1/√Σ w*
    error = sum(1 / (one + found.between) for one in v) ** Decimal("-0.5")
    assert f"{error:.4f}" == "0.1787"
    # the published mean of the risk ratios, 0.49
    assert f"{found.limits[0].exp():.2f}" == "0.49"


def in_doubles(θ: list[float], v: list[float], tail: float) -> list[float]:
    """The same by regression on a constant: weighted least squares, moments, and its residuals."""
    y, ones, k = np.array(θ), np.ones((len(θ), 1)), len(θ)
    W = np.diag(1 / np.array(v))
    projection = W - W @ ones @ np.linalg.inv(ones.T @ W @ ones) @ ones.T @ W
    Q = float(y @ projection @ y)
    between = max(0.0, (Q - (k - 1)) / float(np.trace(projection)))
    W = np.diag(1 / (np.array(v) + between))
    covariance = np.linalg.inv(ones.T @ W @ ones)
    mean = float((covariance @ ones.T @ W @ y).item())
    residuals = y - mean
    square = float(residuals @ W @ residuals / (k - 1) * covariance.item())
    inner = t.isf(tail, k - 1) * square**0.5
    outer = t.isf(tail, k - 2) * (between + square) ** 0.5
    more = [between, max(0.0, Q - (k - 1)) / Q]
    return [mean, mean - inner, mean + inner, mean - outer, mean + outer, *more]


@pytest.mark.parametrize("seed", range(20))
def test_it_is_that_of_a_regression_on_a_constant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 30))
    v = rng.uniform(0.001, 0.5, k)
    θ = rng.normal(1, rng.choice([0.0, 0.1, 2.0]), k) + rng.normal(0, 1, k) * np.sqrt(v)
    found = pooled_summary([*map(Decimal, θ.tolist())], [*map(Decimal, v.tolist())], TAIL)
    numbers = [*map(float, (*found.limits, found.between, found.inconsistency))]
    assert numbers == pytest.approx(in_doubles(θ.tolist(), v.tolist(), 0.025), rel=1e-9, abs=1e-9)


def test_the_logistic_function_is_that_of_doubles() -> None:
    for η in (-30, -1, 0, 0.5, 30):
        assert float(logistic(Decimal(η))) == pytest.approx(1 / (1 + np.exp(-η)), rel=1e-12)
