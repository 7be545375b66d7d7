"""The bootstrap in private against all pairs of every replicate, and its place in a study."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.auroc_bootstrap import MOST_BOOTSTRAPPED
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, interval, run, run_all, upload_of

FEW, MANY = "auroc_bootstrap:replicates=20,level=0.7,bins=4", "auroc_bootstrap:replicates=40,bins=8"
EIGHTHS = 8
"""The cells that an upload counts in: those of the finer one."""
UNDEFINED = "undefined: a class is missing, in the lists or in a replicate"


def area(counts: np.ndarray, decimals: int) -> str | None:
    """The AUROC of a list with so many samples of each class and part, the highest part first."""
    places = np.arange(counts.shape[1], 0, -1)
    scores = np.concatenate([np.repeat(places, of_class) for of_class in counts])
    labels = np.repeat([1, 0], counts.sum(axis=1))
    value = pooled.auroc(scores.tolist(), labels.tolist())
    return None if value is None else pooled.rounded(value, decimals)


def expected(study: Study, text: str, start: int, replicates: int, level: str, bins: int) -> str:
    """By the words of the uploads: counts of all cells, then of each replicate."""
    words = sum(upload_of(owner, study.options).astype(np.int64) for owner in study.owners)
    parts, decimals = bins, study.options.decimals
    own = np.array(words[: 2 * EIGHTHS]).reshape(2, parts, -1).sum(axis=2)
    drawn = np.array(words[start : start + 2 * parts * replicates]).reshape(-1, 2, parts)
    value, *found = [area(one, decimals) for one in (own, *drawn)]
    if value is None or None in found:
        return UNDEFINED
    tail = (1 - Fraction(level)) / 2
    ordered = sorted(str(one) for one in found)
    low, high = (ordered[ceil(replicates * share) - 1] for share in (tail, 1 - tail))
    return interval(value, low, high)


def check_all(studies: list[Study]) -> int:
    defined = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        # the Brier score's three words stand between the counts and the replicates
        start = 2 * EIGHTHS + 3
        wanted = {
            FEW: expected(study, FEW, start, 20, "0.7", 4),
            MANY: expected(study, MANY, start + 40 * 4, 40, "0.95", 8),
        }
        assert {text: outcome.results[text] for text in wanted} == wanted
        defined += sum(told != UNDEFINED for told in wanted.values())
    return defined


ASKED = (FEW, "brier", MANY)


def test_drawn_studies_have_the_order_statistics_of_their_replicates() -> None:
    assert check_all(drawn_studies(10, 111, [ASKED], 6)) > 3


@pytest.mark.soak
def test_five_hundred_studies_have_the_order_statistics_of_their_replicates() -> None:
    assert check_all(drawn_studies(500, 112, [ASKED], 8)) > 250


def test_the_limits_are_about_as_wide_as_delongs() -> None:
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 900)
    owner = Owner(np.clip(rng.normal(0.4 + 0.15 * labels, 0.2), 0, 1), labels)
    texts = "auroc_bootstrap:replicates=400", "auroc_ci"
    results = run(
        Study((owner,), Options(metrics=texts, decimals=6, resolution="bins:128"))
    ).results
    limits = [
        [float(one) for one in results[text].split("(")[1].rstrip(")").split(" to ")]
        for text in texts
    ]
    (low, high), (delong_low, delong_high) = limits
    assert high - low == pytest.approx(delong_high - delong_low, rel=0.2)
    assert results[texts[0]].split()[0] == results[texts[1]].split()[0]


def test_more_samples_than_it_holds_are_refused_beforehand() -> None:
    one = statistic("auroc_bootstrap")
    assert one.fits(MOST_BOOTSTRAPPED, 15)
    assert not one.fits(MOST_BOOTSTRAPPED + 1, 1)
