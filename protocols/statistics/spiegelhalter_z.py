"""Spiegelhalter's test of calibration: z and its two-sided p-value.

[Spiegelhalter]. If the scores are right as probabilities, the squared errors exceed those that
are expected by 0 on the average, with a known variance:

    z = A/sqrt(V),    A = Σ (y - f)·(1 - 2f) = Σ ((y - f)² - f·(1 - f)),
                      V = Σ f·(1 - f)·(1 - 2f)².

Each owner sums its own rows in the clear (`ppaurora.protocols.grid.sums`). z is rounded half away
from 0; a size of 100 or more is released as "at least 100". p is that of the z that is released, to
four significant digits, which its last decimal moves by at most 0.4 of itself.

How sure that is: z is correctly rounded where all scores are whole multiples of 2^-34. For other
scores A can be wrong by 2^-81 for each owner and V by 2^-135: z can be wrong by one unit of its
last decimal only if the exact one lies within owners·(2^-81/sqrt(V) + |z|·2^-136/V) of a rounding
boundary, which is owners·2^-70 where V is at least 2^-20.

Of joined rows each row has words of its own (`ppaurora.protocols.grid.row_sums`), and how many
there are is secret: A can be wrong by n·2^-79 and V by n·2^-121, and neither is where all scores
are whole multiples of 2^-30.

Nobody learns anything. Eight hops, and five for every two decimals, of which there are two more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    multiply,
    undefined,
    wide_multiply,
    wide_negative_times,
    wide_root,
    widen,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up_root
from ppaurora.protocols.grid.sums import BITS, EXCESS_BITS, ROOM, WORDS, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    Z_TENS,
    Released,
    Table,
    ValueKind,
    two_sided_p,
    z_text,
)
from ppaurora.protocols.statistics.statistic import Statistic, Topic

COLUMNS = ("z", "p")


@dataclass(frozen=True, slots=True)
class SpiegelhalterZ(Statistic[Binned, PooledBins]):
    """A/sqrt(V), and how likely a larger size is."""

    name: ClassVar[str] = "spiegelhalter_z"
    short: ClassVar[str] = "Spiegelhalter test"
    reference: ClassVar[str] = "Spiegelhalter, Statistics in Medicine 1986"
    title: ClassVar[str] = "Spiegelhalter's test that the scores are right as probabilities: z, p"
    known_as: ClassVar[str] = "rms val.prob, its S:z and S:p"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    inputs: ClassVar[Inputs] = frozenset({Sum.EXCESS, Sum.SPREAD})
    undefined: ClassVar[str] = "all scores are 0, 1/2 or 1, to 40 decimals"
    joins: ClassVar[bool] = True

    def over_secret_total(self) -> OfJoinedRows:
        return OfJoinedRows()

    def excess_and_spread(self, party: Party, data: Binned) -> tuple[WideShared, WideShared, int]:
        """A, V, and 1 in the unit of A² over that of V."""
        # the low words of an excess are 0
        excess, V = side_by_side(
            party,
            [
                lambda own: joined(own, *data.sums[Sum.EXCESS][: WORDS - 1]),
                lambda own: joined(own, *data.sums[Sum.SPREAD]),
            ],
        )
        A = excess - int(data.n * ROOM * (1 << EXCESS_BITS))
        return A, V, 1 << 2 * EXCESS_BITS - BITS

    def sums_cost(self) -> Cost:
        """The cost of `excess_and_spread`."""
        return joined_cost(1, WORDS - 1) | joined_cost(1)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        A, V, unit = self.excess_and_spread(party, data)
        # z²/100² = A²/D
        squared, D = wide_multiply(party, A, A), V * (10 ** (2 * Z_TENS) * unit)
        numbers = concatenate_wide([D - squared, A])
        signs, parts = wide_negative_times(party, numbers, numbers)
        digits = decimals + Z_TENS
        size = wide_root(party, squared + parts[:1], D, digits=digits, bound=self._largest(data.n))
        return size - multiply(party, signs[1:].low(), size) * 2 + _offset(decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        root = wide_root.cost(digits=decimals + Z_TENS, bound=self._largest(n)).of(1)
        return (
            self.sums_cost()
            + wide_multiply.cost().of(1)
            + wide_negative_times.cost().of(2)
            + root
            + multiply.cost().of(1)
        )

    def _largest(self, n: int) -> int:
        """D is at most this; every list's low words may add up to one unit of the high ones."""
        largest: int = n * 10 ** (2 * Z_TENS) << 2 * EXCESS_BITS - 3
        return max(1, largest)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        [excess], [V] = data.sums[Sum.EXCESS], data.sums[Sum.SPREAD]
        A = excess - data.n * ROOM
        size = undefined(decimals + Z_TENS)
        if V:
            largest: int = 10 ** (decimals + Z_TENS)
            size = min(largest, half_up_root(A * A * 100**decimals / V))
        return [_offset(decimals) + (size if A >= 0 else -size)]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        z = words[0] - _offset(decimals)
        if abs(z) == undefined(decimals + Z_TENS):
            return Table(COLUMNS, undefined=self.undefined)
        if abs(z) > 10 ** (decimals + Z_TENS):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        told = z_text(z, decimals)
        return Table(COLUMNS, ((told, two_sided_p(told)),))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return self._largest(n) <= largest_root_denominator(decimals + Z_TENS)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of z, from which p follows, and whether they are undefined: "
            f"{self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


@dataclass(frozen=True, slots=True)
class OfJoinedRows(SpiegelhalterZ):
    """The same of joined rows, of which nobody knows how many there are."""

    listed: ClassVar[bool] = False

    def excess_and_spread(self, party: Party, data: Binned) -> tuple[WideShared, WideShared, int]:
        units = [data.unit(which) for which in (Sum.EXCESS, Sum.SPREAD)]
        programs: list[Callable[[Party], WideShared]] = [
            lambda own: joined(own, *data.sums[Sum.EXCESS], unit=units[0]),
            lambda own: joined(own, *data.sums[Sum.SPREAD], unit=units[1]),
            lambda own: widen(own, data.P + data.N),
        ]
        excess, V, n = side_by_side(party, programs)
        of_excess, of_spread = (one.scale for one in units)
        return excess - n * int(ROOM * of_excess), V, of_excess**2 // of_spread

    def sums_cost(self) -> Cost:
        return SpiegelhalterZ.sums_cost(self) | widen.cost().of(1)


def _offset(decimals: int) -> int:
    """Added to a z in units of its last decimal, which may be that of `undefined` and negative."""
    offset: int = 2 * 10 ** (decimals + Z_TENS)
    return offset
