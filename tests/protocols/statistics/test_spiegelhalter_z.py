"""Spiegelhalter's z in private against its definition, by fractions of the rows one by one."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, isqrt, sqrt

import numpy as np
import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.grid.sums import HIGH_BITS, SCALE, Sum, sums_of
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.studies import Owner, Study, owners_of, released, run, run_all

TEXT = "spiegelhalter_z"
ASKED = [(TEXT,)]
DIGITS = 60


def excess_and_spread(study: Study) -> tuple[Fraction, Fraction]:
    """Σ (y - f)·(1 - 2f) and Σ f·(1 - f)·(1 - 2f)²."""
    A = V = Fraction(0)
    for owner in study.owners:
        for score, label in zip(owner.scores, owner.labels, strict=True):
            f = Fraction(float(score)) if study.direction == "higher" else 1 - Fraction(score)
            A += (int(label) - f) * (1 - 2 * f)
            V += f * (1 - f) * (1 - 2 * f) ** 2
    return A, V


def z_of(A: Fraction, V: Fraction, decimals: int) -> str:
    """Rounded half away from 0, which is where a root of 60 digits tells."""
    size = isqrt(int(A * A / V * 100**DIGITS))
    word = (2 * size * 10**decimals // 10**DIGITS + 1) // 2
    if word >= 10 ** (decimals + 2):
        return "at least 100" if A > 0 else "at most -100"
    whole, rest = divmod(word, 10**decimals)
    return f"{'-' * (A < 0 < word)}{whole}.{rest:0{decimals}d}"


def check_all(studies: list[Study]) -> int:
    compared = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        [told] = outcome.results.values()
        A, V = excess_and_spread(study)
        if not V:
            assert told == "undefined: all scores are 0, 1/2 or 1, to 40 decimals"
            continue
        [z, p] = (cell.partition(" ")[2] for cell in told.split(", "))
        assert z == z_of(A, V, study.options.decimals), study
        exact = erfc(abs(float(z.split()[-1])) / sqrt(2))
        if exact < 0.0001:
            assert p == "less than 0.0001"
        else:
            assert float(p) == pytest.approx(exact, rel=0.0006)
        compared += 1
    return compared


def test_drawn_studies_have_the_z_of_their_rows() -> None:
    assert check_all(one_of_each_size(drawn_studies, 94, ASKED, 12)) > 6


@pytest.mark.soak
def test_five_hundred_studies_have_the_z_of_their_rows() -> None:
    assert check_all(drawn_studies(500, 95, ASKED, 12)) > 350


@pytest.mark.parametrize(
    ("positives", "told"), [(573, "z 0.3, p 0.7642"), (579, "z -0.3, p 0.7642")]
)
def test_a_half_is_rounded_away_from_0(positives: int, told: str) -> None:
    """768 scores of 3/4 have a V of 6², and z = (576 - P)/12."""
    labels = [1] * positives + [0] * (768 - positives)
    study = Study((Owner([0.75] * 768, labels),), Options(metrics=(TEXT,), decimals=1))
    A, V = excess_and_spread(study)
    assert (36, Fraction(576 - positives, 12)) == (V, A / 6)
    assert run(study).results == {TEXT: told}


def test_lower_scores_are_the_probabilities_of_the_other_class() -> None:
    rng = np.random.default_rng(9)
    x, y = rng.integers(0, 65, 90) / 64, rng.integers(0, 2, 90)
    options = Options(metrics=(TEXT,), decimals=8)
    lower = run(Study((Owner(x, y),), options, "lower")).results
    assert lower == run(Study((Owner(1 - x, y),), options)).results


def test_scores_that_are_right_have_a_small_z_and_wrong_ones_a_large_one() -> None:
    rng = np.random.default_rng(12)
    f = rng.beta(2, 3, 20_000)
    y = (rng.random(f.size) < f).astype(int)
    options = Options(metrics=(TEXT,), decimals=3)
    right = run(Study(owners_of(f.tolist(), y.tolist(), [5000, 15_000]), options)).results[TEXT]
    assert abs(float(right.split(",")[0].split()[1])) < 2
    wrong = np.clip(1.5 * f - 0.25, 0, 1)
    told = run(Study(owners_of(wrong.tolist(), y.tolist(), [5000, 15_000]), options)).results[TEXT]
    assert float(told.split(",")[0].split()[1]) > 10
    assert told.endswith("p less than 0.0001")


def test_a_hundred_or_more_is_told_as_that() -> None:
    for labels, told in (([1, 1], "z at least 100"), ([0, 0], "z -0.0")):
        study = Study((Owner([1e-5, 1e-6], labels),), Options(metrics=(TEXT,), decimals=3))
        assert run(study).results[TEXT].startswith(told)


def test_excess_and_spread_are_rounded_once() -> None:
    rng = np.random.default_rng(18)
    for scores in (rng.random(300), rng.random(40) * 1e-6, np.array([5e-324, 1 - 2.0**-53])):
        y = rng.integers(0, 2, scores.size).astype(np.uint64)
        for direction in ("higher", "lower"):
            study = Study((Owner(scores, y),), Options(metrics=(TEXT,)), direction)
            A, V = excess_and_spread(study)
            parts, higher = np.zeros(scores.size, np.int64), direction == "higher"
            [excess] = sums_of(Sum.EXCESS, scores, y, parts, 1, higher)
            [spread] = sums_of(Sum.SPREAD, scores, y, parts, 1, higher)
            assert spread == V
            assert excess * 2**80 == round((A + Fraction(scores.size, 8)) * 2**80)


def test_the_largest_sums_are_exact() -> None:
    """2^31 - 1 samples, whose spread is as small as a word can say, or as large as it can be."""
    options = Options(metrics=(TEXT,), decimals=9)
    assert statistic(TEXT).fits(MOST_SAMPLES, 9)
    most = MOST_SAMPLES << HIGH_BITS
    for spread, told in (((0, 0, 1), "at least 100"), ((most >> 4, 0, 0), None)):
        words = [0, MOST_SAMPLES, most + (most >> 3), 0, 0, *spread]
        at = run_local(
            lambda party, own: evaluate(party, options, [own], sizes=[MOST_SAMPLES]),
            share(np.array(words, np.uint64)),
        )
        z = released(options, at).results[TEXT].split(",")[0].partition(" ")[2]
        A = Fraction(most + (most >> 3), 1 << HIGH_BITS) - Fraction(MOST_SAMPLES, 8)
        V = Fraction((spread[0] << 108) + spread[2], SCALE)
        assert z == z_of(A, V, 9)
        assert told is None or z == told


def test_it_takes_the_stated_hops_and_bytes() -> None:
    for decimals, hops in ((1, 8 + 10), (4, 8 + 15), (6, 8 + 20)):
        options = Options(metrics=(TEXT,), decimals=decimals)
        measured = run(Study((Owner([0.25, 0.7], [1, 0]),), options))
        predicted = phase_estimates(options, [2])
        assert predicted[-1].spent.hops == hops
        assert measured.hops == sum(one.spent.hops for one in predicted)
        assert measured.payload == sum(one.spent.payload for one in predicted)


def test_words_that_no_study_gives_are_refused() -> None:
    for word in (10**6 - 1, 3 * 10**6 + 1):
        with pytest.raises(RemoteProtocolError):
            statistic(TEXT).decode([word], 4)
