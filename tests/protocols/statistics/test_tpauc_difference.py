"""The comparison by bootstrap, against the paper's equations over every replicate's samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pipelines.test_counted_pairs import WORDS, parts_of
from tests.protocols.statistics.drawn_pairs import drawn_pairs
from tests.protocols.statistics.test_delong import Z
from tests.protocols.statistics.test_tpauc import region
from tests.protocols.studies import Owner, Study, run, run_all, upload_of

HALF = "tpauc_difference:min_tpr=0.5,max_fpr=0.5,replicates=20,bins=8"
WIDE = "tpauc_difference:min_tpr=0.2,max_fpr=0.9,level=0.9,replicates=21,strata=class,bins=8"
VARYING = "tpauc_difference:min_tpr=0.3,max_fpr=0.6,level=0.5,replicates=20,strata=none,bins=4"
ASKED = {HALF: ("0.5", "0.5", "0.95"), WIDE: ("0.2", "0.9", "0.9"), VARYING: ("0.3", "0.6", "0.5")}
TURNS = [(text,) for text in ASKED]
UNDEFINED = "undefined: a class is missing, in the lists or in a replicate"
DIGITS = 40


def area(positives: np.ndarray, negatives: np.ndarray, b: str, u: str) -> Fraction | None:
    """The two-way partial area of so many samples of each part, the highest part first."""
    P, N = int(positives.sum()), int(negatives.sum())
    if not P * N:
        return None
    corners = [(0, 0), *zip(negatives.cumsum().tolist(), positives.cumsum().tolist(), strict=True)]
    points = [(Fraction(fp, N), Fraction(tp, P)) for fp, tp in corners]
    return region(points, Fraction(b), Fraction(u))


def decimals_of(value: Fraction, decimals: int) -> str:
    word = (2 * value * 10**decimals + 1) // 2
    size = abs(word)
    return f"{'-' * (word < 0)}{size // 10**decimals}.{size % 10**decimals:0{decimals}d}"


def expected(study: Study) -> str:
    """Eq. 33 to 35, and Eq. 34 without its second division by the number of samples."""
    [text] = study.options.metrics
    b, u, level = ASKED[text]
    words = sum(upload_of(owner, study.options).astype(np.int64) for owner in study.owners)
    # rows, scores, classes, parts
    rows = np.array(words).reshape(-1, 2, 2, int(text.rpartition("bins=")[2]))
    pairs = [[area(p, n, b, u) for p, n in row] for row in rows]
    Δ = [first - second for first, second in pairs if first is not None and second is not None]
    if len(Δ) < len(pairs):
        return UNDEFINED
    value, *drawn = Δ
    B = len(drawn)
    mean = sum(drawn, Fraction(0)) / B
    squared = sum(((one - mean) ** 2 for one in drawn), Fraction(0)) / B
    v = Fraction(isqrt(int(squared * 100**DIGITS)), 10**DIGITS)
    low, high = max(value - Z[level] * v, Fraction(-1)), min(value + Z[level] * v, Fraction(1))
    d = study.options.decimals
    lower, upper = decimals_of(low, d), decimals_of(high, d)
    z = (value / v if v else Fraction(0 if not value else 100 if value > 0 else -100)) * 1000
    size = (2 * abs(z) + 1) // 2
    sign = "-" if z < 0 and size else ""
    of_z = f"{sign}{size // 1000}.{size % 1000:03d}"
    if size >= 100_000:
        of_z = "at least 100" if z > 0 else "at most -100"
    width = ", no width" if lower == upper else ""
    return f"{decimals_of(value, d)} ({lower} to {upper}{width}), z {of_z}"


def check_all(studies: list[Study]) -> int:
    defined = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        [told] = outcome.results.values()
        wanted = expected(study)
        assert told.split(", p ")[0] == wanted, study
        defined += wanted != UNDEFINED
    return defined


def studies(count: int, seed: int) -> list[Study]:
    found = drawn_pairs(count, seed, [("auroc_difference",)], 8)
    return [
        Study(
            tuple(replace(one, scores=within(one.scores), against=within(one.against or []))
                  for one in study.owners),
            Options(metrics=TURNS[place % 3], decimals=study.options.decimals),
            "higher" if place % 2 else "lower",
        )
        for place, study in enumerate(found)
    ]  # fmt: skip


def within(scores: Sequence[float]) -> list[float]:
    return np.clip(scores, 0, 1).tolist()


def test_drawn_studies_have_the_values_of_the_papers_equations() -> None:
    assert check_all(studies(9, 1)) > 2


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 7))
def test_a_hundred_studies_have_the_values_of_the_papers_equations(seed: int) -> None:
    assert check_all(studies(100, seed)) > 20


def test_equal_scores_differ_by_nothing() -> None:
    rng = np.random.default_rng(1)
    scores, labels = rng.random(40), rng.integers(0, 2, 40)
    study = Study((Owner(scores, labels, scores),), Options(metrics=(HALF,)))
    [told] = run(study).results.values()
    assert told.startswith("0.0000 (0.0000 to 0.0000, no width), z 0.000")


def test_a_better_score_is_told_apart() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 400)
    good, poor = (np.clip(rng.normal(0.3 + by * labels, 0.15), 0, 1) for by in (0.3, 0.1))
    study = Study((Owner(good, labels, poor),), Options(metrics=(HALF,)))
    [told] = run(study).results.values()
    assert float(told.split("z ")[1].split(",")[0]) > 3


def test_more_decimals_than_the_root_holds_are_refused_beforehand() -> None:
    one = statistic(HALF)
    assert one.fits(100_000, 9)
    assert not one.fits(100_000, 15)
    with pytest.raises(OptionRefused, match="no ends"):
        Options(metrics=(HALF,), range=("any",))


def test_the_words_of_an_upload_are_those_that_the_test_of_the_pipeline_reads() -> None:
    assert parts_of(HALF) * 4 * 21 == WORDS
