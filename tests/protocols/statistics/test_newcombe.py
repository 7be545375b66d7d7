"""Newcombe's score interval, against his equation solved with 60 digits over all pairs."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import check_bounds, evaluate, most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies, labellings, one_of_each_size
from tests.protocols.statistics.test_delong import Z, twice_won
from tests.protocols.studies import Owner, Study, interval, released, run, run_all

NO_CLASS = "undefined: a class is missing"
LEVELS = {
    "auroc_ci": "0.95",
    "auroc_ci:level=0.5": "0.5",
    "auroc_ci:level=0.9": "0.9",
}
DIGITS = 60


def solved(area: Fraction, P: int, N: int, z: Fraction) -> tuple[Decimal, Decimal]:
    """The two θ with |A - θ| = z·SE(θ), SE as Newcombe prints it, by bisection in decimals."""
    with localcontext() as context:
        context.prec = 2 * DIGITS
        A = Decimal(area.numerator) / area.denominator
        quantile = Decimal(z.numerator) / z.denominator
        spread = Decimal(P + N) / 2 - 1

        def error(θ: Decimal) -> Decimal:
            bracket = 1 + spread * (1 - θ) / (2 - θ) + spread * θ / (1 + θ)
            return quantile * (θ * (1 - θ) * bracket / (P * N)).sqrt()

        found = []
        for end in (Decimal(0), Decimal(1)):
            outside, inside = end, A
            for _ in range(4 * DIGITS):
                middle = (outside + inside) / 2
                if abs(A - middle) > error(middle):
                    outside = middle
                else:
                    inside = middle
            found.append(outside)
    return found[0], found[1]


def in_words(area: Fraction, limits: tuple[Decimal, Decimal], decimals: int) -> str:
    with localcontext() as context:
        context.prec = 2 * DIGITS
        A = Decimal(area.numerator) / area.denominator
        half = Decimal("0.5").scaleb(-decimals)
        value, lower, upper = (
            (one + half).quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR) for one in (A, *limits)
        )
    return interval(f"{value:f}", f"{lower:f}", f"{upper:f}")


def check(study: Study, results: dict[str, str], levels: dict[str, str]) -> None:
    scores = study.scores
    if study.options.counted:
        bins = study.options.scale.number
        scores = [min(int(score * bins), bins - 1) for score in scores]
    twice = twice_won(scores, study.labels)
    for text in results.keys() & levels.keys():
        if not twice.size:
            assert results[text] == NO_CLASS
            continue
        area = Fraction(int(twice.sum()), 2 * twice.size)
        limits = solved(area, *twice.shape, Z[levels[text]])
        assert results[text] == in_words(area, limits, study.options.decimals)


ASKED = [(text,) for text in LEVELS]
BINS = (2, 8, 64)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results, LEVELS)


def alone(scores: list[float], labels: list[int], *metrics: str, decimals: int = 4) -> list[str]:
    study = Study((Owner(scores, labels),), Options(metrics=metrics, decimals=decimals))
    return list(run(study).results.values())


def test_drawn_studies_have_the_limits_of_the_printed_equation() -> None:
    check_all(one_of_each_size(drawn_studies, 31, ASKED, 9))
    check_all(one_of_each_size(drawn_studies, 32, ASKED, 9, BINS))


@pytest.mark.soak
def test_a_thousand_studies_have_the_limits_of_the_printed_equation() -> None:
    for studies in (drawn_studies(500, 33, ASKED, 9), drawn_studies(500, 34, ASKED, 9, BINS)):
        for start in range(0, len(studies), 50):
            check_all(studies[start : start + 50])


@pytest.mark.parametrize(
    ("scores", "decimals"),
    [
        ([0.1, 0.2, 0.2, 0.7], 1),
        pytest.param([0.1, 0.2, 0.3, 0.4], 3, marks=pytest.mark.weekly),
    ],
)
def test_every_labelling_of_four_samples_has_the_limits_of_the_printed_equation(
    scores: list[float], decimals: int
) -> None:
    studies = [
        Study((Owner(scores, labels),), Options(metrics=("auroc_ci",), decimals=decimals))
        for labels in labellings(scores)
    ]
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results, LEVELS)


def test_a_perfect_separation_has_an_interval_with_a_width_at_either_end() -> None:
    scores = [place / 20 for place in range(20)]
    labels = [0] * 10 + [1] * 10
    [best], [worst] = alone(scores, labels, "auroc_ci"), alone(scores, labels[::-1], "auroc_ci")
    assert (best, worst) == ("1.0000 (0.8002 to 1.0000)", "0.0000 (0.0000 to 0.1998)")


def test_one_sample_in_a_class_is_enough() -> None:
    scores, labels = [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0]
    newcombe, delong = alone(scores, labels, "auroc_ci", "auroc_ci:method=delong")
    assert newcombe.startswith("0.6667 (")
    assert delong == "undefined: a class has fewer than two samples"


def test_the_other_end_of_the_scores_has_the_mirrored_interval() -> None:
    rng = np.random.default_rng(5)
    scores, labels = (rng.integers(0, 30, 60) / 30).tolist(), rng.integers(0, 2, 60).tolist()
    one, other = (
        run(
            Study((Owner(scores, labels),), Options(metrics=("auroc_ci",), decimals=9), direction)
        ).results
        for direction in ("higher", "lower")
    )
    numbers = [
        [Decimal(part.strip("()")) for part in text["auroc_ci"].replace(" to ", " ").split()]
        for text in (one, other)
    ]
    assert [1 - numbers[1][place] for place in (0, 2, 1)] == numbers[0]


def test_levels_as_narrow_and_as_wide_as_can_be_written_are_held() -> None:
    rng = np.random.default_rng(23)
    scores, labels = (rng.integers(0, 9, 40) / 10).tolist(), rng.integers(0, 2, 40).tolist()
    narrow, wide = alone(
        scores,
        labels,
        "auroc_ci:level=0.0000000000000001",
        "auroc_ci:level=0.9999999999999999",
        decimals=6,
    )
    value = narrow.split()[0]
    assert narrow == interval(value, value, value)
    twice = twice_won(scores, labels)
    area = Fraction(int(twice.sum()), 2 * twice.size)
    assert wide == in_words(area, solved(area, *twice.shape, Fraction(norm.isf(5e-17))), 6)


def test_two_thousand_million_samples_have_the_limits_of_the_printed_equation() -> None:
    text = "auroc_ci"
    options = Options(metrics=(text,), decimals=6, resolution="bins:4")
    assert statistic(text).most_samples(6) == MOST_SAMPLES
    p, q = [9 * 10**8, 1, 10**8, 5], [10**8, 0, 7 * 10**8, 0]
    q[3] = MOST_SAMPLES - sum(p) - sum(q)
    at = run_local(
        lambda party, own: evaluate(party, options, [own], sizes=[MOST_SAMPLES]),
        share(np.array(p + q, np.uint64)),
    )
    P, N = sum(p), sum(q)
    won = sum(p[k] * (2 * sum(q[k + 1 :]) + q[k]) for k in range(4))
    area = Fraction(won, 2 * P * N)
    limits = solved(area, P, N, Z["0.95"])
    assert released(options, at).results[text] == in_words(area, limits, 6)


@pytest.mark.parametrize(("decimals", "least"), [(4, MOST_SAMPLES), (9, 1 << 23), (12, 10_000)])
def test_its_bounds_hold_what_a_study_is_likely_to_have(decimals: int, least: int) -> None:
    options = Options(metrics=("auroc_ci",), decimals=decimals)
    most = most_samples(options)
    assert most >= least
    check_bounds(options, [most])
    if most < MOST_SAMPLES:
        with pytest.raises(BoundExceeded, match=str(most)):
            check_bounds(options, [most, 1])


def test_the_ledger_says_that_the_class_counts_are_told() -> None:
    told = ledger(Options(metrics=("auroc_ci",)), [300, 300])
    assert "tell both class counts, up to which class is which" in told.learns.receivers[0]
    assert any("tells both class counts" in warning for warning in told.warnings)
    assert statistic("auroc_ci").warnings((1,), 4) == ()


def test_area_limits_and_samples_give_the_class_counts_as_the_ledger_says() -> None:
    """P·N is the only unknown of the equation: four decimals leave no other for 100 samples."""
    n, z = 100, Z["0.95"]
    area = Fraction(17, 20)
    texts = [in_words(area, solved(area, P, n - P, z), 4) for P in range(1, n // 2 + 1)]
    assert len(set(texts[:40])) == 40


@pytest.mark.parametrize(
    ("text", "instead"),
    [("auroc_ci:method=delong", "method=newcombe"), ("auroc_ci:method=logit", "method=newcombe")],
)
def test_a_separation_is_told_beside_limits_that_say_nothing(text: str, instead: str) -> None:
    """At the receiver, from the released words alone, so that nothing more is disclosed."""
    one = statistic(text)
    found = one.decode([10**4] * 3, 4)
    assert str(found) == "1.0000 (1.0000 to 1.0000, no width)"
    assert instead in str(found.to_json()["note"])
    assert "note" not in one.decode([9000, 8000, 9500], 4).to_json()


def test_bounds_that_meet_are_certain_and_no_fault() -> None:
    assert "note" not in statistic("auroc").decode([9000, 9000, 1000], 4).to_json()
