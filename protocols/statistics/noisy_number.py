"""Differentially private numbers between 0 and 1: what they have in common.

Two samples that differ in one row of one list are neighbours, the lengths are public [Thesis, 5.3].
What is released is the number plus noise that nobody knows, and nothing else: it is defined for
every data set, since not even a missing class may be told [Thesis, erratum 9]. Three mechanisms:

- `floor`: with a public `least_class`, the least class count that the study expects, the number is
  shrunk where a class has fewer; its noise has a public scale
  (`ppaurora.protocols.release.mechanism`);
- `smooth`: the noise has a secret scale that follows the class counts, and δ is the study's
  (`ppaurora.protocols.release.smooth`);
- `cauchy`: the same with Cauchy's law in place of Laplace's, and no δ but that of rounding
  (`ppaurora.protocols.release.cauchy`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.digit_steps import LARGEST_TABLE
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.pipelines.sorted_list import NegativesFirst
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.cauchy import CauchyScale
from ppaurora.protocols.release.mechanism import Mechanism, PublicScale
from ppaurora.protocols.release.noise import LARGEST_EPSILON
from ppaurora.protocols.release.privacy import Privacy, noisy_text
from ppaurora.protocols.release.sensitivity import Table
from ppaurora.protocols.release.smooth import LARGEST_SMOOTH_EPSILON, SecretScale
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind, decimal_text
from ppaurora.protocols.statistics.parameters import OPTION, choice, number, whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic

FLOOR, SMOOTH, CAUCHY = "floor", "smooth", "cauchy"
MECHANISMS = (FLOOR, SMOOTH, CAUCHY)


@dataclass(frozen=True, slots=True)
class NoisyNumber(Statistic[Ranked, Pooled]):
    """A statistic that is released as a number plus noise."""

    topic: ClassVar[Topic] = Topic.NOISE
    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    pipeline: ClassVar[type[NegativesFirst]] = NegativesFirst
    undefined: ClassVar[str] = "there are no samples"
    epsilon: Fraction = number(
        "the privacy loss of this number", most=str(LARGEST_EPSILON), least="0.001"
    )
    least_class: int | None = whole(
        "for mechanism=floor, the least class count that is expected",
        least=1,
        most=LARGEST_TABLE,
        optional=True,
    )
    mechanism: str = choice(
        "whether the noise has a public scale or follows the class counts", FLOOR, MECHANISMS
    )
    delta: Fraction | None = number(
        "for mechanism=smooth, the chance with which the privacy loss may be larger",
        least="0.000000000001",
        most="0.1",
        optional=True,
    )

    def __post_init__(self) -> None:
        of_own = {FLOOR: "least_class", SMOOTH: "delta"}
        wanted = of_own.get(self.mechanism)
        if wanted and getattr(self, wanted) is None:
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} with mechanism={self.mechanism} without {wanted}",
                advice=f"Say {wanted}=...",
            )
        for without in {*of_own.values()} - {wanted}:
            if getattr(self, without) is None:
                continue
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} with mechanism={self.mechanism} and {without}",
                advice=f"Leave {without} out, or choose another mechanism.",
            )
        if self.mechanism == SMOOTH and self.epsilon > LARGEST_SMOOTH_EPSILON:
            raise OptionRefused(
                OPTION,
                f"asks for {self.name} with mechanism={SMOOTH} and epsilon={self.epsilon}, for "
                "which the mechanism is not proved",
                advice=f"Choose at most {LARGEST_SMOOTH_EPSILON}, or mechanism={FLOOR}.",
            )

    # -- what a subclass says --------------------------------------------------------------------

    @abstractmethod
    def shrunk(self, party: Party, data: Ranked, digits: int, b: int) -> Shared:
        """The number, shrunk where a class has fewer than b, times 10^digits and rounded."""

    @abstractmethod
    def shrunk_cost(self, n: int, digits: int, b: int) -> Cost:
        """The cost of `shrunk`."""

    @abstractmethod
    def shrunk_fits(self, n: int, digits: int, b: int) -> bool:
        """True if the arithmetic of `shrunk` allows n samples."""

    @abstractmethod
    def exact(self, data: Pooled, b: int) -> Fraction:
        """The shrunk number of the pooled data."""

    @abstractmethod
    def public_sensitivity(self, b: int) -> Fraction:
        """The sensitivity of the shrunk number, between any neighbours."""

    @property
    @abstractmethod
    def local_sensitivity(self) -> Table:
        """The sensitivity of the number itself, by the number of positives."""

    # -- the contract ----------------------------------------------------------------------------

    def noise(self, decimals: int) -> Mechanism:
        """The noise of a number released to so many decimals."""
        if self.least_class is not None:
            b = self.least_class
            return PublicScale(self.epsilon, self.public_sensitivity(b), b, decimals)
        if self.mechanism == CAUCHY:
            return CauchyScale(self.epsilon, self.local_sensitivity, decimals)
        return SecretScale(
            self.epsilon, self.delta or Fraction(0), self.local_sensitivity, decimals
        )

    def privacy(self, decimals: int) -> Privacy:
        return self.noise(decimals).privacy

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        noise = self.noise(decimals)
        digits, b = noise.digits, noise.least_class

        def value(own: Party) -> Shared:
            return self.shrunk(own, data, digits, b)

        # the classes are exchanged: the positives are those whose y is 0
        return noise.noisy(party, self.text, value, P=data.N, n=data.n)

    def cost(self, n: int, decimals: int) -> Cost:
        noise = self.noise(decimals)
        return noise.cost(self.shrunk_cost(n, noise.digits, noise.least_class), n)

    def plaintext_words(self, data: Pooled, decimals: int) -> Sequence[int]:
        """The value before the noise."""
        noise = self.noise(decimals)
        value = half_up(self.exact(data, noise.least_class) * 10**noise.digits)
        return [noise.before_noise(value)]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        noise = self.noise(decimals)
        value = noisy_text(self.text, words[0], decimals, noise.largest)
        return Scalar(value, noise=noise_text(noise.scale, decimals) if noise.scale else None)

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        noise = self.noise(decimals)
        fits = n < LARGEST_TABLE and noise.fits(n)
        return fits and self.shrunk_fits(n, noise.digits, noise.least_class)

    def leaks(self, decimals: int) -> str:
        noise = self.noise(decimals)
        of_scale = f"; the noise has {_told(noise.scale, noise, decimals)}" if noise.scale else ""
        return f"the noisy value, {self.privacy(decimals)}, and nothing else{of_scale}"

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        n, noise = sum(sizes), self.noise(decimals)
        return tuple(
            f"{self.text}: among {n} samples the noise has {_told(half, noise, decimals)}, where "
            f"half of them are positive, and {_told(tenth, noise, decimals)}, where a tenth is"
            for half, tenth in self._secret_scales(n, decimals)
        )

    def error(self, n: int, decimals: int) -> str:
        """The error that noise of a secret scale may make, as a sentence; else nothing.

        >>> from ppaurora.protocols.statistics.registry import statistic
        >>> noisy = statistic("auroc_dp:epsilon=1,mechanism=smooth,delta=0.001")
        >>> noisy.error(900, 2).partition(" if")[0]
        'AUROC with noise is off by at most 0.0139 in 19 of 20 cases'
        """
        noise = self.noise(decimals)
        return "".join(
            f"{self.short} is off by at most {_likely(half, noise, decimals)} in 19 of 20 cases if "
            f"half of the {n} samples are positive, {_likely(tenth, noise, decimals)} if a tenth is"
            for half, tenth in self._secret_scales(n, decimals)
        )

    def _secret_scales(self, n: int, decimals: int) -> list[tuple[Fraction, Fraction]]:
        """The scales where half and a tenth of n samples are positive, if the scale is secret."""
        noise = self.noise(decimals)
        if noise.scale or n < 2 or not noise.fits(n):
            return []
        return [(noise.scale_of(n // 2, n), noise.scale_of(-(-n // 10), n))]


def noise_text(scale: Fraction, decimals: int) -> str:
    """The scale of a noise with two more decimals than are released."""
    return decimal_text(half_up(scale * 10 ** (decimals + 2)), decimals + 2)


def _told(scale: Fraction, noise: Mechanism, decimals: int) -> str:
    """A scale in words."""
    return (
        f"the scale {noise_text(scale, decimals)} (19 of 20 times it is at most "
        f"{_likely(scale, noise, decimals)} to either side)"
    )


def _likely(scale: Fraction, noise: Mechanism, decimals: int) -> str:
    """The number that noise of this scale exceeds once in 20 times; no number is off by over 1."""
    return noise_text(min(scale * noise.likely, Fraction(1)), decimals)
