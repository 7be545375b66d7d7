"""The analytic Gaussian mechanism against an integral, and what the printed noise does."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ppaurora.bench.papers.gaussian_mechanism import analytic_gaussian, insecure_as_printed
from ppaurora.protocols.release.roc_glm import Binormal, fit
from tests.protocols.release.test_roc_glm import rates


def test_the_papers_example_has_the_papers_noise() -> None:
    assert round(analytic_gaussian(0.178, 5, 0.01), 3) == 0.101


@pytest.mark.parametrize("sensitivity", [0.01, 0.4])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1, 0.01), (10, 0.1)])
def test_the_noise_is_the_least_that_is_as_private(
    sensitivity: float, epsilon: float, delta: float
) -> None:
    """δ = ∫ max(0, f(x) - e^ε·g(x)) dx for two normal laws that are Δ apart."""
    tau = analytic_gaussian(sensitivity, epsilon, delta)

    def beyond(x: float) -> float:
        near, far = norm.pdf(x, sensitivity, tau), norm.pdf(x, 0, tau)
        return max(0.0, near - exp(epsilon) * far)

    kink = epsilon * tau**2 / sensitivity + sensitivity / 2
    reached = quad(beyond, kink, max(kink, sensitivity) + 40 * tau, limit=400, epsabs=1e-14)[0]
    assert reached == pytest.approx(delta, rel=1e-5)


def test_the_printed_noise_bends_the_curve_towards_the_diagonal() -> None:
    rng = np.random.default_rng(4)
    labels = np.repeat([True, False], 2000)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.15), 0, 1)
    noisy = insecure_as_printed(scores, sensitivity=0.3, epsilon=1, delta=0.01, generator=rng)
    plain, bent = (fit(rates(one[labels], one[~labels], 50).tolist()) for one in (scores, noisy))
    assert isinstance(plain, Binormal)
    assert isinstance(bent, Binormal)
    assert 0.5 < bent.auc < plain.auc - 0.1


@pytest.mark.parametrize("bad", [(0, 1, 0.1), (1, 0, 0.1), (1, 1, 0), (1, 1, 1)])
def test_what_no_mechanism_gives_is_refused(bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        analytic_gaussian(*bad)
