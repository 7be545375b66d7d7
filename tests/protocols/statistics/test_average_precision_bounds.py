"""Average precision of binned scores, against scikit-learn; the bounds, against every order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, product
from math import ceil, floor

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.grid.cuts import Cuts
from ppaurora.protocols.grid.grid import Bins
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.ranking.binned import PooledBins
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols import pooled
from tests.protocols.statistics.counted_uploads import decimal, of_counts, of_each
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, run, run_all

NAME = "average_precision"
OF_BINS = statistic(NAME).over_cells(certain=False)
ASKED = [(NAME,)]
BINS = (2, 4, 64, 1024)
GUARD = Fraction(1, 10**8)
"""Rounding the quotients may cost this much of the last decimal."""

Groups = Sequence[tuple[int, int]]
"""Positives and negatives, from the highest scores to the lowest."""


def steps(groups: Groups) -> Fraction:
    """Average precision, each group tied."""
    T, j, total = 0, 0, Fraction(0)
    for positives, negatives in groups:
        T, j = T + positives, j + positives + negatives
        total += positives * Fraction(T, j) if positives else 0
    return total / T


def bounds(bins: Groups) -> tuple[Fraction, Fraction]:
    """The stated bounds: the chord of each bin's worst order, and all its positives tied first."""
    T, F, least, most = 0, 0, Fraction(0), Fraction(0)
    for positives, negatives in bins:
        if positives:
            most += positives * Fraction(T + positives, T + positives + F)
            first, last = (Fraction(T + i, T + i + F + negatives) for i in (1, positives))
            least += positives * (first + last) / 2
        T, F = T + positives, F + negatives
    return least / T, most / T


def orders(positives: int, negatives: int) -> Iterator[list[tuple[int, int]]]:
    """Every way in which the scores of a bin can follow each other, ties among them."""
    if not positives + negatives:
        yield []
    for first in product(range(positives + 1), range(negatives + 1)):
        if any(first):
            for rest in orders(positives - first[0], negatives - first[1]):
                yield [first, *rest]


def histograms(bins: int, most: int) -> Iterator[list[tuple[int, int]]]:
    """All with at most so many samples, and at least one."""
    for cells in product(range(most + 1), repeat=2 * bins):
        if 0 < sum(cells) <= most:
            yield list(zip(cells[::2], cells[1::2], strict=True))


def check(told: str, bins: Groups, decimals: int) -> tuple[Fraction, Fraction]:
    """Check the value and the released bounds of a histogram."""
    value, lower, upper = told.replace("(", "").replace(")", "").replace("to ", "").split()
    least, most = (bound * 10**decimals for bound in bounds(bins))
    assert value == pooled.rounded(steps(bins), decimals)
    assert lower in {
        decimal(floor(max(one, Fraction(0))), decimals) for one in (least, least - GUARD)
    }
    assert upper in {decimal(ceil(one), decimals) for one in (most, most + GUARD)}
    assert Fraction(lower) * 10**decimals <= least
    assert Fraction(upper) * 10**decimals >= most
    return Fraction(lower), Fraction(upper)


@pytest.mark.parametrize(("bins", "most"), [(1, 6), (2, 4), (3, 3)])
def test_no_order_within_the_bins_lies_outside_and_the_upper_bound_is_reached(
    bins: int, most: int
) -> None:
    for histogram in histograms(bins, most):
        if not any(positives for positives, _ in histogram):
            continue
        inside = [list(orders(*one)) for one in histogram]
        found = [steps(list(chain(*chosen))) for chosen in product(*inside)]
        least, best = bounds(histogram)
        assert least <= min(found)
        assert max(found) == best
        if all(positives <= 2 for positives, _ in histogram):
            assert min(found) == least


def test_every_small_histogram_has_its_value_and_bounds_in_the_clear() -> None:
    one, cuts = OF_BINS, Cuts()
    for histogram in histograms(4, 4):
        positives, negatives = zip(*histogram, strict=True)
        data = PooledBins(positives, negatives, Bins(4), cuts, frozenset())
        told = str(one.decode(one.plaintext_words(data, 3), 3))
        if any(positives):
            check(told, histogram, 3)
        else:
            assert told == "undefined: there are no positives"


def test_every_small_histogram_has_its_value_and_bounds_in_private() -> None:
    found = list(histograms(2, 3))
    options = Options(metrics=(NAME,), decimals=2, resolution="bins:2")
    uploads = [[[*(p for p, _ in one), *(q for _, q in one)]] for one in found]
    for histogram, told in zip(found, of_each(uploads, options), strict=True):
        if any(positives for positives, _ in histogram):
            check(told, histogram, 2)
        else:
            assert told == "undefined: there are no positives"


def test_a_value_on_a_rounding_boundary_is_rounded_up_though_quotients_are_rounded_down() -> None:
    found = [
        [(1, 1), (1, 2)],  # 1/2 and 2/5, together .45
        [(1, 0), (3, 1)],  # .85
        [(3, 0), (1, 1)],  # .95
    ]
    options = Options(metrics=(NAME,), decimals=1, resolution="bins:2")
    uploads = [[[*(p for p, _ in one), *(q for _, q in one)]] for one in found]
    told = of_each(uploads, options)
    assert [one.split()[0] for one in told] == ["0.5", "0.9", "1.0"]
    for histogram, one in zip(found, told, strict=True):
        check(one, histogram, 1)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        [told] = outcome.results.values()
        exact = pooled.average_precision(study.scores, study.labels)
        if exact is None:
            assert told == "undefined: there are no positives"
            continue
        bins, decimals = study.options.scale.number, study.options.decimals
        places = [min(int(Fraction(x) * bins), bins - 1) for x in study.scores]
        lower, upper = check(told, list(pooled.groups(places, study.labels)), decimals)
        assert lower <= exact <= upper
        of_others = average_precision_score(study.labels, places)
        assert abs(float(told.split()[0]) - of_others) <= 0.5 * 10**-decimals + 1e-12


def test_drawn_studies_have_the_average_precision_of_their_bins_and_bounds_that_hold() -> None:
    check_all(drawn_studies(10, 121, ASKED, MOST_DECIMALS, BINS[:3]))


@pytest.mark.soak
def test_five_hundred_studies_have_the_value_of_their_bins_and_bounds_that_hold() -> None:
    check_all(drawn_studies(500, 122, ASKED, MOST_DECIMALS, BINS))


@pytest.mark.parametrize("decimals", [1, 4, MOST_DECIMALS])
def test_two_thousand_million_samples_have_their_value_and_bounds(decimals: int) -> None:
    """The most samples in all, nearly balanced: words and their sums are as large as they get."""
    options = Options(metrics=(NAME,), decimals=decimals, resolution="bins:4")
    assert most_samples(options) == MOST_SAMPLES
    half = MOST_SAMPLES // 4 - 5
    counts = [[half, 1, 0, half - 3, 2, half, 5, half], [7, 0, 2, 0, 0, 0, 0, 0]]
    counts[1][7] = MOST_SAMPLES - sum(map(sum, counts))
    total = [a + b for a, b in zip(*counts, strict=True)]
    check(of_counts(counts, options), list(zip(total[:4], total[4:], strict=True)), decimals)
    # all of one class, first in the highest bin and then in the lowest
    for place in (0, 3):
        single = [0] * 8
        single[place] = MOST_SAMPLES
        one = decimal(10**decimals, decimals)
        assert of_counts([single], options) == f"{one} ({one} to {one})"


def test_positives_that_are_tied_first_reach_a_bound_that_they_do_not_reach_one_by_one() -> None:
    options = Options(metrics=(NAME,), decimals=4, resolution="bins:2")
    tied = Owner([0.9, 0.4, 0.4, 0.1], [0, 1, 1, 0])
    apart = Owner([0.9, 0.4, 0.3, 0.1], [0, 1, 1, 0])
    results = [run(Study((one,), options)).results[NAME] for one in (tied, apart)]
    # 2/3 and 7/12 in themselves; binned both are 1/2, at the worst (1/3 + 1/2)/2
    assert results == ["0.5000 (0.4166 to 0.6667)"] * 2
    found = [pooled.average_precision(one.scores, one.labels) for one in (tied, apart)]
    assert found == [Fraction(2, 3), Fraction(7, 12)]


def test_bins_that_separate_the_classes_leave_no_doubt() -> None:
    options = Options(metrics=(NAME,), decimals=4, resolution="bins:2")
    perfect = Study((Owner([0.9, 0.8, 0.6, 0.2], [1, 1, 1, 0]), Owner([0.1], [0])), options)
    assert run(perfect).results == {NAME: "1.0000 (1.0000 to 1.0000)"}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_lower_scores_are_counted_from_the_other_end(direction: str) -> None:
    owners = (Owner([0.1, 0.9], [1, 0]),)
    options = Options(metrics=(NAME,), decimals=2, resolution="bins:4")
    expected = {"lower": "1.00 (1.00 to 1.00)", "higher": "0.50 (0.50 to 0.50)"}[direction]
    assert run(Study(owners, options, direction)).results == {NAME: expected}


def test_the_stated_hops_and_bytes_do_not_depend_on_the_samples() -> None:
    options = Options(metrics=(NAME,), decimals=4, resolution="bins:64")
    rng = np.random.default_rng(1)
    few, many = (
        run(Study((Owner(rng.random(n), rng.integers(0, 2, n)),), options)) for n in (10, 5000)
    )
    assert (few.hops, few.payload) == (many.hops, many.payload)
    # 9 for the check
    assert few.hops == 9 + 93
    at_most = OF_BINS.cost(1 << 12, 4)
    assert at_most.hops == 93
    assert round(at_most.payload / (1 << 12), -3) == 18_000
    assert OF_BINS.cost(32, 4).hops == 45
