"""The laws of scores that the papers draw from, and the areas that are true of them.

Areas are integrals over the threshold c, by Gauss's rule on pieces on which the densities are
smooth:

    under the precision-recall curve [Thesis, Eq. 4.2]:  ∫ πS₁/(πS₁ + (1 - π)S₀) · f₁ dc
    over both rates [tpAUC, Eq. 30-31]:  ∫ (S₁ - b)·f₀ dc  where S₁ > b and S₀ < u,

with S₁ and f₁ the survival function and the density of the positives' scores, S₀ and f₀ those of
the negatives'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, pi, sqrt

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Curve = Callable[[Doubles], Doubles]
NODES = 80


@dataclass(frozen=True, slots=True)
class ClassLaw:
    """The scores of one class."""

    draw: Callable[[np.random.Generator, int], Doubles]
    density: Curve
    survival: Curve


@dataclass(frozen=True, slots=True)
class Law:
    """The scores of both classes; densities are smooth between the `ends`."""

    positives: ClassLaw
    negatives: ClassLaw
    ends: Sequence[float]

    def drawn(
        self, generator: np.random.Generator, positives: int, negatives: int
    ) -> tuple[Doubles, NDArray[np.int64]]:
        """ClassLaw and labels of so many samples of either class, the positives first."""
        scores = np.concatenate(
            [
                self.positives.draw(generator, positives),
                self.negatives.draw(generator, negatives),
            ]
        )
        return scores, np.repeat(np.array([1, 0]), [positives, negatives])

    def area_of_precision(self, share: float) -> float:
        """The true area under the precision-recall curve, for this share of positives."""

        def integrand(c: Doubles) -> Doubles:
            found, wrong = share * self.positives.survival(c), self.negatives.survival(c)
            flagged = found + (1 - share) * wrong
            density = self.positives.density(c)
            return density * found / np.where(flagged > 0, flagged, 1)

        return integral(integrand, self.ends)

    def area_of_both_rates(self, least_tpr: float, most_fpr: float) -> float:
        """The true two-way partial area."""
        lowest = quantile(self.negatives.survival, most_fpr, self.ends)
        highest = quantile(self.positives.survival, least_tpr, self.ends)
        if lowest >= highest:
            return 0.0
        inner = [end for end in self.ends if lowest < end < highest]

        def integrand(c: Doubles) -> Doubles:
            return (self.positives.survival(c) - least_tpr) * self.negatives.density(c)

        return integral(integrand, [lowest, *inner, highest])


def integral(of: Curve, ends: Sequence[float]) -> float:
    """By Gauss and Legendre's rule between neighbouring ends."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    total = 0.0
    for low, high in pairwise(ends):
        half = (high - low) / 2
        total += half * float(weights @ of(low + half * (places + 1)))
    return total


def quantile(survival: Curve, rate: float, ends: Sequence[float]) -> float:
    """The threshold that this share of the scores exceeds, by bisection."""
    low, high = ends[0], ends[-1]
    for _ in range(80):
        middle = (low + high) / 2
        if float(survival(np.array([middle]))[0]) > rate:
            low = middle
        else:
            high = middle
    return low


def normal(mean: float, deviation: float) -> ClassLaw:
    """N(mean, deviation²)."""

    def density(c: Doubles) -> Doubles:
        z = (c - mean) / deviation
        found: Doubles = np.exp(-z * z / 2) / (deviation * sqrt(2 * pi))
        return found

    def survival(c: Doubles) -> Doubles:
        return np.array([erfc(z) / 2 for z in (c - mean) / (deviation * sqrt(2))])

    return ClassLaw(
        lambda generator, count: generator.normal(mean, deviation, count), density, survival
    )


def binormal(positives: tuple[float, float], negatives: tuple[float, float]) -> Law:
    """Both classes normal, each given by mean and standard deviation."""
    widest = 9 * max(positives[1], negatives[1])
    means = sorted({positives[0], negatives[0]})
    ends = (means[0] - widest, *means, means[-1] + widest)
    return Law(normal(*positives), normal(*negatives), ends)


def uniform(low: float, high: float) -> ClassLaw:
    return ClassLaw(
        lambda generator, count: generator.uniform(low, high, count),
        lambda c: np.where((c >= low) & (c <= high), 1 / (high - low), 0.0),
        lambda c: np.clip((high - c) / (high - low), 0, 1),
    )


BETA_2_5 = ClassLaw(
    lambda generator, count: generator.beta(2, 5, count),
    lambda c: 30 * c * (1 - c) ** 4,
    lambda c: (1 - c) ** 5 * (1 + 5 * c),
)
BETA_5_2 = ClassLaw(
    lambda generator, count: generator.beta(5, 2, count),
    lambda c: 30 * c**4 * (1 - c),
    lambda c: 1 - c**5 * (6 - 5 * c),
)
THESIS = {
    "binormal": binormal((1, 1), (0, 1)),
    "bibeta": Law(BETA_5_2, BETA_2_5, (0, 1)),
    "offset uniform": Law(uniform(0.5, 1.5), uniform(0, 1), (0, 0.5, 1, 1.5)),
}
"""[Thesis, section 4.4 and Figure 4.3]."""
