"""The AUROCs of several models on the same samples, each with its confidence interval.

The AUROC of each model's scores with the limits AUROC ± z·SE by DeLong's variance, as `auroc_ci`
has them of one score (`ppaurora.protocols.ranking.area_limits`, which says how exact that is). The
variances are the diagonal of the models' covariance (`ppaurora.protocols.ranking.covariance`).

The words are all AUROCs, all lower limits, and all upper limits. Nobody learns anything. 45 hops
for four decimals, however many models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.ranking.area_limits import PlainLimits
from ppaurora.protocols.ranking.covariance import PooledModels, RankedModels, holds_models
from ppaurora.protocols.ranking.delong import Placed
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind, ratio_text
from ppaurora.protocols.statistics.of_models import FEW_MODELS, OfRankings
from ppaurora.protocols.statistics.parameters import number

COLUMNS = ("model", "auroc", "lower", "upper")


@dataclass(frozen=True, slots=True)
class AurocModels(OfRankings):
    """Each model's AUROC, lower and upper limit."""

    name: ClassVar[str] = "auroc_models"
    short: ClassVar[str] = "AUROC of each model"
    title: ClassVar[str] = (
        "AUROC of each model on the same samples, with its confidence interval by DeLong's method"
    )
    known_as: ClassVar[str] = 'pROC ci.auc(method = "delong") of each model'
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)

    @property
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of an AUROC."""
        return PlainLimits((1 - self.level) / 2)

    def private(self, party: Party, data: RankedModels, decimals: int) -> Shared:
        return self.limits.released(party, data.covariance.each, data.n, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return self.limits.released_cost(n, decimals, self.k)

    def plaintext_words(self, data: PooledModels, decimals: int) -> Sequence[int]:
        if not data.enough:
            return [undefined(decimals)] * self.words(decimals)
        matrix = data.matrix()
        each = [
            (area, *self.limits.beside(Placed(area, matrix[place][place])))
            for place, area in enumerate(data.areas())
        ]
        return [half_up(value * 10**decimals) for kind in zip(*each, strict=True) for value in kind]

    def words(self, decimals: int) -> int:
        return 3 * self.k

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        cells = [ratio_text(self.text, word, decimals) for word in words]
        if all(cell is None for cell in cells):
            return Table(COLUMNS, undefined=self.undefined)
        if None in cells:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        rows = ((name, *cells[place :: self.k]) for place, name in enumerate(self.models))
        return Table(COLUMNS, tuple(rows))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return holds_models(n) and self.limits.fits(n, decimals)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, which with the number of samples tell the smaller class count "
            f"roughly, and whether the metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # an AUROC has few values for many labels, but those of several rankings are equations; the
        # limits of each tell one number more, DeLong's error
        areas = self.k if self.k > FEW_MODELS else 0
        return (areas + self.k) * decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with the number of samples the intervals tell the smaller class count "
            "to a few percent",
        )
