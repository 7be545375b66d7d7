"""The comparison of two classifiers by the bootstrap of their two-way partial areas.

[tpAUC, Eq. 33-36, erratum 1]: with ΔtpAUC the two-way partial area of the first scores less that of
the second ones (Eq. 33) and ΔtpAUC_i the same of the i-th of B bootstrap samples,

    v²_boot = (1/B)·Σ_i (ΔtpAUC_i - (1/B)·Σ_r ΔtpAUC_r)²                              (Eq. 35)
            = [B·Σ ΔtpAUC_i² - (Σ ΔtpAUC_i)²] / B²

    ΔtpAUC ± Z_(1-α/2)·sqrt(v²_boot), cut off at -1 and 1,        z = ΔtpAUC / sqrt(v²_boot).

Eq. 34 prints v²_boot / (n_x + n_y) under the root: v²_boot is the variance of ΔtpAUC itself, and an
interval divided by n once more covers the truth about one time in eight.

Every owner draws the bootstrap samples of its own rows, with both scores
(`ppaurora.protocols.pipelines.counted_pairs`), and the servers add up the counts. Where scores have
few decimals each is counted by itself, and else in equal parts of their range: the areas are then
those of scores that were binned so. All 2·(B + 1) areas are found by one program
(`ppaurora.protocols.statistics.tpauc`), a row for each, to e decimals, eight or nine more than are
released, and stay shared.

How sure that is: from there on z is correctly rounded. The difference can be wrong, by one unit of
its last decimal, only if the exact one lies within 10^-e of a rounding boundary, a limit only if it
does within (3 + Z)/2·10^-e of the one that these areas give. It is undefined where a class is
missing in any bootstrap sample.

Nobody learns anything. 136 hops for four decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_root_denominator,
    largest_wide_denominator,
    multiply,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_multiply,
    wide_products,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.limits import cut_limits, cut_limits_cost
from ppaurora.protocols.grid.cuts import AtCutPoints, Cuts, Cutting
from ppaurora.protocols.grid.resampling import OWNER, STRATA, Resampled, Resampling
from ppaurora.protocols.pipelines.counted_pairs import SCORES, CountedPair, CountedPairs, PooledPair
from ppaurora.protocols.ranking.area_limits import BASE, PlainLimits, places
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.rows import summed
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.values import NO_SAMPLES, Interval, Released, ValueKind
from ppaurora.protocols.statistics.bootstrap import check_ends, grid_of, parts_of_scores
from ppaurora.protocols.statistics.parameters import choice, number, whole
from ppaurora.protocols.statistics.signed_difference import (
    Z_DIGITS,
    error_digits,
    of_words,
    signed_z,
    signed_z_cost,
    undefined_words,
    words_of,
)
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, NO_CLASS, Statistic, Topic
from ppaurora.protocols.statistics.thresholds import MOST_PARTS
from ppaurora.protocols.statistics.tpauc import TwoWayPartialAreaOfCells

WITHOUT_WIDTH = (
    "the bootstrap's variance is 0, as where both scores rank all samples alike, and z says "
    "nothing then"
)


@dataclass(frozen=True, slots=True)
class TwoWayDifference(Statistic[CountedPair, PooledPair], Cutting, Resampled):
    """ΔtpAUC, its limits and z."""

    name: ClassVar[str] = "tpauc_difference"
    short: ClassVar[str] = "Difference of two-way partial AUROCs"
    reference: ClassVar[str] = "Chaibub Neto et al., BMC Medical Informatics 2024"
    title: ClassVar[str] = (
        "difference of two two-way partial areas on the same samples, the first scores' less the "
        "second ones', with its confidence interval and z by the bootstrap"
    )
    known_as: ClassVar[str] = "R tpAUC, its comparison of two classifiers by bootstrap"
    pipeline: ClassVar[type[CountedPairs]] = CountedPairs
    undefined: ClassVar[str] = f"{NO_CLASS}, in the lists or in a replicate"
    shows_counts: ClassVar[bool] = False
    topic: ClassVar[Topic] = Topic.COMPARISON
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    min_tpr: Fraction = number("the least true positive rate", closed=False)
    max_fpr: Fraction = number("the largest false positive rate", closed=False)
    level: Fraction = number("the confidence level of the two-sided interval", "0.95", closed=False)
    replicates: int = whole("of the whole data", 200, least=20, most=1000)
    strata: str = choice(
        "what an owner's draw keeps: how many samples it has, or of each class; or neither",
        OWNER,
        STRATA,
    )
    bins: int = whole(
        "equal parts of the range of the scores, where these have more values",
        128,
        least=2,
        most=MOST_PARTS,
    )

    @property
    def program(self) -> TwoWayPartialAreaOfCells:
        """The program of one area."""
        return TwoWayPartialAreaOfCells(self.min_tpr, self.max_fpr)

    @property
    def limits(self) -> PlainLimits:
        return PlainLimits((1 - self.level) / 2)

    def thresholds(self) -> Sequence[Fraction]:
        return parts_of_scores(self.study, self.bins)

    def in_study(self, study: AtCutPoints) -> Self:
        check_ends(self.text, study)
        return replace(self, study=study)

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.replicates, tuple(sorted(self.thresholds())), self.strata)

    # -- the number ----------------------------------------------------------------------------

    def private(self, party: Party, data: CountedPair, decimals: int) -> Shared:
        areas, defined = self._areas(party, data, decimals)
        B, rows = self.replicates, self.replicates + 1
        # ΔtpAUC of the lists, and of each replicate
        Δ = areas[:rows] - areas[rows:]
        sums = concatenate_wide([Δ, Δ[1:].sum()])
        squares = wide_multiply(party, sums, sums)
        gain, of_sum = squares[:1], squares[rows:]
        spread = squares[1:rows].sum() * B - of_sum
        u, E = widen(party, defined), BASE ** places(decimals)
        kept = wide_products(
            party, [Δ[:1], gain * B**2, spread, u], [(place, 3) for place in range(3)]
        )
        interval, z = side_by_side(
            party,
            [
                lambda own: self._interval(own, kept[0], kept[2], u, decimals),
                lambda own: signed_z(
                    own, kept[1], kept[2] * 100**2, kept[0], u - 1, self._z_bound(E)
                ),
            ],
        )
        return concatenate([interval, z])

    def _areas(self, party: Party, data: CountedPair, decimals: int) -> tuple[WideShared, Shared]:
        """The areas of the first and of the second scores times E, and whether all exist."""
        rows, program = SCORES * (self.replicates + 1), self.program
        (p1, n1), (p2, n2) = data.classes(self.resampling)
        positives, negatives = concatenate([p1, p2]), concatenate([n1, n2])
        PN = multiply(party, summed(positives, rows), summed(negatives, rows))
        n, grid = self.resampling.most_in_all(data.n), grid_of(self)
        counts = Binned(positives, negatives, n, PN, grid, Cuts(), positives[:0], {}, rows=rows)
        digits = 2 * places(decimals)

        def ratios(own: Party) -> WideShared:
            ratio = program.wide_ratio(own, counts, decimals)
            return wide_divide_to_wide(own, ratio.N, ratio.D, digits=digits, bound=ratio.bound)

        # both scores have the same classes
        missing = is_zero(party, PN[: rows // SCORES]).sum()
        return ratios(party), is_zero(party, missing)

    def _interval(
        self, party: Party, Δ: WideShared, spread: WideShared, u: WideShared, decimals: int
    ) -> Shared:
        """1 + Δ and 1 plus its limits; all are 0 where u is."""
        digits, B = places(decimals), self.replicates
        E, z = BASE**digits, self.limits.z(2 * digits)
        error = wide_root_to_wide(
            party,
            spread,
            u * (B * E) ** 2,
            digits=digits,
            base=BASE,
            bound=(B * E) ** 2,
        )
        value = Δ + u * E
        limits, whole = cut_limits(
            party,
            value * E,
            error * z,
            u - 1,
            most=2 * E**2,
            nothing=(0, undefined(digits, BASE) * z),
        )
        # (1 + x)/2 over 5, to one more digit than x is released with
        N, D = concatenate_wide([value, limits]), concatenate_wide([u * (2 * E), whole]) * 5
        return wide_divide(party, N, D, digits=decimals + 1, bound=10 * E**2)

    def _z_bound(self, E: int) -> int:
        """B²·Δ² and 100²·[B·Σ Δ² - (Σ Δ)²], both times E², are at most this."""
        return (100 * self.replicates * E) ** 2

    def cost(self, n: int, decimals: int) -> Cost:
        rows, digits = self.replicates + 1, places(decimals)
        E, both = BASE**digits, SCORES * rows
        division = wide_divide_to_wide.cost(digits=2 * digits).of(both)
        ratios = self.program.wide_ratio_cost(n, decimals, rows=both) + division
        found = is_zero.cost().of(rows) + is_zero.cost().of(1)
        areas = multiply.cost().of(both) + found + ratios
        sums = wide_multiply.cost().of(rows + 1) + widen.cost().of(1)
        kept = wide_products.cost(factors=4, pairs=3).of(1)
        root = wide_root_to_wide.cost(
            digits=digits, base=BASE, bound=(self.replicates * E) ** 2
        ).of(1)
        rounding = wide_divide.cost(digits=decimals + 1, bound=10 * E**2).of(3)
        interval = root + cut_limits_cost() + rounding
        return areas + sums + kept + (interval | signed_z_cost(self._z_bound(E)))

    def plaintext_words(self, data: PooledPair, decimals: int) -> Sequence[int]:
        E, grid, differences = BASE ** places(decimals), grid_of(self), []
        for row in data.words[self.resampling]:
            found = [
                self.program.scaled(
                    PooledBins(tuple(p.tolist()), tuple(q.tolist()), grid, Cuts(), frozenset()), E
                )
                for p, q in row
            ]
            if found[0] is None or found[1] is None:
                return undefined_words(decimals)
            differences.append(Fraction(found[0] - found[1], E))
        value, *drawn = differences
        mean = sum(drawn, Fraction(0)) / len(drawn)
        variance = sum(((one - mean) ** 2 for one in drawn), Fraction(0)) / len(drawn)
        return words_of(value, variance, self.limits, decimals)

    def words(self, decimals: int) -> int:
        return len(undefined_words(decimals))

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        return of_words(self.text, words, decimals, self.undefined, WITHOUT_WIDTH)

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)

    # -- what is known beforehand --------------------------------------------------------------

    def fits(self, n: int, decimals: int) -> bool:
        most, digits = self.resampling.most_in_all(n), places(decimals)
        E = BASE**digits
        rooted = (self.replicates * E) ** 2 <= largest_root_denominator(digits, BASE)
        compared = self._z_bound(E) <= largest_root_denominator(Z_DIGITS)
        rounded = largest_wide_denominator() >= 10 * E**2
        held = most <= MOST_SAMPLES and self.program.fits(most, decimals)
        return n == 0 or (held and rooted and compared and rounded)

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals of the difference and its limits, and z, which tell how far the "
            "differences of the replicates that the owners drew are apart, and whether the metric "
            f"is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # the area itself is a reading
        return error_digits(decimals)

    def readings(self) -> frozenset[str]:
        return frozenset({self.text})

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
