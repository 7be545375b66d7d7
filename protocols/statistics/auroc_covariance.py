"""The AUROCs of several models on the same samples with their covariance matrix.

DeLong's S = S10/P + S01/N (`ppaurora.protocols.ranking.covariance`), for whoever goes on to compute
with it: other contrasts, a network meta-analysis, a test of some of the models. An entry of S is
between -1/2 and 1/2, mostly of the size of 1/n, so that eight decimals more are released than of
other numbers; the AUROCs have as many. All are correctly rounded.

One row for each model: its AUROC, and its covariance with every model, its variance among them.
The words are all AUROCs, then the matrix on its diagonal and above, row by row.

Nobody learns anything. 35 hops for four decimals, 65 of 16 models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.ranking.area_limits import GUARD_DIGITS
from ppaurora.protocols.ranking.covariance import (
    Covariance,
    PooledModels,
    RankedModels,
    entries_of,
    holds_models,
)
from ppaurora.protocols.ranking.delong import (
    largest_area_denominator,
    largest_variance_denominator,
)
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.of_models import OfRankings

WITHIN = PublicRange(1, 1)
"""An AUROC or a covariance, in one digit more than it is released with."""
MOST_DECIMALS = 9
"""With the further decimals the numbers just fit into words."""


def held(decimals: int) -> int:
    """The decimals to which AUROCs and covariances are released."""
    return decimals + GUARD_DIGITS


@dataclass(frozen=True, slots=True)
class AurocCovariance(OfRankings):
    """Each model's AUROC, and the covariances of all."""

    name: ClassVar[str] = "auroc_covariance"
    short: ClassVar[str] = "Covariance of the AUROCs"
    title: ClassVar[str] = (
        "AUROCs of several models on the same samples and their covariance matrix by DeLong's "
        "method, to eight further decimals"
    )
    known_as: ClassVar[str] = "pROC cov, var"
    kind: ClassVar[ValueKind] = ValueKind.TABLE

    def private(self, party: Party, data: RankedModels, decimals: int) -> Shared:
        return released_matrix(party, data.covariance, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        return released_matrix_cost(n, self.k, decimals)

    def plaintext_words(self, data: PooledModels, decimals: int) -> Sequence[int]:
        return plain_matrix(data, self.k, decimals)

    def words(self, decimals: int) -> int:
        return matrix_words(self.k)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        found = read_matrix(self.text, words, self.k, decimals)
        columns = ("model", "auroc", *self.models)
        if found is None:
            return Table(columns, undefined=self.undefined)
        areas, matrix = found
        rows = (
            (name, area, *row) for name, area, row in zip(self.models, areas, matrix, strict=True)
        )
        return Table(columns, tuple(rows))

    def value_without_samples(self) -> Released:
        return Table(("model", "auroc", *self.models), undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return matrix_fits(n, decimals)

    def leaks(self, decimals: int) -> str:
        return matrix_leaks(self.k, decimals, self.undefined)

    def decimals_held(self, decimals: int) -> int:
        return held(decimals)

    def label_digits(self, decimals: int) -> int:
        return matrix_words(self.k) * held(decimals)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return matrix_warnings(self.text, sizes)


def released_matrix(party: Party, found: Covariance, decimals: int) -> Shared:
    """The words of all AUROCs and of the matrix."""
    k, m = found.models, len(found.c)
    N = concatenate_wide([found.UQ, found.c])
    D = concatenate_wide([(found.PNQ * 2).repeat(k), (found.square_q * 4).repeat(m)])
    digits = held(decimals) + WITHIN.tens
    bound = _largest(found.n)
    # (x + 1)/10
    return wide_divide(party, N + D, D * 10**WITHIN.tens, digits=digits, bound=bound)


def released_matrix_cost(n: int, models: int, decimals: int) -> Cost:
    """The cost of `released_matrix`."""
    digits = held(decimals) + WITHIN.tens
    return wide_divide.cost(digits=digits, bound=_largest(n)).of(matrix_words(models))


def _largest(n: int) -> int:
    tens: int = 10**WITHIN.tens
    return tens * max(largest_area_denominator(n), largest_variance_denominator(n))


def matrix_words(models: int) -> int:
    """The number of words of `released_matrix`."""
    return models + len(entries_of(models))


def matrix_fits(n: int, decimals: int) -> bool:
    """True if AUROCs and covariances of n samples can be released."""
    small = n == 0 or decimals <= MOST_DECIMALS
    return small and holds_models(n) and _largest(n) <= largest_wide_denominator()


def plain_matrix(data: PooledModels, models: int, decimals: int) -> list[int]:
    """The words of `released_matrix` from the pooled data."""
    if not data.enough:
        return [WITHIN.missing(held(decimals))] * matrix_words(models)
    matrix = data.matrix()
    numbers = [*data.areas(), *(matrix[r][s] for r, s in entries_of(models))]
    return [WITHIN.word(number, held(decimals)) for number in numbers]


def read_matrix(
    name: str, words: Sequence[int], models: int, decimals: int
) -> tuple[list[str], list[list[str]]] | None:
    """The texts of all AUROCs and of the whole matrix, None where they are undefined."""
    texts = [WITHIN.text(name, word, held(decimals)) for word in words]
    if all(text is None for text in texts):
        return None
    there = [text for text in texts if text is not None]
    if len(there) < len(texts):
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    entries = dict(zip(entries_of(models), there[models:], strict=True))
    every = range(models)
    return there[:models], [[entries[min(r, s), max(r, s)] for s in every] for r in every]


def exact_matrix(
    found: tuple[list[str], list[list[str]]],
) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The numbers of `read_matrix` as fractions."""
    areas, matrix = found
    return [*map(Fraction, areas)], [[*map(Fraction, row)] for row in matrix]


def matrix_leaks(models: int, decimals: int, undefined: str) -> str:
    """The facts that AUROCs and covariances tell, for the ledger."""
    return (
        f"the AUROCs of all {models} models and their covariances, each to {held(decimals)} "
        "decimals, which with the number of samples tell both class counts closely, if not "
        f"exactly; and whether they are undefined: {undefined}"
    )


def matrix_warnings(name: str, sizes: Sequence[int]) -> tuple[str, ...]:
    """The warning that a result with AUROCs and covariances carries."""
    if sum(sizes) < 2:
        return ()
    return (
        f"{name}: AUROCs and covariances to so many decimals tell both class counts closely, if "
        "not exactly",
    )
