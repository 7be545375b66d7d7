"""Laplace noise of a secret scale, which follows the smooth sensitivity: (ε, δ)-private.

[Thesis, Thm 2.9, 2]: with β = ε/(2·ln(2/δ)) and a bound S on the change of a value f that differs
by a factor of at most e^β between neighbouring data sets,

    f + 2·S/ε · Laplace(1)    is (ε, δ)-differentially private.

S depends on the secret number of positives P. It is the smooth sensitivity [Thesis, Thm 5.2, 5.4]
of f rounded to 10^-digits, two decimals more than are released. All is whole numbers, in units of
the last decimal and with r + s bits behind the point:

    c(P) = 2·10^d·S(P)/ε·2^s, rounded up, from a public table at a secret place, s = 40;
    G, two-sided geometric, Pr(i) ~ e^(-|i|/2^r): Laplace(1) in units of 2^-r (`GeometricNoise`);
    v·floor(2^(r+s)/100) + c(P)·G, rounded half up to a whole number by one comparison.

δ has five parts. The first is the study's own. The others are (1 + e^ε) times how far what is drawn
is from the ideal, in total variation:

    probabilities of 62 bits, and digits left out      as `GeometricNoise.distance` says
    a geometric G instead of a rounded Laplace one     2^-(2r + 3)
    a noise in steps of c/2^r instead of a smooth one  2^(1 - r)·(c + 1), c here in last decimals
    shares mod 2^256 that wrap around                  X/2^256 for numbers of up to X

For the fourth: the noise changes by at most half a step, which matters only near a boundary of the
rounding; those are 1 apart, and the density of Laplace's law is at most 1/2c. r is the least from
40 on for which this part is at most a hundredth of δ.

The proof of the theorem needs ln(2/δ)·(e^β - 1) - β <= ε/2, which is true for ε up to 3 and δ up to
0.1; more is refused. Nobody learns anything. Six hops more than the value's, one to widen it and
five to round; the eight of the noise run beside it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_is_negative, wide_multiply, widen
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS
from ppaurora.protocols.arithmetic.wide_table import WideTable
from ppaurora.protocols.release.mechanism import LARGEST_WORD, Mechanism
from ppaurora.protocols.release.noise import EXACTLY, GeometricNoise, as_decimal, exponential
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.sensitivity import UNIT, Table, smoothed

LARGEST_SMOOTH_EPSILON = 3
GUARD = 100
"""The value has two decimals more than are released."""
SCALE_BITS = 40
LEAST_BITS = 40
SHARE_OF_DELTA = 100
SURE_BITS = 64


class SmoothScale(Mechanism):
    """Noise of scale 2·S(P)/ε, with S made of the table of sensitivities `local`."""

    __slots__ = ()

    epsilon: Fraction
    local: Table
    decimals: int

    @property
    @abstractmethod
    def beta(self) -> Fraction:
        """β, by which S may grow between neighbours."""

    @property
    def digits(self) -> int:
        return self.decimals + 2

    @property
    def least_class(self) -> int:
        return 1

    @property
    def decay(self) -> int:
        """2^64·e^-β, rounded up."""
        return int(exponential(-self.beta) * UNIT) + 1

    def scales(self, n: int) -> list[int]:
        """c(P)·2^40 for P = 0 .. n; some two seconds for a million samples, at both proxies."""
        return smoothed(self._scaled(self.local(n)), self.decay)

    @property
    def scale(self) -> None:
        return None

    def scale_of(self, P: int, n: int) -> Fraction:
        return Fraction(self.scales(n)[P], 10**self.decimals << SCALE_BITS)

    def _scaled(self, entries: Sequence[int]) -> list[int]:
        """2·10^d·(LS + 10^-digits)/ε·2^s, rounded up, for each LS in multiples of 1/UNIT."""
        factor = Fraction(2 << SCALE_BITS, UNIT * GUARD) / self.epsilon
        scale, top, bottom = 10**self.digits, factor.numerator, factor.denominator
        return [-(-(entry * scale + UNIT) * top // bottom) for entry in entries]

    @property
    def _largest_scale(self) -> int:
        """An upper bound of `scales`: a value between 0 and 1 moves by at most 1."""
        return self._scaled([UNIT + 1])[0]

    def _table(self, n: int) -> WideTable:
        return WideTable(n + 1, self._largest_scale.bit_length())


@dataclass(frozen=True, slots=True)
class SecretScale(SmoothScale):
    """Laplace noise of that scale."""

    epsilon: Fraction
    own_delta: Fraction
    local: Table
    decimals: int

    @property
    def beta(self) -> Fraction:
        logarithm = Fraction(EXACTLY.ln(as_decimal(2 / self.own_delta)))
        return self.epsilon / (2 * logarithm)

    @property
    def _rounded(self) -> Fraction:
        """2^r times the distance that steps of c/2^r make."""
        return 2 * (Fraction(self._largest_scale, 1 << SCALE_BITS) + 1)

    @property
    def bits(self) -> int:
        """r."""
        needed = ceil(self._factor * self._rounded * SHARE_OF_DELTA / self.own_delta)
        return max(LEAST_BITS, (needed - 1).bit_length())

    @property
    def _factor(self) -> Fraction:
        """1 + e^ε, by which a distance counts."""
        return 1 + Fraction(exponential(self.epsilon))

    @property
    def laplace(self) -> GeometricNoise:
        """Laplace(1) in units of 2^-r."""
        return GeometricNoise(Fraction(1), 1 << self.bits)

    @property
    def _point(self) -> int:
        """r + s."""
        return self.bits + SCALE_BITS

    @property
    def largest(self) -> int:
        return -(-self._largest_scale * self.laplace.largest >> self._point) + 1

    @property
    def _largest_sum(self) -> int:
        """X: the value, the noise, and the shift that makes all positive."""
        scale: int = 10**self.decimals
        return scale + 2 * self.largest + 2 << self._point

    @property
    def distance(self) -> Fraction:
        """A bound on the distance between the released number's law and that of the theorem."""
        stepwise = Fraction(1, 1 << 2 * self.bits + 3) + self._rounded / (1 << self.bits)
        return self.laplace.distance + stepwise + Fraction(self._largest_sum, 1 << WIDE_BITS)

    @property
    def privacy(self) -> Privacy:
        return Privacy(self.epsilon, self.own_delta + self._factor * self.distance)

    def fits(self, n: int) -> bool:
        fits = self._largest_sum.bit_length() + SURE_BITS <= WIDE_BITS
        return fits and self.largest < LARGEST_WORD and self._table(n).fits

    def before_noise(self, value: int) -> int:
        # a value half way between two decimals is a hair below it, as floor(2^(r+s)/100) is
        return (value + GUARD // 2 - 1) // GUARD

    def noisy(
        self, party: Party, use: str, value: Callable[[Party], Shared], P: Shared, n: int
    ) -> Shared:
        v, noise = side_by_side(
            party,
            [
                lambda own: widen(own, value(own)),
                lambda own: self.drawn(own, use, P, n),
            ],
        )
        return self.rounded(party, v * self.unit + noise)

    @property
    def unit(self) -> int:
        """floor(2^(r+s)/100), for a unit of the value."""
        return (1 << self._point) // GUARD

    def drawn(self, party: Party, use: str, P: Shared, n: int, count: int = 1) -> WideShared:
        """`count` times c(P)·G, with r + s bits behind the point of the last decimal."""
        G, c = side_by_side(
            party,
            [
                lambda own: self.laplace.drawn_wide(own, use, count),
                lambda own: self._table(n).read(own, P, lambda: self.scales(n)),
            ],
        )
        return wide_multiply(party, c.repeat(count), G)

    def rounded(self, party: Party, x: WideShared) -> Shared:
        """round_half_up(x / 2^(r+s)), for a value with its noise."""
        shifted = x + ((1 << self._point - 1) + (self.largest << self._point))
        near = shifted.scaled_down(self._point)
        # near is the whole part or one more
        above = wide_is_negative(party, shifted - near * (1 << self._point))
        return (near - above).low() - self.largest

    def cost(self, value: Cost, n: int) -> Cost:
        read = self._table(n).cost()
        noise = (self.laplace.wide_cost() | read) + wide_multiply.cost().of(1)
        return ((value + widen.cost().of(1)) | noise) + wide_is_negative.cost().of(1)
