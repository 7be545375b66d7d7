"""The test that the AUROCs of several models on the same samples are equal: chi-square and p.

DeLong, DeLong and Clarke-Pearson (1988), Eq. 5: with the differences L·θ of all models to the first
one and the covariance S (`ppaurora.protocols.ranking.covariance`),

    χ² = (L·θ)ᵀ·(L·S·Lᵀ)⁻¹·(L·θ),    with k - 1 degrees of freedom.

In whole numbers, with d_r = U_r - U_1, the matrix s of the c of these differences, and
Q = (P - 1)·(N - 1), all scales cancel: χ² = Q·dᵀ·s⁻¹·d. As the determinant of s + Q·d·dᵀ is
det s·(1 + Q·dᵀ·s⁻¹·d), it is a single ratio of two determinants,

    χ² = (det(s + Q·d·dᵀ) - det s) / det s.

**by=servers**, for up to four models: both determinants are computed in 256 bits, exactly, and the
ratio is rounded to three decimals, half up; from 9999.9995 on it is released as "at least 10000".
It is undefined if and only if det s is 0. Nothing but this number is released, and it is always
right: θ and S beside it would tell k + k·(k + 1)/2 numbers, from which a chi-square can only be
found within bounds. A determinant of four models is at most n^15/64, which ends the number of
samples (docs/STATISTICS.md).

**by=receiver**, for any number of models: AUROCs and covariances are released, as by
`auroc_covariance`, and the receiver computes the chi-square from them, with as many of three
decimals as are certain whatever the rounding was (`ppaurora.protocols.release.chi_square`).

Nobody else learns anything. 28 hops for four models, 35 to four decimals by the receiver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_multiply,
    wide_negative_times,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.mpc.wide_words import WIDE_BITS
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.ranking.covariance import (
    Covariance,
    PooledModels,
    RankedModels,
    entries_of,
    holds_models,
)
from ppaurora.protocols.ranking.delong import FEW
from ppaurora.protocols.release.chi_square import (
    DECIMALS,
    LARGEST,
    TENS,
    bounded_chi_square,
    chi_square,
    chi_square_p,
    chi_square_text,
)
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.auroc_covariance import (
    exact_matrix,
    held,
    matrix_fits,
    matrix_leaks,
    matrix_warnings,
    matrix_words,
    plain_matrix,
    read_matrix,
    released_matrix,
    released_matrix_cost,
)
from ppaurora.protocols.statistics.of_models import OfRankings
from ppaurora.protocols.statistics.parameters import choice

SERVERS, RECEIVER = "servers", "receiver"
MOST_OF_SERVERS = 4
COLUMNS = ("chi_square", "df", "p")
DIGITS = TENS + DECIMALS
CAP: int = 10**TENS

Square = list[list[WideShared]]
"""A matrix; each entry is a vector, of which every element belongs to a matrix of its own."""


@dataclass(frozen=True, slots=True)
class AurocEqual(OfRankings):
    """The chi-square that all AUROCs are equal, with its degrees of freedom and p."""

    name: ClassVar[str] = "auroc_equal"
    short: ClassVar[str] = "All AUROCs equal"
    title: ClassVar[str] = (
        "test that the AUROCs of all models on the same samples are equal: chi-square and p, by "
        "DeLong's covariance"
    )
    known_as: ClassVar[str] = "SAS PROC LOGISTIC ROCCONTRAST, Stata roccomp"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    undefined: ClassVar[str] = (
        f"{FEW}, some models differ by a constant from what others say together, or by=receiver "
        "and the released decimals do not tell"
    )
    by: str = choice(
        "servers, for up to four models, or the receiver, from the AUROCs and covariances, which "
        "are released then",
        SERVERS,
        (SERVERS, RECEIVER),
    )

    def in_study(self, models: Sequence[str]) -> Self:
        if self.by == SERVERS and len(models) > MOST_OF_SERVERS:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which the servers compute for up to {MOST_OF_SERVERS} "
                f"models, and the study has {len(models)}",
                advice=f"Ask for auroc_equal:by={RECEIVER}, which releases all AUROCs and their "
                "covariances.",
            )
        return OfRankings.in_study(self, models)

    @property
    def _by_receiver(self) -> bool:
        return self.by == RECEIVER

    def private(self, party: Party, data: RankedModels, decimals: int) -> Shared:
        if self._by_receiver:
            return released_matrix(party, data.covariance, decimals)
        N, D = _determinants(party, data.covariance)
        # min(N, 10^4·D), which is 0 where D is
        beyond = N - D * CAP
        _, least = wide_negative_times(party, beyond, beyond)
        bound = _largest_divided(data.n, self.k)
        return wide_divide(party, D * CAP + least, D * CAP, digits=DIGITS, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        if self._by_receiver:
            return released_matrix_cost(n, self.k, decimals)
        bound = _largest_divided(n, self.k)
        rounded = wide_divide.cost(digits=DIGITS, bound=bound).of(1)
        return _determinants_cost(self.k) + wide_negative_times.cost().of(1) + rounded

    def plaintext_words(self, data: PooledModels, decimals: int) -> Sequence[int]:
        if self._by_receiver:
            return plain_matrix(data, self.k, decimals)
        found = chi_square(data.areas(), data.matrix()) if data.enough else None
        if found is None:
            return [undefined(DIGITS)]
        return [min(LARGEST, half_up(found * 10**DECIMALS))]

    def words(self, decimals: int) -> int:
        return matrix_words(self.k) if self._by_receiver else 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        text = self._by_hand(words, decimals) if self._by_receiver else self._released(words)
        if text is None:
            return Table(COLUMNS, undefined=self.undefined)
        df = self.k - 1
        return Table(COLUMNS, ((text, str(df), chi_square_p(text, df)),))

    def _released(self, words: Sequence[int]) -> str | None:
        [word] = words
        if word == undefined(DIGITS):
            return None
        if not 0 <= word <= LARGEST:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return chi_square_text(word)

    def _by_hand(self, words: Sequence[int], decimals: int) -> str | None:
        found = read_matrix(self.text, words, self.k, decimals)
        if found is None:
            return None
        bounded = bounded_chi_square(*exact_matrix(found), Fraction(1, 10 ** held(decimals)))
        return bounded.text() if bounded else None

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        if self._by_receiver:
            return matrix_fits(n, decimals)
        held_by_words = _largest_numerator(n, self.k) < 1 << WIDE_BITS - 2
        divided = _largest_divided(n, self.k) <= largest_wide_denominator()
        return holds_models(n) and held_by_words and divided

    def leaks(self, decimals: int) -> str:
        if self._by_receiver:
            return matrix_leaks(self.k, decimals, self.undefined)
        return (
            f"the chi-square to {DECIMALS} decimals, which discloses little beside the AUROCs, and "
            f"whether it is undefined: {self.undefined}"
        )

    def decimals_held(self, decimals: int) -> int:
        return held(decimals) if self._by_receiver else decimals

    def label_digits(self, decimals: int) -> int:
        return matrix_words(self.k) * held(decimals) if self._by_receiver else DIGITS

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if self._by_receiver:
            return matrix_warnings(self.text, sizes)
        return super(AurocEqual, self).warnings(sizes, decimals)


def _determinants(party: Party, found: Covariance) -> tuple[WideShared, WideShared]:
    """det(s + Q·d·dᵀ) - det s, and det s."""
    m = found.models - 1
    gains, expanded = (numbers[1:] - numbers[:1].repeat(m) for numbers in (found.U, found.UQ))
    pairs = entries_of(m)
    rows, columns = (np.array(side) for side in zip(*pairs, strict=True))
    # Q·d_r·d_s
    added = wide_multiply(party, expanded[rows], gains[columns])
    others = [(r + 1, s + 1) for r, s in pairs]
    spread = (
        found.entries(others)
        - found.entries([(0, r) for r, _ in others])
        - found.entries([(0, s) for _, s in others])
        + found.entries([(0, 0)] * len(others))
    )
    # both matrices, entry by entry
    entries = [
        concatenate_wide([spread[at : at + 1], (spread + added)[at : at + 1]])
        for at in range(len(pairs))
    ]
    place = {pair: at for at, pair in enumerate(pairs)}
    square = [[entries[place[min(r, s), max(r, s)]] for s in range(m)] for r in range(m)]
    both = _determinant(party, square)
    return both[1:] - both[:1], both[:1]


def _determinant(party: Party, a: Square) -> WideShared:
    """The determinant of up to three rows, modulo 2^256: a hop for every row but the first."""
    if len(a) == 1:
        return a[0][0]
    if len(a) == 2:
        straight, across = _products(party, [(a[0][0], a[1][1]), (a[0][1], a[1][0])])
        return straight - across
    each = [
        ((1, 1), (2, 2)),
        ((1, 2), (2, 1)),
        ((1, 2), (2, 0)),
        ((1, 0), (2, 2)),
        ((1, 0), (2, 1)),
        ((1, 1), (2, 0)),
    ]
    found = _products(party, [(a[r][s], a[t][u]) for (r, s), (t, u) in each])
    minors = [found[at] - found[at + 1] for at in range(0, len(each), 2)]
    terms = _products(party, [*zip(a[0], minors, strict=True)])
    return terms[0] + terms[1] + terms[2]


def _products(party: Party, pairs: Sequence[tuple[WideShared, WideShared]]) -> list[WideShared]:
    """The product of each pair of vectors of one length. One hop."""
    n = len(pairs[0][0])
    first, second = (concatenate_wide(side) for side in zip(*pairs, strict=True))
    found = wide_multiply(party, first, second)
    return [found[n * at : n * (at + 1)] for at in range(len(pairs))]


def _determinants_cost(models: int) -> Cost:
    m = models - 1
    found = wide_multiply.cost().of(len(entries_of(m)))
    for products in {1: (), 2: (2,), 3: (6, 3)}[m]:
        found = found + wide_multiply.cost().of(2 * products)
    return found


def _largest_determinant(n: int, models: int) -> int:
    """det s is at most the product of its diagonal.

    A difference of placements over 2·N lies between -1 and 1, so that an entry of the diagonal is
    at most 4·(P·N)²·Q·(1/(P - 1) + 1/(N - 1)) = 4·(P·N)²·(n - 2) <= n^5/4.
    """
    largest: int = max(1, n**5 // 4) ** (models - 1)
    return largest


def _largest_numerator(n: int, models: int) -> int:
    """Q·dᵀ·adj(s)·d is at most this.

    |d|² is at most m·(2·P·N)² <= m·n^4/4, Q <= n²/4, and the eigenvalues of the adjugate are the
    products of m - 1 of those of s, of which the sum is at most m·n^5/4.
    """
    m = models - 1
    entry = max(1, n**5 // 4)
    eigenvalues = Fraction(m * entry, max(1, m - 1)) ** (m - 1)
    return int(m * n**6 * eigenvalues / 16) + 1


def _largest_divided(n: int, models: int) -> int:
    return CAP * _largest_determinant(n, models)
