"""The ROC-GLM and DeLong's interval of many data sets at once, in doubles.

The regression is that of `ppaurora.protocols.release.roc_glm`, with which a test compares it; here
the rates of hundreds of data sets are fitted side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers.laws import Doubles
from ppaurora.protocols.release.roc_glm import FARTHEST, MOST_STEPS, SMALLEST_STEP, equidistant

Z = 1.959963984540054


def special() -> Any:
    """The normal distribution function of many numbers, from scipy."""
    try:
        return import_module("scipy.special")
    except ImportError:
        raise ToolAbsent(
            "this experiment needs scipy", advice="Install it with: pip install scikit-learn"
        ) from None


@dataclass(frozen=True, slots=True)
class Fits:
    """γ1, γ2 and the area of each data set; not a number where there is no finite fit."""

    gamma1: Doubles
    gamma2: Doubles

    @property
    def auc(self) -> Doubles:
        found: Doubles = special().ndtr(self.gamma1 / np.hypot(1, self.gamma2))
        return found


def fits(rates: Doubles) -> Fits:
    """The fit of each row of rates at equidistant points, by Fisher scoring from (0, 1).

    >>> found = fits(np.array([[0.5, 0.7, 0.8], [0.0, 0.5, 1.0]]))
    >>> found.auc.round(4).tolist()
    [0.6503, nan]
    """
    tools = special()
    x = tools.ndtri(np.array(equidistant(rates.shape[1])))
    inside = ((rates > 0) & (rates < 1)).sum(axis=1) >= 2
    gamma1, gamma2 = np.zeros(len(rates)), np.ones(len(rates))
    done = ~inside
    lost = ~inside
    with np.errstate(all="ignore"):
        for _ in range(MOST_STEPS):
            eta = gamma1[:, None] + gamma2[:, None] * x
            lost |= (np.abs(eta) > FARTHEST).any(axis=1)
            below, above = tools.ndtr(eta), tools.ndtr(-eta)
            density = np.exp(-eta * eta / 2) / sqrt(2 * np.pi)
            a = density / (below * above)
            off = np.where(eta < 0, rates - below, above - (1 - rates))
            v1, v2 = (a * off).sum(1), (a * off * x).sum(1)
            w = a * density
            i11, i12, i22 = w.sum(1), (w * x).sum(1), (w * x * x).sum(1)
            determinant = i11 * i22 - i12 * i12
            lost |= ~(determinant > 0)
            step1 = np.where(done | lost, 0, (i22 * v1 - i12 * v2) / determinant)
            step2 = np.where(done | lost, 0, (i11 * v2 - i12 * v1) / determinant)
            gamma1, gamma2 = gamma1 + step1, gamma2 + step2
            done |= np.maximum(np.abs(step1), np.abs(step2)) < SMALLEST_STEP
            if (done | lost).all():
                break
    lost |= ~done
    return Fits(np.where(lost, np.nan, gamma1), np.where(lost, np.nan, gamma2))


def rates_of(placements: Doubles, points: int) -> Doubles:
    """c_j, the share of the positives' placements that are at most t_j.

    A placement is a share of negatives, exact to rounding: one next to a t_j counts as equal.
    """
    t = np.array(equidistant(points)) + 1e-12
    found: Doubles = np.searchsorted(np.sort(placements), t, side="right") / placements.size
    return found


def above(sorted_scores: Doubles, at: Doubles) -> Doubles:
    """The share of scores strictly above each place: the survivor function [ROC-GLM, erratum 1]."""
    rank = np.searchsorted(sorted_scores, at, side="right")
    found: Doubles = 1 - rank / sorted_scores.size
    return found


def variance(negatives_placed: Doubles, positives_placed: Doubles) -> float:
    """[ROC-GLM, Eq. 2]: DeLong's variance, of the placement values of both classes."""
    return float(
        negatives_placed.var(ddof=1) / negatives_placed.size
        + positives_placed.var(ddof=1) / positives_placed.size
    )


def limits(auc: Doubles, var: Doubles) -> tuple[Doubles, Doubles]:
    """[ROC-GLM, Eq. 3]: the 95% interval on the logit scale.

    >>> [round(float(x), 3) for x in limits(np.array(0.697), np.array(0.00154))]
    [0.615, 0.768]
    """
    with np.errstate(all="ignore"):
        middle, half = np.log(auc / (1 - auc)), Z * np.sqrt(var) / (auc * (1 - auc))
        return 1 / (1 + np.exp(half - middle)), 1 / (1 + np.exp(-half - middle))
