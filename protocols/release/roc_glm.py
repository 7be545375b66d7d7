"""The binormal ROC curve that fits rates at equidistant points best, and its area.

[ROC-GLM, "The ROC-GLM"]: a probit regression of u_ij = [S0(x_i) <= t_j] on (1, Φ⁻¹(t_j)), over the
positives i and the points t_j = j/(m + 1), so that

    ROC(t) = Φ(γ1 + γ2·Φ⁻¹(t)),    AUC = Φ(γ1 / sqrt(1 + γ2²)).

The covariates depend on j alone. So the rates c_j = k_j/P, with k_j = #{i: S0(x_i) <= t_j}, say all
that the regression needs, whatever P is: nobody has to know where a single positive lies. Fisher
scoring from (0, 1):

    γ := γ + I⁻¹·V,    V = Σ_j a_j·(c_j - Φ_j)·h_j,    I = Σ_j a_j·φ_j·h_j·h_jᵀ,
    h_j = (1, Φ⁻¹(t_j)),    Φ_j = Φ(γ·h_j),    φ_j = φ(γ·h_j),    a_j = φ_j/(Φ_j·(1 - Φ_j)).

The maximum is finite if and only if at least two of the rates lie strictly between 0 and 1, because
they do not fall: otherwise the regression is separated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import erfc, exp, hypot, pi, sqrt
from statistics import NormalDist

MOST_STEPS = 25
SMALLEST_STEP = 1e-10
FARTHEST = 12
"""Φ is not computed beyond: a fit that leads there has left the data."""
SEPARATED = "the rates are separated: fewer than two lie strictly between 0 and 1"
NOT_CONVERGED = f"Fisher scoring does not converge in {MOST_STEPS} steps"


@dataclass(frozen=True, slots=True)
class Binormal:
    """The parameters of a binormal ROC curve, and after how many steps they were found.

    Rates that are wrong by up to e change neither by more than `sensitivity`·e, for small e.
    """

    gamma1: float
    gamma2: float
    steps: int = 0
    sensitivity: float = 0.0

    @property
    def auc(self) -> float:
        """The area under the curve, as [ROC-GLM, "The ROC-GLM"] has it.

        >>> round(Binormal(0.79, 1.16).auc, 3)
        0.697
        """
        return _below(self.gamma1 / hypot(1, self.gamma2))


def equidistant(points: int) -> list[float]:
    """The points t_j inside of the unit interval.

    >>> equidistant(3)
    [0.25, 0.5, 0.75]
    """
    return [place / (points + 1) for place in range(1, points + 1)]


def fit(rates: Sequence[float]) -> Binormal | str:
    """The curve through rates c_j at the equidistant points, or why there is none.

    >>> found = fit([0.5, 0.7, 0.8])
    >>> round(found.gamma1, 4), round(found.gamma2, 4), round(found.auc, 4)
    (0.4566, 0.631, 0.6503)
    >>> fit([0, 0.5, 1]) == SEPARATED
    True
    """
    if sum(0 < rate < 1 for rate in rates) < 2:
        return SEPARATED
    return scored(rates)


def scored(rates: Sequence[float]) -> Binormal | str:
    """The binormal fit by Fisher scoring alone, which does not converge on separated rates."""
    x, gamma1, gamma2 = _covariates(len(rates)), 0.0, 1.0
    for step in range(1, MOST_STEPS + 1):
        v1 = v2 = i11 = i12 = i22 = spread1 = spread2 = 0.0
        for covariate, rate in zip(x, rates, strict=True):
            eta = gamma1 + gamma2 * covariate
            if abs(eta) > FARTHEST:
                return NOT_CONVERGED
            below, above = _below(eta), _below(-eta)
            density = exp(-eta * eta / 2) / sqrt(2 * pi)
            a = density / (below * above)
            # of c - Φ and (1 - Φ) - (1 - c) the one that keeps its digits
            off = rate - below if eta < 0 else above - (1 - rate)
            v1 += a * off
            v2 += a * off * covariate
            spread1 += a
            spread2 += a * abs(covariate)
            i11 += a * density
            i12 += a * density * covariate
            i22 += a * density * covariate * covariate
        determinant = i11 * i22 - i12 * i12
        if determinant <= 0:
            return NOT_CONVERGED
        step1 = (i22 * v1 - i12 * v2) / determinant
        step2 = (i11 * v2 - i12 * v1) / determinant
        gamma1, gamma2 = gamma1 + step1, gamma2 + step2
        if max(abs(step1), abs(step2)) < SMALLEST_STEP:
            of_1, of_2 = i22 * spread1 + abs(i12) * spread2, abs(i12) * spread1 + i11 * spread2
            return Binormal(gamma1, gamma2, step, max(of_1, of_2) / determinant)
    return NOT_CONVERGED


@cache
def _covariates(points: int) -> tuple[float, ...]:
    return tuple(map(NormalDist().inv_cdf, equidistant(points)))


def _below(u: float) -> float:
    """Φ(u), with all digits far below 0."""
    return erfc(-u / sqrt(2)) / 2
