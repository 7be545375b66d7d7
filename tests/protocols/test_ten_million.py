"""Many scores of four decimals, counted: the released numbers are those of the pooled scores."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from numpy.typing import NDArray

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.outsourcing import received, split
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import Histogram
from tests.protocols.studies import Owner, Study, run

SAMPLES, OWNERS = 10_000_000, 8
DECIMALS = 9


def delong_error(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The standard error of the AUROC after DeLong, from midranks, in doubles."""
    positives, negatives = scores[labels == 1], scores[labels == 0]
    p, n = len(positives), len(negatives)
    among_all = scipy.stats.rankdata(np.concatenate([positives, negatives]))
    of_positives = (among_all[:p] - scipy.stats.rankdata(positives)) / n
    of_negatives = 1 - (among_all[p:] - scipy.stats.rankdata(negatives)) / p
    variance = np.var(of_positives, ddof=1) / p + np.var(of_negatives, ddof=1) / n
    return float(np.sqrt(variance))


@pytest.mark.soak
def test_the_area_and_its_interval_are_those_of_ten_million_pooled_scores() -> None:
    rng = np.random.default_rng(26)
    labels = (rng.random(SAMPLES) < 0.2).astype(np.int64)
    scores = np.rint(rng.beta(1.5 + labels, 3 - labels) * 10_000) / 10_000
    options = Options(
        metrics=("auroc", "auroc_ci:method=delong"),
        decimals=DECIMALS,
        resolution="decimals:4",
        table="counted",
    )
    parts = np.array_split(np.arange(SAMPLES), OWNERS)
    owners = tuple(Owner(scores[part].tolist(), labels[part].tolist()) for part in parts)
    outcome = run(Study(owners, options))
    expected = sklearn.metrics.roc_auc_score(labels, scores)
    area = outcome.results["auroc"].split()[0]
    assert area == f"{expected:.{DECIMALS}f}"
    value, low, _, high = (
        outcome.results["auroc_ci:method=delong"].replace("(", "").replace(")", "").split()
    )
    assert value == area
    half = 1.959963984540054 * delong_error(scores, labels)
    # doubles lose some digits in the sum of ten million squares
    assert float(low) == pytest.approx(expected - half, abs=2e-9)
    assert float(high) == pytest.approx(expected + half, abs=2e-9)
    assert outcome.samples == SAMPLES


def exact_area_and_variance(
    positives: list[int], negatives: list[int]
) -> tuple[Fraction, Fraction]:
    """The AUROC and DeLong's variance of it, of counts in each cell from the lowest score up."""
    P, N = sum(positives), sum(negatives)
    below, above = 0, P
    of_positives, of_negatives = [], []
    for p, n in zip(positives, negatives, strict=True):
        above -= p
        of_positives.append(Fraction(2 * below + n, 2 * N))
        of_negatives.append(Fraction(2 * above + p, 2 * P))
        below += n
    area = sum((p * v for p, v in zip(positives, of_positives, strict=True)), Fraction(0)) / P
    variance = Fraction(0)
    for counts, placements, m in ((positives, of_positives, P), (negatives, of_negatives, N)):
        squares = sum(
            (count * (v - area) ** 2 for count, v in zip(counts, placements, strict=True)),
            Fraction(0),
        )
        variance += squares / (m - 1) / m
    return area, variance


def test_a_billion_samples_of_which_engines_made_the_counts() -> None:
    options = Options(
        metrics=("auroc", "auroc_ci:method=delong"),
        decimals=DECIMALS,
        resolution="decimals:4",
        table="counted",
    )
    pipeline = options.pipeline
    assert isinstance(pipeline, Histogram)
    rng, cells = np.random.default_rng(9), len(pipeline.layout.grid)
    at = (np.arange(cells) + 0.5) / cells
    counts = [
        [
            rng.multinomial(size, chances / chances.sum())
            for size, chances in (
                (20_000_000, at * np.sqrt(at)),
                (105_000_000, (1 - at) * np.sqrt(at)),
            )
        ]
        for _ in range(OWNERS)
    ]
    sizes = [int(sum(map(np.sum, own))) for own in counts]
    assert sum(sizes) == 1_000_000_000
    shares = [
        split(pipeline.layout.grid.arranged(*own), form=pipeline.form(size))
        for own, size in zip(counts, sizes, strict=True)
    ]

    def program(party: Party, *uploads: Shared) -> Evaluation:
        return evaluate(party, options, uploads, sizes=sizes)

    # as they arrive: of P1's share of many counts the lower halves alone
    sent = [
        tuple(
            received(role, share[role].to_bytes(), pipeline.form(size)).words
            for role in (Role.P0, Role.P1)
        )
        for share, size in zip(shares, sizes, strict=True)
    ]
    p0, p1, _ = run_local(program, *sent)
    assert p0.refused == ()
    area, variance = exact_area_and_variance(
        *(sum(column).tolist() for column in zip(*counts, strict=True))
    )
    released = {
        text: reconstruct(p0.results[text].words, p1.results[text].words).tolist()
        for text in options.metrics
    }
    scale = 10**DECIMALS
    [value] = released["auroc"]
    assert value == (2 * area.numerator * scale + area.denominator) // (2 * area.denominator)
    with localcontext() as context:
        context.prec = 60
        error = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        half = error * Decimal("1.959963984540054235524594430")
        middle = Decimal(area.numerator) / Decimal(area.denominator)
        limits = [int(((middle + sign * half) * scale).to_integral_value()) for sign in (-1, 1)]
    assert released["auroc_ci:method=delong"] == [value, *limits]
