"""Differences of AUROCs on the same samples, with their limits and z: what such statistics share.

[ROC-GLM, Eq. 2-3, erratum 1], as pROC's paired `roc.test`: with the AUROC of one model's scores
less that of another's, Δ, and its standard error SE by `ppaurora.protocols.ranking.covariance`,

    Δ ± z_level·SE, cut off at -1 and 1,        z = Δ/SE.

Where SE is 0, z is 0 if Δ is, as pROC has it, and without bound if not. z has three decimals,
rounded half away from 0; from 99.9995 on it is released as "at least 100". A half is rounded up in
the difference and its limits, which are computed from (1 + Δ)/2 as `auroc_ci` computes them.

How sure that is: difference and z are always correctly rounded. A limit can be wrong by one unit of
its last decimal only if the exact one lies within (3 + z_level)/2·10^-e of a rounding boundary, e
being eight or nine more than the decimals.

The words are all differences, all lower limits, all upper limits, and all z. Nobody learns
anything. 50 hops for four decimals, and 60 where there are so many differences
that one decimal is found at a time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_multiply,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.covariance import (
    TIMES,
    Gained,
    Pair,
    PooledModels,
    RankedModels,
    holds_models,
    squared_gain,
)
from ppaurora.protocols.ranking.delong import (
    Delong,
    largest_area_denominator,
    largest_variance_denominator,
)
from ppaurora.protocols.release.values import signed_text, z_text
from ppaurora.protocols.statistics.of_models import FEW_MODELS, OfRankings
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.signed_difference import (
    LARGEST_Z,
    Z_DECIMALS,
    Z_DIGITS,
    error_digits,
    signed_z,
    signed_z_cost,
    words_of,
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One difference of two AUROCs as it is released, with its limits and z."""

    value: str
    lower: str
    upper: str
    z: str


@dataclass(frozen=True, slots=True)
class Contrasts(OfRankings):
    """Differences of AUROCs, each with its lower and upper limit, and z."""

    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    @abstractmethod
    def pairs(self) -> Sequence[Pair]:
        """The models that are compared: the first less the second of each pair."""

    @property
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of the difference."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: RankedModels, decimals: int) -> Shared:
        found = data.covariance.differences(self.pairs)
        return concatenate(
            side_by_side(
                party,
                [
                    lambda own: self._interval(own, found, data.n, decimals),
                    lambda own: _z(own, found, data.n),
                ],
            )
        )

    def _interval(self, party: Party, found: Delong, n: int, decimals: int) -> Shared:
        """1 + Δ and 1 plus its limits."""
        area = found.area
        limits, whole = self.limits.around(party, found, n, decimals, times=2)
        # (1 + x)/2 over 5, to one more digit than x is released with
        N, D = concatenate_wide([area.N, limits]), concatenate_wide([area.D, whole]) * 5
        bound = _largest_denominator(n, decimals)
        return wide_divide(party, N, D, digits=decimals + 1, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        m, bound = len(self.pairs), _largest_denominator(n, decimals)
        rounding = wide_divide.cost(digits=decimals + 1, bound=bound).of(3 * m)
        return (self.limits.around_cost(decimals, m) + rounding) | _z_cost(n, m)

    def plaintext_words(self, data: PooledModels, decimals: int) -> Sequence[int]:
        if not data.enough:
            return self._undefined(decimals)
        each = [self._plain(data.gained(pair), decimals) for pair in self.pairs]
        return [word for kind in zip(*each, strict=True) for word in kind]

    def _plain(self, found: Gained | None, decimals: int) -> tuple[int, ...]:
        """The words of one difference."""
        assert found is not None
        return tuple(words_of(found.difference, found.variance, self.limits, decimals))

    def words(self, decimals: int) -> int:
        return 4 * len(self.pairs)

    def read(self, words: Sequence[int], decimals: int) -> list[Contrast] | None:
        """The differences in the order of the pairs, None where they are undefined."""
        if [*words] == self._undefined(decimals):
            return None
        m, scale = len(self.pairs), 10**decimals
        values, z = words[: 3 * m], words[3 * m :]
        within = all(0 <= word <= 2 * scale for word in values)
        if not within or not all(0 <= word <= 2 * LARGEST_Z for word in z):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        texts = [signed_text(word - scale, decimals) for word in values]
        texts += [z_text(word - LARGEST_Z, Z_DECIMALS) for word in z]
        return [Contrast(*texts[place::m]) for place in range(m)]

    def _undefined(self, decimals: int) -> list[int]:
        """The words where a class has fewer than two samples."""
        m = len(self.pairs)
        return [undefined(decimals + 1)] * 3 * m + [LARGEST_Z + undefined(Z_DIGITS)] * m

    def fits(self, n: int, decimals: int) -> bool:
        digits = places(decimals)
        area = TIMES * largest_area_denominator(n)
        divided = area <= largest_wide_denominator(BASE)
        rounded = _largest_denominator(n, decimals) <= largest_wide_denominator()
        rooted = largest_variance_denominator(n) <= largest_root_denominator(digits, BASE)
        compared = _largest_z_denominator(n) <= largest_root_denominator(Z_DIGITS)
        return holds_models(n) and divided and rounded and rooted and compared

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals and z, which with the number of samples tell that the smaller "
            "class count is at most 1 + 1/SE², and roughly what it is to who knows how alike the "
            f"scores are; and whether the metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # as of `auroc_models`
        areas = len(self.pairs) * decimals if self.k > FEW_MODELS else 0
        return areas + len(self.pairs) * error_digits(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with the number of samples and how alike the scores are, the "
            "interval tells the smaller class count roughly",
        )


def _largest_denominator(n: int, decimals: int) -> int:
    """The denominators of the difference and its limits are at most this."""
    rounded: int = 2 * BASE ** (2 * places(decimals))
    return 5 * max(TIMES * largest_area_denominator(n), rounded)


def _z(party: Party, found: Delong, n: int) -> Shared:
    """10^5 + 1000·z of each difference."""
    squared, signed = squared_gain(party, found)
    scaled = found.variance.N * (4 * 100**2)
    return signed_z(party, squared, scaled, signed, found.is_few(n), _largest_z_denominator(n))


def _z_cost(n: int, m: int) -> Cost:
    return wide_multiply.cost().of(m) + signed_z_cost(_largest_z_denominator(n), m)


def _largest_z_denominator(n: int) -> int:
    """A bound of at least 1 on the squared gain and on the numerator of the scaled variance."""
    return 4 * 100**2 * largest_variance_denominator(n)
