"""Widths of confidence intervals that samples yet to be collected would give, and their number.

All widths are full ones, from limit to limit, with z the normal quantile of the level:

- AUROC, by Hanley and McNeil, Radiology 143:29-36 (1982): 2·z·√V, where A is the AUROC, P and N are
  the samples of either class, Q1 = A/(2 - A) and Q2 = 2·A²/(1 + A), as of exponential scores, and

      V = (A·(1 - A) + (P - 1)·(Q1 - A²) + (N - 1)·(Q2 - A²)) / (P·N).

- AUROC, by Newcombe's score interval (`ppaurora.protocols.ranking.score_limits`), which `auroc_ci`
  releases. It has half the samples in the place of either class, and so is narrower than that
  where positives are few and the AUROC is more than a half.
- Observed / expected, where it is 1, by Riley et al., Statistics in Medicine 40:4230-4251 (2021):
  exp(z·SE) - exp(-z·SE) with SE(ln(O/E)) = √((1 - φ)/(n·φ)), φ being the prevalence.
- Sensitivity and specificity, by Wilson's score interval: of n samples of the class and a
  proportion p it is 2·z·√(p·(1 - p)/n + z²/(4·n²)) / (1 + z²/n).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import exp, floor, inf, sqrt
from statistics import NormalDist

from ppaurora.parties.errors import ConfigurationError
from ppaurora.protocols.ranking.score_limits import ScoreLimits
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES


@dataclass(frozen=True, slots=True)
class Width:
    """The full width of the interval of a number that is expected to have a value."""

    number: str
    value: float
    width: float
    by: str


@dataclass(frozen=True, slots=True)
class Expected:
    """The results that a study expects, each between 0 and 1, and the level of its intervals.

    >>> study = Expected(auroc=0.8, prevalence=0.1)
    >>> study.least_samples(0.1)
    1135
    >>> study.classes(1135)
    (114, 1021)
    """

    auroc: float
    prevalence: float
    level: float = 0.95
    sensitivity: float = 0.5
    specificity: float = 0.5

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 < value < 1:
                raise ConfigurationError(
                    f"--{name} is {value:g}", advice="Say a number between 0 and 1, such as 0.8."
                )

    @property
    def z(self) -> float:
        """The normal quantile of the level."""
        return -NormalDist().inv_cdf((1 - self.level) / 2)

    def classes(self, samples: int) -> tuple[int, int]:
        """The positives and the negatives of so many samples; a half is rounded up."""
        positives = floor(_decimal(self.prevalence) * samples + Fraction(1, 2))
        return positives, samples - positives

    def auroc_width(self, samples: int) -> float:
        """The width by Hanley and McNeil; without end where a class is missing."""
        P, N = self.classes(samples)
        if not P or not N:
            return inf
        A = _decimal(self.auroc)
        Q1, Q2 = A / (2 - A), 2 * A**2 / (1 + A)
        V = (A * (1 - A) + (P - 1) * (Q1 - A**2) + (N - 1) * (Q2 - A**2)) / (P * N)
        return 2 * self.z * sqrt(V)

    def released_width(self, samples: int) -> float:
        """The width of Newcombe's score interval, where both classes are there."""
        limits = ScoreLimits((1 - _decimal(self.level)) / 2)
        lower, upper = limits.around(_decimal(self.auroc), *self.classes(samples))
        return float(upper - lower)

    def widths(self, samples: int) -> tuple[Width, ...]:
        """The width of each number's interval, where both classes are there."""
        P, N = self.classes(samples)
        reach = self.z * sqrt((1 - self.prevalence) / (samples * self.prevalence))
        sensitivity = wilson_width(self.sensitivity, P, self.z)
        specificity = wilson_width(self.specificity, N, self.z)
        released = "Newcombe, as auroc_ci releases it"
        return (
            Width("AUROC", self.auroc, self.auroc_width(samples), "Hanley and McNeil"),
            Width("AUROC", self.auroc, self.released_width(samples), released),
            Width("observed / expected", 1.0, exp(reach) - exp(-reach), "Riley et al."),
            Width("sensitivity", self.sensitivity, sensitivity, "Wilson"),
            Width("specificity", self.specificity, specificity, "Wilson"),
        )

    def least_samples(self, width: float) -> int:
        """The fewest samples whose AUROC has an interval by Hanley and McNeil of this width.

        With one sample more one class grows and the other stays. V is k/(P·N) + a/N + b/P with
        a, b, k >= 0, so that the width never grows.
        """
        if not 0 < width < 1:
            raise ConfigurationError(
                f"--width is {width:g}", advice="Say a number between 0 and 1, such as 0.1."
            )
        found = bisect_left(range(MOST_SAMPLES), -width, key=lambda n: -self.auroc_width(n))
        if found == MOST_SAMPLES:
            raise ConfigurationError(
                f"--width is {width:g}, for which {MOST_SAMPLES} samples are too few",
                advice="Take a wider interval.",
            )
        return found


def wilson_width(p: float, n: int, z: float) -> float:
    """The width of Wilson's interval of a proportion p of n samples.

    >>> round(wilson_width(0.5, 100, 1.96), 4)
    0.1923
    """
    return 2 * z * sqrt(p * (1 - p) / n + (z / n) ** 2 / 4) / (1 + z**2 / n)


def _decimal(number: float) -> Fraction:
    """The number as it is written."""
    return Fraction(str(number))
