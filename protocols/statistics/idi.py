"""The integrated discrimination improvement of the first model over each of the others.

Pencina et al., Statistics in Medicine 27:157-172 (2008), Eq. 13: with f the first model's scores
and f' another's, as probabilities of the positive class,

    IDI = Σ_(y=1) (f - f')/P - Σ_(y=0) (f - f')/N,

the mean by which the scores of positives rise less that by which the scores of negatives do. Each
owner adds over its own rows (`ppaurora.protocols.pipelines.gains`); nothing is sorted, and any
number of samples holds. Where all scores are 0 or at least 2^-82 it is exact, correctly rounded;
smaller ones move a sum by less than 2^-134 for each owner.

No standard error is released: the square of a sum of doubles does not fit beside its unit in 256
bits, so it would not be exact; and tests of the IDI are known to reject too often where one model
is an extension of the other (Kerr et al., Epidemiology 2014).

Nobody learns anything. Three hops, and five for every two decimals, of which there is one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide, wide_multiply, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.sums import SCALE, joined, joined_cost
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.gains import CLASSES, Gains, ModelGains, PooledGains
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.of_models import OfModels
from ppaurora.protocols.statistics.statistic import NO_CLASS

COLUMNS = ("model", "against", "idi")
WITHIN = PublicRange(tens=1, shift=2)
"""An IDI lies between -2 and 2."""


@dataclass(frozen=True, slots=True)
class Idi(OfModels[ModelGains, PooledGains]):
    """The first model's improvement over each of the others."""

    name: ClassVar[str] = "idi"
    short: ClassVar[str] = "IDI"
    title: ClassVar[str] = (
        "integrated discrimination improvement: by how much the first model's scores exceed "
        "another's, mean over positives less mean over negatives"
    )
    known_as: ClassVar[str] = "PredictABEL reclassification, Hmisc improveProb"
    reference: ClassVar[str] = "Pencina et al., Statistics in Medicine 2008"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[Gains]] = Gains
    undefined: ClassVar[str] = NO_CLASS

    def check_scale(self, scale: Scale) -> None:
        if not scale.probabilities:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which takes scores as probabilities, and the study's range "
                "is not [0, 1]",
                advice="Leave it out, or have all owners give probabilities.",
            )

    def private(self, party: Party, data: ModelGains, decimals: int) -> Shared:
        m = self.k - 1
        sums, counts = side_by_side(
            party,
            [
                lambda own: joined(own, *data.sums),
                lambda own: widen(own, concatenate([data.P, data.N])),
            ],
        )
        P, N = counts[:1], counts[1:]
        # (Σ of positives)·N, (Σ of negatives)·P, P·N
        found = wide_multiply(
            party,
            concatenate_wide([sums, P]),
            concatenate_wide([N.repeat(m), P.repeat(m), N]),
        )
        gain, whole = found[:m] - found[m : 2 * m], found[2 * m :].repeat(m) * SCALE
        return wide_divide(
            party,
            gain + whole * WITHIN.shift,
            whole * 10**WITHIN.tens,
            digits=decimals + WITHIN.tens,
            bound=_largest(data.n),
        )

    def cost(self, n: int, decimals: int) -> Cost:
        m = self.k - 1
        wide = joined_cost(CLASSES * m) | widen.cost().of(CLASSES)
        products = wide_multiply.cost().of(CLASSES * m + 1)
        return wide + products + wide_divide.cost(digits=decimals + WITHIN.tens).of(m)

    def plaintext_words(self, data: PooledGains, decimals: int) -> Sequence[int]:
        if not data.P * data.N:
            return [WITHIN.missing(decimals)] * (self.k - 1)
        return [
            WITHIN.word(up / data.P - down / data.N, decimals)
            for up, down in zip(data.of_positives, data.of_negatives, strict=True)
        ]

    def words(self, decimals: int) -> int:
        return self.k - 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [WITHIN.text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(COLUMNS, undefined=self.undefined)
        if None in cells:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        first, *others = self.models
        rows = ((first, name, cell) for name, cell in zip(others, cells, strict=True))
        return Table(COLUMNS, tuple(rows))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return _largest(n) <= largest_wide_denominator()

    def label_digits(self, decimals: int) -> int:
        return decimals * (self.k - 1)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


def _largest(n: int) -> int:
    """The denominators are at most this."""
    largest: int = max(1, n * n // 4) * SCALE * 10**WITHIN.tens
    return largest
