"""Gaussian noise on scores as [ROC-GLM, "Differential privacy"] prints it, which protects nobody.

A model whose scores change by at most Δ in the ℓ2-norm when a patient is exchanged is
(ε, δ)-private with noise of the standard deviation τ if and only if

    Φ(Δ/2τ - ετ/Δ) - e^ε·Φ(-Δ/2τ - ετ/Δ) <= δ,

the analytic Gaussian mechanism of Balle and Wang (2018), which looks for the least such τ.

What the paper does with it keeps no such promise [ROC-GLM, erratum 5], hence the name: the labels
and the sizes of the classes leave a site without noise, and Δ is measured on the data that are to
be protected. No study offers it: the servers compute the same from the scores themselves, and
`auroc_dp` adds noise that nobody knows to the number that is released. It is here to measure what
the paper's noise costs.
"""

from __future__ import annotations

from math import erfc, exp, sqrt

import numpy as np
from numpy.typing import NDArray

HALVINGS = 200


def analytic_gaussian(sensitivity: float, epsilon: float, delta: float) -> float:
    """τ, the least standard deviation that is (ε, δ)-private for this sensitivity.

    >>> round(analytic_gaussian(0.178, 5, 0.01), 3)
    0.101
    """
    if not (sensitivity > 0 and epsilon > 0 and 0 < delta < 1):
        raise ValueError(
            f"a sensitivity of {sensitivity}, ε = {epsilon} and δ = {delta}: the first two above "
            "0, δ between 0 and 1"
        )
    low, high = 0.0, 1.0
    while exceeded_delta(high, epsilon) > delta:
        high *= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeded_delta(middle, epsilon) > delta else (low, middle)
    return sensitivity * high


def exceeded_delta(tau: float, epsilon: float) -> float:
    """The least δ for which noise of this standard deviation is (ε, δ)-private, for Δ = 1."""
    if not tau:
        return 1.0
    near, far = 1 / (2 * tau), epsilon * tau
    return _below(near - far) - exp(epsilon) * _below(-near - far)


def insecure_as_printed(
    scores: NDArray[np.float64],
    *,
    sensitivity: float,
    epsilon: float,
    delta: float,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """The scores with noise added to each, as a site of the paper sends them."""
    return scores + generator.normal(0, analytic_gaussian(sensitivity, epsilon, delta), scores.size)


def _below(u: float) -> float:
    return erfc(-u / sqrt(2)) / 2
