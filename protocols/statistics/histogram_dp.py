"""The histogram of both classes with differential privacy, and the curves that follow from it.

[Thesis, Theorem 2.4], discrete. Replacing one sample lowers one count by 1 and raises another one
by 1, so two-sided geometric noise of scale 2/ε on every count, each with its own, makes all of them
together ε-private; δ is that of one number (`ppaurora.protocols.release.noise`) for each count.
Rates and the AUROC are computed by the receiver from the noisy counts
(`along`) and cost nothing more.

No merging of parts, which would tell where samples are few. Five hops, and some 14 bits of 186
bytes for each count at ε = 1.

A noisy count may be negative. Rates are cut off at 0 and 1; where the noise leaves no positives
or no negatives in all, what divides by them is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.rounding import half_up, score_text
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.noise import LARGEST_EPSILON, GeometricNoise
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, decimal_text
from ppaurora.protocols.statistics.parameters import number, whole
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, Statistic, Topic
from ppaurora.protocols.statistics.thresholds import MOST_PARTS


@dataclass(frozen=True, slots=True)
class AtCut:
    """The rates at a cut point, and the area under the ROC curve up to there."""

    fpr: Fraction | None
    tpr: Fraction | None
    precision: Fraction | None
    area: Fraction | None


def along(positives: Sequence[int], negatives: Sequence[int]) -> list[AtCut]:
    """At the end of each part, in their order; the last area is the AUROC, ties counted half.

    With p and q in a part and TP before it, the area is Σ q·(2·TP + p) / 2PN: on the average over
    the noise, the numerator is that of the true counts.

    >>> [float(at.area) for at in along([3, 1], [0, 2])]
    [0.0, 0.875]
    """
    P, N = sum(positives), sum(negatives)
    found, TP, FP, won = [], 0, 0, 0
    for p, q in zip(positives, negatives, strict=True):
        won += q * (2 * TP + p)
        TP, FP = TP + p, FP + q
        area = _rate(won, 2 * P * N) if P > 0 and N > 0 else None
        found.append(AtCut(_rate(FP, N), _rate(TP, P), _rate(TP, TP + FP), area))
    return found


def _rate(part: int, whole: int) -> Fraction | None:
    return min(max(Fraction(part, whole), Fraction(0)), Fraction(1)) if whole > 0 else None


CELLS = 2
"""Counts that one replaced sample changes, by 1 each."""
COLUMNS = ("threshold", "positives", "negatives", "fpr", "tpr", "precision", "area")


@dataclass(frozen=True, slots=True)
class NoisyHistogram(Statistic[Binned, PooledBins], EqualParts):
    """A row for each part of the scores, first that which speaks most for the positive class.

    Its threshold is the end of the part at which a score is still called positive.
    """

    topic: ClassVar[Topic] = Topic.NOISE
    name: ClassVar[str] = "histogram_dp"
    title: ClassVar[str] = (
        "counts of both classes in equal parts of the scores with differential privacy, noise of "
        "scale 2/epsilon on each; the ROC curve above each threshold and the area under it up to "
        "there follow from them, the last one is the AUROC"
    )
    known_as: ClassVar[str] = "the geometric mechanism on a histogram"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    undefined: ClassVar[str] = "there are no samples"
    shows_counts: ClassVar[bool] = False
    epsilon: Fraction = number(
        "the privacy loss of all counts together", most=str(LARGEST_EPSILON), least="0.001"
    )
    bins: int = whole("equal parts of the range of the scores", 64, least=2, most=MOST_PARTS)

    @property
    def parts(self) -> int:
        return self.bins

    @property
    def noise(self) -> GeometricNoise:
        """The noise of each count."""
        return GeometricNoise(self.epsilon, CELLS)

    def privacy(self, decimals: int) -> Privacy:
        return Privacy(self.epsilon, 2 * self.bins * self.noise.delta)

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        counts = concatenate(data.between(self.thresholds()))
        noise = self.noise.drawn(party, self.text, 2 * self.bins)
        return counts + noise

    def cost(self, n: int, decimals: int) -> Cost:
        drawn = self.noise.cost(2 * self.bins)
        # the proxies exchange names while the helper hears of the check's verdicts
        return Cost(drawn.hops - 1, drawn.payload)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        """The counts before the noise."""
        positives, negatives = data.between(self.thresholds())
        return [*positives, *negatives]

    def words(self, decimals: int) -> int:
        return 2 * self.bins

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        counts = [word - (1 << 64) if word >> 63 else word for word in words]
        largest = self.noise.largest
        if not all(-largest <= count <= MOST_SAMPLES + largest for count in counts):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )

        def text(rate: Fraction | None) -> str | None:
            return None if rate is None else decimal_text(half_up(rate * 10**decimals), decimals)

        positives, negatives = counts[: self.bins], counts[self.bins :]
        # the score at which a part ends: that of the last one is the end of the range
        low, high = self.study.scale.ends
        inner = self.thresholds()
        ends = [*reversed(inner), low] if self.study.higher else [*inner, high]
        rows = []
        for part, at in enumerate(along(positives, negatives)):
            threshold = score_text(ends[part])
            rates = map(text, (at.fpr, at.tpr, at.precision, at.area))
            rows.append((threshold, str(positives[part]), str(negatives[part]), *rates))
        return Table(COLUMNS, tuple(rows))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= MOST_SAMPLES

    def leaks(self, decimals: int) -> str:
        return (
            f"the noisy counts of both classes in {self.bins} parts of the scores, "
            f"{self.privacy(decimals)}, and nothing else: rates and area follow from these counts"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return ()
