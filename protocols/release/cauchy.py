"""Cauchy noise of a secret scale, which follows the smooth sensitivity: private without a δ.

[Thesis, Thm 2.9, 1, erratum 11]: with β = ε/2 and a bound S on the change of a value f, which
differs by a factor of at most e^β between neighbouring data sets,

    f + 2·S/ε · Cauchy(1)    is ε-differentially private.

The print has β = ε/6 and 6·S/ε, three times as much noise: ln(1 + z²) changes by at most as much
as z, so moving f costs ε/2, and stretching the noise by e^β costs at most β. Released is the number
cut off at 0 and 1, as the print has it, since the noise has no largest value.

The noise is drawn exactly: of a point that lies anywhere in a half disc with the same chance, the
quotient X/Y of its coordinates follows Cauchy's law. X and Y are drawn in a square, as 126 random
bits each, which the sum of one word of either proxy makes: a server, any owners and the receivers
together face the whole noise. Of 32 points the first one in the half disc is picked by a product.
With c(P) = 2·10^d·S(P)/ε·2^s from a public table, s = 40, and v the value to two more digits,

    (v·2^s·Y + 100·c·X) / (100·2^s·Y),    its numerator cut off at the ends, divided once,

is rounded half up; so nothing but what follows is approximate, and is counted as δ, (1 + e^ε) times
how far what is drawn is from the ideal, in total variation:

    none of 32 points is in the half disc        (1 - π/4)^32, about 2^-71
    points lie on a grid of 2^126 · 2^126        a boundary between two released numbers is a line
                                                 through the origin, which crosses 2^127 cells; the
                                                 circle crosses fewer than 2^129

Nobody learns anything. 34 hops for four decimals of an AUROC, fourteen more than Laplace's noise;
up to eleven decimals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    is_zero,
    largest_wide_denominator,
    wide_divide,
    wide_is_negative,
    wide_negative_times,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.release.noise import exponential, own_stream, stream_cost
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.sensitivity import Table
from ppaurora.protocols.release.smooth import GUARD, SCALE_BITS, SmoothScale

POINTS = 32
LIMB_BITS = 63
SIDE_BITS = 2 * LIMB_BITS
MISSED = Fraction(2147, 10000)
"""More than 1 - π/4, the share of the square outside of the disc."""
LIKELY = Fraction("12.7063")
"""The size that a Cauchy variable exceeds once in 20 times."""


@dataclass(frozen=True, slots=True)
class CauchyScale(SmoothScale):
    """Cauchy noise of scale 2·S(P)/ε, on a number that is cut off at 0 and 1."""

    epsilon: Fraction
    local: Table
    decimals: int

    @property
    def beta(self) -> Fraction:
        return self.epsilon / 2

    @property
    def scale(self) -> None:
        return None

    @property
    def likely(self) -> Fraction:
        return LIKELY

    def scale_of(self, P: int, n: int) -> Fraction:
        return Fraction(self.scales(n)[P], 10**self.decimals << SCALE_BITS)

    @property
    def largest(self) -> int:
        return 0

    @property
    def distance(self) -> Fraction:
        """A bound on the distance between the released number's law and that of the theorem."""
        cells = (10**self.decimals + 2) * (1 << SIDE_BITS + 1) + (1 << SIDE_BITS + 3)
        # of those in the half disc, more than three of four
        return MISSED**POINTS + Fraction(4 * cells, 3 << 2 * SIDE_BITS)

    @property
    def privacy(self) -> Privacy:
        return Privacy(self.epsilon, (1 + Fraction(exponential(self.epsilon))) * self.distance)

    def fits(self, n: int) -> bool:
        most = (10**self.decimals + self._largest_scale) * GUARD << SIDE_BITS + SCALE_BITS
        fits = max(most, self._bound) <= largest_wide_denominator()
        return n == 0 or (self._table(n).fits and fits)

    @property
    def _bound(self) -> int:
        """The denominator is at most this."""
        most: int = GUARD * 10**self.decimals << SCALE_BITS + SIDE_BITS
        return most

    def before_noise(self, value: int) -> int:
        return (value + GUARD // 2) // GUARD

    def noisy(
        self, party: Party, use: str, value: Callable[[Party], Shared], P: Shared, n: int
    ) -> Shared:
        v, c, point = side_by_side(
            party,
            [
                lambda own: widen(own, value(own)),
                lambda own: self._table(n).read(own, P, lambda: self.scales(n)),
                lambda own: drawn_point(own, use),
            ],
        )
        return self.released(party, v, c, point)

    def released(self, party: Party, v: WideShared, c: WideShared, point: WideShared) -> Shared:
        """The rounded number, from the value, c(P) and pairs of X and Y: all X, then all Y."""
        m = len(point) // 2
        X, Y = point[:m], point[m:]
        of_value, of_noise = wide_products(
            party, [v.repeat(m), Y, c.repeat(m), X], [(0, 1), (2, 3)]
        )
        N, whole = of_value * (1 << SCALE_BITS) + of_noise * GUARD, Y * self._unit
        room = concatenate_wide([N, whole - N])
        _, beyond = wide_negative_times(party, room, room)
        inside = N - beyond[:m] + beyond[m:]
        return wide_divide(party, inside, whole, digits=self.decimals, bound=self._bound)

    @property
    def _unit(self) -> int:
        unit: int = GUARD * 10**self.decimals << SCALE_BITS
        return unit

    def cost(self, value: Cost, n: int) -> Cost:
        beside = (value + widen.cost().of(1)) | self._table(n).cost() | drawn_cost()
        products = wide_products.cost(factors=4, pairs=2).of(1)
        cut = wide_negative_times.cost().of(2)
        return beside + products + cut + wide_divide.cost(digits=self.decimals).of(1)


def drawn_point(party: Party, use: str, count: int = 1) -> WideShared:
    """X of `count` points of the half disc, and then Y of each; 0 and 0 where none was found.

    `use` says what they are for, as nothing else in the session is called.
    """
    own, points = own_stream(party, use), POINTS * count
    words = Shared.absent(4 * points)
    if own is not None:
        words = Shared.from_words(party.role, own.words(4 * points))
    # without the highest bit, which is as random as the others
    limbs = widen(party, words - is_negative(party, words) * (1 << LIMB_BITS))
    high, low = limbs[: 2 * points], limbs[2 * points :]
    side = high * (1 << LIMB_BITS) + low
    x = side[:points] * 2 + (1 - (1 << SIDE_BITS))
    y = side[points:] + 1
    squares = wide_products(party, [x, y], [(0, 0), (1, 1)])
    inside = wide_is_negative(party, squares[0] + squares[1] - (1 << 2 * SIDE_BITS)).low()
    # 1 from the first one on that is inside
    each = [inside[start : start + POINTS].cumsum() for start in range(0, points, POINTS)]
    found = 1 - is_zero(party, concatenate(each))
    first = [
        concatenate([one[:1], one[1:] - one[:-1]])
        for one in (found[start : start + POINTS] for start in range(0, points, POINTS))
    ]
    chosen = wide_products(party, [widen(party, concatenate(first)), x, y], [(0, 1), (0, 2)])
    return concatenate_wide(
        of_points[start : start + POINTS].sum()
        for of_points in chosen
        for start in range(0, points, POINTS)
    )


def drawn_cost(count: int = 1) -> Cost:
    """The cost of `drawn_point`."""
    points = POINTS * count
    return (
        stream_cost()
        + is_negative.cost().of(4 * points)
        + widen.cost().of(4 * points)
        + wide_products.cost(factors=2, pairs=2).of(points)
        + wide_is_negative.cost().of(points)
        + is_zero.cost().of(points)
        + widen.cost().of(points)
        + wide_products.cost(factors=3, pairs=2).of(points)
    )
