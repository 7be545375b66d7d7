"""The number of samples with differential privacy: of lists that are joined, how many rows are.

How many rows lists have is public, but nobody knows how many of them have a partner
(`ppaurora.protocols.pipelines.joined`). An owner that uploads people of whom it knows that they are
in the other list, and one of whom it does not, would read that one from the number; so it is
released with noise only. Two sets of lists are neighbours if they differ in one row of one list.
Replacing the row of one identifier by that of another one

    takes a partner away, or gives one back to two rows that the third one had kept apart, and
    makes a pair, or keeps the two rows of one apart,

and so changes the number by at most 2. Two-sided geometric noise of scale 2/ε
(`ppaurora.protocols.release.noise`) makes it ε-private, with δ that of the noise. It is released
whether there are enough rows for the study's other numbers or not: those are withheld below its
least one, and that step no noise of this scale would hide.

Where the noise leaves less than nothing, 0 is shown. In a study that joins nothing it is of all
samples, whose number is public without noise. Six hops, five of them where the first one falls
together with the verdicts on the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError, RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.noise import LARGEST_EPSILON, GeometricNoise
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, Statistic, Topic

CHANGED = 2
"""By so much one replaced row changes the number at most."""


@dataclass(frozen=True, slots=True)
class NoisySamples(Statistic[Binned, PooledBins]):
    """The number of samples, plus noise."""

    topic: ClassVar[Topic] = Topic.NOISE
    name: ClassVar[str] = "samples_dp"
    title: ClassVar[str] = (
        "the number of samples, of joined lists that of joined rows, with differential privacy"
    )
    known_as: ClassVar[str] = "the geometric mechanism on a count"
    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    undefined: ClassVar[str] = "there are no samples"
    joins: ClassVar[bool] = True
    by_group: ClassVar[bool] = False
    epsilon: Fraction = number(
        "the privacy loss of the number", most=str(LARGEST_EPSILON), least="0.001"
    )

    @property
    def noise(self) -> GeometricNoise:
        """The noise of the number."""
        return GeometricNoise(self.epsilon, CHANGED)

    def privacy(self, decimals: int) -> Privacy:
        return Privacy(self.epsilon, self.noise.delta)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        return self.count(data) + self.noise.drawn(party, self.text)

    def count(self, data: Binned) -> Shared:
        """The number itself, shared."""
        return data.P + data.N

    def over_secret_total(self) -> NoisyJoinedRows:
        return NoisyJoinedRows(self.epsilon)

    def cost(self, n: int, decimals: int) -> Cost:
        drawn = self.noise.cost()
        # the proxies exchange names while the helper hears of the check's verdicts
        return Cost(drawn.hops - 1, drawn.payload)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        """The number before the noise."""
        return [data.n]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        [word] = words
        count = word - (1 << 64) if word >> 63 else word
        largest = self.noise.largest
        if not -largest <= count <= MOST_SAMPLES + largest:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Scalar(str(max(0, count)))

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= MOST_SAMPLES

    def leaks(self, decimals: int) -> str:
        return (
            f"the noisy number of samples, of joined lists that of joined rows, "
            f"{self.privacy(decimals)}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class NoisyJoinedRows(NoisySamples):
    """The same of joined rows, whether there are enough of them for the study or not."""

    listed: ClassVar[bool] = False

    def count(self, data: Binned) -> Shared:
        if data.joined is None:
            raise LocalProtocolError("the number of joined rows was not kept")
        return data.joined

    def cost(self, n: int, decimals: int) -> Cost:
        return self.noise.cost()

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        if data.joined is None:
            raise LocalProtocolError("the number of joined rows was not kept")
        return [data.joined]
