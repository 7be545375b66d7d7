"""The normalised area, against the definition: areas of the curve's points, and the worst one's.

The area above the least precision-recall curve, against sums, integrals and the thesis.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import log

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.metrics import average_precision_score

from ppaurora.mpc.primitives.lookup import LARGEST_TABLE
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.aucnpr import above_integral, above_steps
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import dealt_out, drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

ASKED = {
    "aucnpr": ("average_precision", "0"),
    "aucnpr:min_recall=0.5": ("average_precision", "0.5"),
    "aucnpr:min_recall=0.875": ("average_precision", "0.875"),
    "aucnpr:of=aupr": ("aupr", "0"),
    "aucnpr:of=aupr,min_recall=0.3": ("aupr", "0.3"),
    "aucnpr:of=aupr,min_recall=0.9": ("aupr", "0.9"),
}
TURNS = [tuple(ASKED)[place::3] for place in range(3)]
UNDEFINED = "undefined: a class is missing"


def area(points: list[tuple[Fraction, Fraction]], r: Fraction, *, steps: bool) -> Fraction:
    """The area over the recalls from r on, under steps or straight lines."""
    total = Fraction(0)
    for (left, p0), (right, p1) in pairwise(points):
        cut = max(left, r)
        if cut < right:
            height = p1 if steps else p0 + (p1 - p0) * (cut - left) / (right - left)
            total += (right - cut) * (height + p1) / 2
    return total


def least(of: str, P: int, n: int, r: Fraction) -> Fraction:
    """[Thesis, Thm 3.5] for steps, [Thesis, Cor. 3.6] for the integral."""
    if of == "average_precision":
        worst = [(Fraction(i, P), Fraction(i, i + n - P)) for i in range(P + 1)]
        return area(worst, r, steps=True)
    with localcontext() as context:
        context.prec = 60
        π, a = Decimal(P) / n, Decimal(r.numerator) / r.denominator
        return Fraction(1 - a + (1 - π) / π * (π * (a - 1) + 1).ln())


def expected(text: str, scores: list[float], labels: list[int]) -> Fraction | None:
    of, recall = ASKED[text]
    P, n, r = sum(labels), len(labels), Fraction(recall)
    if P in (0, n):
        return None
    reached = area(pooled.curve(scores, labels), r, steps=of == "average_precision")
    M = least(of, P, n, r)
    return max(Fraction(0), (reached - M) / (1 - r - M))


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        for text, found in outcome.results.items():
            value = expected(text, study.scores, study.labels)
            decimals = study.options.decimals
            assert found == (UNDEFINED if value is None else pooled.rounded(value, decimals)), text


def test_drawn_studies_have_the_normalised_areas_of_the_definition() -> None:
    check_all(one_of_each_size(drawn_studies, 21, TURNS, 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_normalised_areas_of_the_definition() -> None:
    check_all(drawn_studies(400, 22, TURNS, 15))
    check_all(dealt_out(drawn_studies(120, 23, TURNS, 15), 24))


def test_every_labelling_of_three_samples_has_the_normalised_areas_of_the_definition() -> None:
    metrics = ("aucnpr:min_recall=0.5", "aucnpr:of=aupr,min_recall=0.3")
    scores = [0.2, 0.2, 0.7]
    check_all(
        [Study((Owner(scores, labels),), Options(metrics=metrics)) for labels in labellings(scores)]
    )


def of_ranking(labels: list[int], *metrics: str) -> dict[str, str]:
    """Without ties, the highest score first."""
    scores = [1 - place / len(labels) for place in range(len(labels))]
    return run(Study((Owner(scores, labels),), Options(metrics=metrics, decimals=6))).results


def test_the_perfect_ranking_has_1_and_the_worst_one_0() -> None:
    assert set(of_ranking([1] * 5 + [0] * 30, *ASKED).values()) == {"1.000000"}
    assert set(of_ranking([0] * 30 + [1] * 5, *ASKED).values()) == {"0.000000"}


def test_one_negative_among_many_positives_loses_no_decimal() -> None:
    labels = [1] * 150 + [0] + [1] * 149
    found = of_ranking(labels, "aucnpr", "aucnpr:of=aupr")
    scores = [float(-place) for place in range(len(labels))]
    for text, value in found.items():
        exact = expected(text, scores, labels)
        assert exact is not None
        assert value == pooled.rounded(exact, 6)


def test_the_normalised_step_sum_is_scikit_learns_less_the_least() -> None:
    rng = np.random.default_rng(4)
    scores, labels = rng.random(200).round(2), rng.integers(0, 2, 200)
    [found] = run(
        Study((Owner(scores, labels),), Options(metrics=("aucnpr",), decimals=12))
    ).results.values()
    P, n = int(labels.sum()), 200
    M = sum(i / (i + n - P) for i in range(1, P + 1)) / P
    theirs = (average_precision_score(labels, scores) - M) / (1 - M)
    assert float(found) == pytest.approx(theirs, abs=1e-12)


def test_the_bound_is_that_of_the_table_of_class_counts() -> None:
    for text in ("aucnpr", "aucnpr:of=aupr", "aucnpr:min_recall=0.5"):
        for decimals in (4, 15):
            assert most_samples(Options(metrics=(text,), decimals=decimals)) == LARGEST_TABLE - 1


def test_a_recall_of_many_digits_is_held_for_fewer_samples() -> None:
    few = most_samples(Options(metrics=("aucnpr:of=aupr,min_recall=0.123456789012",), decimals=15))
    assert 0 < few < LARGEST_TABLE - 1


def test_recalls_of_no_width_are_refused() -> None:
    with pytest.raises(OptionRefused, match="no width"):
        statistic("aucnpr:min_recall=1")


def test_the_ledger_tells_the_decimals_and_warns_of_few_samples() -> None:
    told = ledger(Options(metrics=("aucnpr",)), [30, 30, 30])
    assert told.learns.receivers == (
        "aucnpr: the released decimals, and whether the metric is undefined: a class is missing",
    )
    assert any("number of positives becoming known" in one for one in told.warnings)


BITS = 100
RECALLS = [Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1, 3)]


@pytest.mark.parametrize("r", RECALLS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 41])
def test_the_table_of_steps_is_the_worst_ranking_rounded_up(n, r):
    table = above_steps(n, r, BITS)
    assert len(table) == n + 1
    assert table[0] == table[n] == 0
    for P in range(1, n):
        N = n - P
        # the i-th positive of the worst ranking has the precision i/(i + N), over the recalls
        # from (i - 1)/P to i/P
        missed = Fraction(0)
        for i in range(1, P + 1):
            width = max(Fraction(0), Fraction(i, P) - max(Fraction(i - 1, P), r))
            missed += width * P * r.denominator * Fraction(N, i + N)
        above = table[P] - missed * 2**BITS
        assert 0 <= above <= r.denominator * n * n / 4 + 2


@pytest.mark.parametrize("r", RECALLS)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 41])
def test_the_table_of_the_integral_is_that_of_the_least_curve(n, r):
    table = above_integral(n, r, BITS)
    assert len(table) == n + 1
    assert table[0] == table[n] == 0
    for P in range(1, n):
        # [Thesis, Thm 3.3]
        least = quad(lambda t, P=P: P * t / (n - P + P * t), float(r), 1)[0]
        assert table[P] / 2**BITS == pytest.approx(2 * P * (1 - float(r) - least), abs=1e-10)


def test_logarithms_are_right_to_the_last_bits():
    # 2·N·ln(n/N) for n = 2, N = 1, and for n = 4, N = 2: ln 2 to 40 decimals
    ln2 = Fraction(6931471805599453094172321214581765680755, 10**40)
    assert abs(Fraction(above_integral(2, Fraction(0), 120)[1], 1 << 120) - 2 * ln2) < 1e-35
    assert abs(Fraction(above_integral(4, Fraction(0), 120)[2], 1 << 120) - 4 * ln2) < 1e-35


def test_the_least_areas_that_the_thesis_draws():
    for share, least in ((1, 0.00502), (10, 0.05176), (50, 0.30685)):
        found = 1 - above_integral(100, Fraction(0), BITS)[share] / 2**BITS / (2 * share)
        assert found == pytest.approx(least, abs=5e-6)
        assert found == pytest.approx(1 + (100 - share) / share * log(1 - share / 100), abs=1e-12)


def test_the_least_step_sum_of_many_samples_is_close_to_the_integral():
    n = 3000
    steps, integral = above_steps(n, Fraction(0), BITS), above_integral(n, Fraction(0), BITS)
    for P in (300, 1500, 2700):
        assert steps[P] / 2**BITS == pytest.approx(integral[P] / 2**BITS / 2, rel=1e-3)
