"""DeLong's standard error, interval and test, against all pairs compared one by one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.area_limits import places
from ppaurora.protocols.ranking.delong import largest_variance_denominator, placed
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.statistics.auroc_ci import AurocInterval
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn import drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, interval, run, run_all

FEW = "undefined: a class has fewer than two samples"
Z = {
    # tables of the normal law, 30 digits
    "0.95": Fraction("1.959963984540054235524594430521"),
    "0.5": Fraction("0.674489750196081743202227014541"),
    "0.9": Fraction("1.644853626951472714863848907992"),
}
DELONG = "auroc_ci:method=delong"
INTERVALS = {
    DELONG: "0.95",
    "auroc_ci:level=0.5,method=delong": "0.5",
    "auroc_ci:level=0.9,method=delong": "0.9",
}
TESTS = {
    "auroc_above": ("0.5", "0.9"),
    "auroc_above:sides=2": ("0.5", "0.95"),
    "auroc_above:than=0.625,alpha=0.25": ("0.625", "0.5"),
}
Won = NDArray[np.int64]
ASKED = [("auroc_se", *both) for both in zip(INTERVALS, TESTS, strict=True)]
DIGITS = 60


@dataclass(frozen=True)
class Expected:
    """AUROC and variance, each pair of a positive and a negative compared by itself."""

    area: Fraction
    variance: Fraction

    @property
    def error(self) -> Fraction:
        """The root, to 60 digits."""
        return Fraction(isqrt(int(self.variance * 100**DIGITS)), 10**DIGITS)


def by_pairs(scores: list[float], labels: list[int]) -> Expected | None:
    twice = twice_won(scores, labels)
    return None if min(twice.shape) < 2 else of_pairs(twice)


def twice_won(scores: list[float], labels: list[int]) -> Won:
    """2 for each pair in which the positive scores higher, 1 where both are tied."""
    positives = np.array([s for s, y in zip(scores, labels, strict=True) if y])
    negatives = np.array([s for s, y in zip(scores, labels, strict=True) if not y])
    higher = positives[:, None] > negatives
    return 2 * higher + 1 * (positives[:, None] == negatives)


def of_pairs(twice: Won) -> Expected:
    """The mean over all pairs, and its variance from the means over both classes."""
    terms = []
    for axis in (0, 1):
        means = [Fraction(int(one), 2 * twice.shape[axis]) for one in twice.sum(axis=axis)]
        mean = sum(means, Fraction(0)) / len(means)
        spread = sum(((one - mean) ** 2 for one in means), Fraction(0)) / (len(means) - 1)
        terms.append(spread / len(means))
    return Expected(Fraction(int(twice.sum()), 2 * twice.size), sum(terms, Fraction(0)))


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    decimals, exact = study.options.decimals, by_pairs(study.scores, study.labels)
    if exact is None:
        assert set(results.values()) == {FEW}
        return 0
    error, close = exact.error, 0
    assert results["auroc_se"] == rounded(error, decimals)
    for text in results.keys() & INTERVALS:
        level = INTERVALS[text]
        half = Z[level] * error
        limits = max(exact.area - half, Fraction(0)), min(exact.area + half, Fraction(1))
        certain = (2 + Z[level]) / 2 / 100 ** places(decimals)
        above = [(limit * 10**decimals + Fraction(1, 2)) % 1 for limit in limits]
        far = [min(one, 1 - one) / 10**decimals > certain for one in above]
        if all(far) or error == 0:
            value, lower, upper = (rounded(one, decimals) for one in (exact.area, *limits))
            assert results[text] == interval(value, lower, upper)
        else:
            close += 1
    for text in results.keys() & TESTS:
        than, level = TESTS[text]
        above_by = exact.area - Fraction(than)
        rejected = above_by > 0 and above_by**2 > Z[level] ** 2 * exact.variance
        assert results[text] == ("rejected" if rejected else "not rejected")
    return close


def check_all(studies: list[Study]) -> int:
    return sum(
        check(study, outcome.results)
        for study, outcome in zip(studies, run_all(studies), strict=True)
    )


def alone(study: Study, *metrics: str, decimals: int = 6) -> dict[str, str]:
    """The values of these metrics in a study of the same rows."""
    return run(Study(study.owners, Options(metrics=metrics, decimals=decimals))).results


def test_drawn_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(one_of_each_size(drawn_studies, 1, ASKED, 15)) == 0


@pytest.mark.soak
def test_five_hundred_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(drawn_studies(500, 2, ASKED, 15)) <= 1


@pytest.mark.parametrize(
    "scores",
    [[0.5] * 4, [0.1, 0.2, 0.2, 0.7], pytest.param([0.1, 0.2, 0.3, 0.4], marks=pytest.mark.weekly)],
)
def test_every_labelling_of_four_samples_has_the_values_of_all_pairs(scores: list[float]) -> None:
    studies = [
        Study(
            (Owner(scores, labels),),
            Options(metrics=("auroc_se", "auroc_above:than=0.625,alpha=0.25")),
        )
        for labels in labellings(scores)
    ]
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results)


@pytest.mark.parametrize("seed", range(8))
def test_the_variance_in_the_clear_is_that_of_midranks(seed: int) -> None:
    """A placement is the midrank among all less the midrank in its class."""
    rng = np.random.default_rng(seed)
    labels = np.r_[np.ones(20, int), np.zeros(37, int)]
    scores = rng.integers(0, [3, 10, 1000][seed % 3], labels.size)
    x, y = scores[labels == 1], scores[labels == 0]
    ranks = rankdata(np.r_[x, y])
    of_positives = (ranks[:20] - rankdata(x)) / 37
    of_negatives = 1 - (ranks[20:] - rankdata(y)) / 20
    keys = np.sort((2 * scores + labels).astype(np.uint64))[::-1]
    found = placed(Pooled.of([keys]))
    assert found is not None
    assert float(found.area) == pytest.approx(of_positives.mean(), abs=1e-14)
    theirs = of_positives.var(ddof=1) / 20 + of_negatives.var(ddof=1) / 37
    assert float(found.variance) == pytest.approx(theirs, abs=1e-15)


PERFECT = Study((Owner([0.9, 0.8, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0]),), Options())


def test_a_perfect_separation_has_no_error_and_the_interval_of_one_point() -> None:
    assert alone(PERFECT, "auroc_se", DELONG, "auroc_above:than=0.99") == {
        "auroc_se": "0.000000",
        DELONG: "1.000000 (1.000000 to 1.000000, no width)",
        "auroc_above:than=0.99": "rejected",
    }


def test_an_interval_beyond_0_or_1_is_cut_off() -> None:
    scores, labels = [0.1, 0.2, 0.3, 0.4, 0.5], [0, 0, 1, 0, 1]
    up = Study((Owner(scores, labels),), Options())
    down = Study((Owner(scores, [1 - label for label in labels]),), Options())
    assert alone(up, DELONG)[DELONG] == "0.833333 (0.371365 to 1.000000)"
    assert alone(down, DELONG)[DELONG] == "0.166667 (0.000000 to 0.628635)"


def test_an_auroc_equal_to_the_one_of_the_test_is_not_above_it() -> None:
    tied = Study((Owner([0.5] * 6, [0, 0, 0, 1, 1, 1]),), Options())
    assert alone(tied, "auroc_se")["auroc_se"] == "0.000000"
    assert alone(tied, "auroc_above")["auroc_above"] == "not rejected"
    text = "auroc_above:than=0.499999"
    assert alone(tied, text)[text] == "rejected"


def test_two_sides_have_half_the_level() -> None:
    one, two = (statistic(f"auroc_above:{text}") for text in ("alpha=0.05", "alpha=0.1,sides=2"))
    assert one.z_squared == two.z_squared


def test_the_bound_is_where_the_sum_of_squares_reaches_2_to_63() -> None:
    for text in ("auroc_se", DELONG, "auroc_above"):
        assert most_samples(Options(metrics=(text,), decimals=15)) == 3_963_368
    beyond = 3_963_369
    # all pairs won: every positive is N from the middle
    assert max(P * (beyond - P) ** 2 for P in (beyond // 3, beyond // 3 + 1)) >= 1 << 63


def test_a_null_hypothesis_of_many_digits_is_held_for_fewer_samples() -> None:
    assert most_samples(Options(metrics=("auroc_above:than=0.12345678912345",))) < 3_963_368


def test_the_variance_is_never_above_its_bound() -> None:
    for n in range(4, 60):
        exact = max(4 * (P * (n - P)) ** 2 * (P - 1) * (n - P - 1) for P in range(n))
        assert exact <= largest_variance_denominator(n)


@pytest.mark.parametrize("text", ["auroc_se", DELONG])
def test_the_ledger_says_that_the_class_count_is_told_roughly(text: str) -> None:
    told = ledger(Options(metrics=(text,)), [300, 300, 300])
    assert "tell the smaller class count roughly" in told.learns.receivers[0]
    assert any("class count to a few percent" in warning for warning in told.warnings)
    none = statistic(text).warnings((1,), 4)
    assert none == ()


def test_the_test_discloses_one_bit() -> None:
    assert statistic("auroc_above").leaks(4).startswith("one bit")
    assert statistic("auroc_above").warnings((300,), 4) == ()


@pytest.mark.parametrize(
    "text", ["auroc_ci:level=1", "auroc_ci:level=0", "auroc_above:alpha=0.5", "auroc_above:than=1"]
)
def test_levels_without_a_quantile_are_refused(text: str) -> None:
    with pytest.raises(OptionRefused, match="between"):
        statistic(text)


def test_limits_have_eight_guard_decimals_or_nine() -> None:
    assert [2 * places(decimals) - decimals for decimals in range(1, 16)] == [9, 8] * 7 + [9]
    assert isinstance(statistic("auroc_ci"), AurocInterval)
