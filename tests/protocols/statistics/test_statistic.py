"""The contract carries more than ratios of the sorted list: three sketches.

DeLong's variance asks for another column of the scan, a paired difference has two sorts and a
signed value, and a histogram has uploads of another size and no sort at all.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import (
    divide,
    inner_product,
    is_negative,
    multiply,
    products,
    square,
    sums_of_products,
    undefined,
)
from ppaurora.mpc.shares import concatenate, share
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.lists.verdicts import Findings
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pipeline import PhaseEstimate, Pipeline
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.ranking.ranked import Pooled, Ranked, after_nothing
from ppaurora.protocols.release.values import Interval, Scalar, ValueKind, decimal_text
from ppaurora.protocols.statistics import registry
from ppaurora.protocols.statistics.auroc import Auroc
from ppaurora.protocols.statistics.estimates import OneRatio
from ppaurora.protocols.statistics.statistic import NO_CLASS, Statistic

MOST = 24
"""Samples for which the sketches' products stay below 2^63."""


@dataclass(frozen=True, slots=True)
class DelongVariance(OneRatio[Ranked, Pooled]):
    """DeLong's variance of the AUROC, of few samples."""

    name: ClassVar[str] = "delong_variance"
    title: ClassVar[str] = "DeLong's variance"
    known_as: ClassVar[str] = "pROC var"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[frozenset[str]] = frozenset({Input.GROUPS, Input.POSITIONS})
    undefined: ClassVar[str] = "a class has fewer than two samples"

    def ratio(self, party, data):
        labels, groups, n = data.labels, data.groups, data.n
        T, F = groups.U, groups.J - groups.U
        T0, F0 = after_nothing(T), after_nothing(F)
        # a - N = N - F1 - F0 of positives, b - P = T1 + T0 - P of negatives
        a = labels.N.repeat(n) - F - F0
        b = T + T0 - labels.P.repeat(n)
        gp, gq = T - T0, F - F0
        a2, b2 = products(party, [a, b], [(0, 0), (1, 1)])
        A2, B2, W = sums_of_products(party, [gp, gq, a2, b2, b], [(0, 2), (1, 3), (1, 4)])
        P, N = labels.P, labels.N
        PA, NB, W2, Q, PN2 = products(
            party,
            [P, N, A2, B2, W, P - 1, N - 1, groups.PN],
            [(0, 2), (1, 3), (4, 4), (5, 6), (7, 7)],
        )
        first, second, D = products(
            party, [N - 1, P - 1, PA - W2, NB - W2, Q, PN2], [(0, 2), (1, 3), (4, 5)]
        )
        return Ratio(first + second, D * 4, self.bound(n))

    def bound(self, n):
        return 1 << 58

    def ratio_cost(self, n):
        return Cost()

    def scaled(self, data, one):
        P, N = data.P, data.N
        if P < 2 or N < 2:
            return None
        positives = [
            (N - i + s, (j - i) - (t - s)) for s, t, i, j in data.steps for _ in range(t - s)
        ]
        a = [2 * (above - tied) + tied for above, tied in positives]
        b = [s + t for s, t, i, j in data.steps for _ in range((j - i) - (t - s))]
        W = sum(b) - P * N
        A2, B2 = sum((x - N) ** 2 for x in a), sum((x - P) ** 2 for x in b)
        top = (N - 1) * (P * A2 - W * W) + (P - 1) * (N * B2 - W * W)
        return half_up(Fraction(one * top, 4 * P * P * N * N * (P - 1) * (N - 1)))

    def fits(self, n, decimals):
        return n <= MOST


@dataclass(frozen=True, slots=True)
class TwoLists(Pipeline[tuple[Ranked, Ranked], tuple[Pooled, Pooled]]):
    """Two scores of the same samples: an upload is two sorted lists, one behind the other."""

    name: ClassVar[str] = "two lists"
    inputs: ClassVar[frozenset[str]] = frozenset(Input)
    each: SortedList

    @classmethod
    def of(cls, choices):
        return cls(SortedList.of(choices))

    @property
    def sound(self):
        return "sorted"

    def upload(self, keys):
        raise NotImplementedError

    def positives(self, party, uploads, sizes):
        raise NotImplementedError

    def positives_cost(self, sizes):
        raise NotImplementedError

    def check_cost(self, sizes):
        return Cost()

    def form(self, samples):
        return UploadForm.of_words(2 * samples)

    def places(self, samples):
        return samples

    @staticmethod
    def halves(uploads):
        return [
            [one[slice(k * len(one) // 2, (k + 1) * len(one) // 2)] for one in uploads]
            for k in (0, 1)
        ]

    def check(self, party, uploads, sizes):
        first, second = (self.each.check(party, half, sizes) for half in self.halves(uploads))
        return Findings(first.sound, first.faults + second.faults)

    def prepare(self, party, uploads, sizes, inputs):
        first, second = side_by_side(
            party,
            [
                lambda own, half=half: self.each.prepare(own, half, sizes, inputs)
                for half in self.halves(uploads)
            ],
        )
        return first, second

    def plaintext(self, uploads):
        first, second = (self.each.plaintext(half) for half in self.halves(uploads))
        return first, second

    def preparing(self, sizes, inputs):
        return tuple(
            PhaseEstimate(one.phase, one.spent | one.spent)
            for one in self.each.phase_estimates(sizes, inputs)
        )

    def proxies_learn(self):
        return ()

    def helper_learns(self, samples, inputs):
        return ()


@dataclass(frozen=True, slots=True)
class Difference(Statistic[tuple[Ranked, Ranked], tuple[Pooled, Pooled]]):
    """The difference of two AUROCs between the two themselves: signed, and three words."""

    name: ClassVar[str] = "difference"
    title: ClassVar[str] = "difference of two AUROCs"
    known_as: ClassVar[str] = "pROC roc.test"
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    pipeline: ClassVar[type[TwoLists]] = TwoLists
    inputs: ClassVar[frozenset[str]] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = NO_CLASS

    def private(self, party, data, decimals):
        first, second = (Auroc().ratio(party, one) for one in data)
        # (N1 - N2 + D) / 2D lies between 0 and 1, whatever the sign
        moved = first.N - second.N + first.D
        N = concatenate([moved, first.N * 2, second.N * 2])
        D = concatenate([first.D * 2] * 3)
        return divide(party, N, D, digits=decimals, bound=2 * first.bound)

    def plaintext_words(self, data, decimals):
        one = 10**decimals
        a, b = (Auroc().scaled(half, 10**18) for half in data)
        if a is None or b is None:
            return [undefined(decimals)] * 3
        U, V = (sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in half.steps) for half in data)
        D = 2 * data[0].P * data[0].N
        return [half_up(Fraction(one * x, 2 * D)) for x in (U - V + D, 2 * U, 2 * V)]

    def words(self, decimals):
        return 3

    def decode(self, words, decimals):
        if words[0] == undefined(decimals):
            return Interval(undefined=self.undefined)
        difference = 2 * words[0] - 10**decimals
        sign = "-" if difference < 0 else ""
        texts = [sign + decimal_text(abs(difference), decimals)]
        return Interval(*texts, *(decimal_text(word, decimals) for word in words[1:]))

    def value_without_samples(self):
        return Interval(undefined="there are no samples")

    def fits(self, n, decimals):
        return n <= 1 << 20

    def cost(self, n, decimals):
        return Cost()


BINS = 8


@dataclass(frozen=True, slots=True)
class Histograms(Pipeline[tuple, tuple]):
    """Counts of both classes in bins: an upload's size does not depend on the samples."""

    name: ClassVar[str] = "histograms"
    inputs: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def of(cls, choices):
        return cls()

    @property
    def sound(self):
        return "made of counts"

    def upload(self, keys):
        raise NotImplementedError

    def positives(self, party, uploads, sizes):
        raise NotImplementedError

    def positives_cost(self, sizes):
        raise NotImplementedError

    def check_cost(self, sizes):
        return Cost()

    def form(self, samples):
        return UploadForm.of_words(2 * BINS)

    def places(self, samples):
        return BINS

    def check(self, party, uploads, sizes):
        # neither a negative count nor counts that do not add up to the stated size
        off = square(
            party, concatenate(one.sum() - n for one, n in zip(uploads, sizes, strict=True))
        )
        negative = is_negative(party, concatenate(uploads))
        wrong = [
            off[k : k + 1] + negative[2 * BINS * k : 2 * BINS * (k + 1)].sum()
            for k in range(len(uploads))
        ]
        return Findings([True] * len(wrong), concatenate(wrong))

    def prepare(self, party, uploads, sizes, inputs):
        with party.phase("bins"):
            total = uploads[0]
            for one in uploads[1:]:
                total = total + one
        return total[:BINS], total[BINS:]

    def plaintext(self, uploads):
        total = sum(np.asarray(one, np.int64) for one in uploads)
        return total[:BINS].tolist(), total[BINS:].tolist()

    def preparing(self, sizes, inputs):
        return (PhaseEstimate("bins", Cost()),)

    def proxies_learn(self):
        return ()

    def helper_learns(self, samples, inputs):
        return ()


@dataclass(frozen=True, slots=True)
class MidAuroc(OneRatio[tuple, tuple]):
    """The exact AUROC of the binned scores."""

    name: ClassVar[str] = "mid"
    title: ClassVar[str] = "AUROC of binned scores"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score on bins"
    pipeline: ClassVar[type[Histograms]] = Histograms
    undefined: ClassVar[str] = NO_CLASS

    def ratio(self, party, data):
        positives, negatives = data
        P, N = positives.sum(), negatives.sum()
        # 2·Σ neg_k·(positives above k) + Σ neg_k·pos_k
        above = P.repeat(BINS) - positives.cumsum()
        top = inner_product(party, negatives, above * 2 + positives)
        return Ratio(top, multiply(party, P, N) * 2, self.bound(0))

    def bound(self, n):
        return 1 << 58

    def ratio_cost(self, n):
        return inner_product.cost().of(BINS) + multiply.cost().of(1)

    def scaled(self, data, one):
        positives, negatives = data
        P, N = sum(positives), sum(negatives)
        if not P * N:
            return None
        won = sum(negatives[k] * (2 * sum(positives[k + 1 :]) + positives[k]) for k in range(BINS))
        return half_up(Fraction(one * won, 2 * P * N))

    def fits(self, n, decimals):
        return n < 1 << 28


SKETCHES = {one.name: one for one in (DelongVariance, Difference, MidAuroc, Auroc)}


@pytest.fixture(autouse=True)
def _sketches_are_known(monkeypatch):
    monkeypatch.setattr(registry, "statistics", lambda: SKETCHES)
    registry.statistic.cache_clear()
    yield
    registry.statistic.cache_clear()


def computed(options, uploads, sizes=None):
    """The values by three parties, and those in the clear."""
    at = run_local(
        lambda party, *own: evaluate(party, options, own, sizes=sizes), *map(share, uploads)
    )
    data = data_of_plaintext(options, options.pipeline.plaintext(uploads))
    private, clear = {}, {}
    for text, one, own in zip(options.metrics, options.statistics, data, strict=True):
        words = (at[0].results[text].words + at[1].results[text].words).tolist()
        private[text] = one.decode(words, options.decimals)
        clear[text] = one.decode(one.plaintext_words(own, options.decimals), options.decimals)
    assert at[0].refused == ()
    return private, clear


def keys(scores, labels):
    words = encode(scores, labels, PROBABILITIES)
    return np.sort(words)[::-1]


@pytest.mark.parametrize("seed", range(6))
def test_delongs_variance_asks_for_a_further_column_of_the_scan(seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.random(20).round(1), rng.integers(0, 2, 20)
    options = Options(metrics=("delong_variance", "auroc"), decimals=8)
    private, clear = computed(
        options, [keys(scores[:13], labels[:13]), keys(scores[13:], labels[13:])]
    )
    assert private == clear
    assert isinstance(private["delong_variance"], Scalar)


@pytest.mark.parametrize("seed", range(6))
def test_a_paired_difference_has_two_sorts_in_the_same_hops_and_a_sign(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 30)
    scores = [rng.random(30).round(1) for _ in range(2)]
    uploads = [
        np.concatenate([keys(one[part], labels[part]) for one in scores])
        for part in (slice(0, 18), slice(18, 30))
    ]
    private, clear = computed(Options(metrics=("difference",), decimals=6), uploads, [18, 12])
    assert private == clear
    assert isinstance(private["difference"], Interval)


def test_a_histogram_needs_no_sort_and_uploads_of_one_size():
    rng = np.random.default_rng(1)
    uploads = [rng.integers(0, 1000, 2 * BINS).astype(np.uint64) for _ in range(3)]
    sizes = [int(one.sum()) for one in uploads]
    private, clear = computed(Options(metrics=("mid",), decimals=9), uploads, sizes)
    assert private == clear


def test_uploads_that_a_pipeline_finds_unsound_are_left_out():
    counts = [np.arange(2 * BINS).astype(np.uint64) for _ in range(2)]
    sizes = [int(counts[0].sum()), int(counts[1].sum()) + 1]
    at = run_local(
        lambda party, *own: evaluate(party, Options(metrics=("mid",)), own, sizes=sizes),
        *map(share, counts),
    )
    assert [one.refused for one in at] == [(1,)] * 3
    assert at[0].samples == sizes[0]


def test_statistics_of_two_kinds_of_lists_are_not_one_study():
    with pytest.raises(OptionRefused, match="lists of different kinds"):
        Options(metrics=("auroc", "mid"))
