"""How often the intervals of average precision cover the true area, and on what that depends.

[Thesis, section 4.4, Fig. 4.7]: two normal laws a standard deviation apart, a tenth of the samples
positive. The formulas take average precision for a share among P trials; they know neither of the
error of the precision nor of that of P.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.statistics.average_precision_ci import AveragePrecisionInterval

SAMPLES, SHARE = 1000, 0.1
TRUE = 0.292836
"""Of two normal laws a standard deviation apart, as docs/PAPERS.md has it."""
DECIMALS = 6
METHODS = ("binomial", "logit")


def drawn(rng: np.random.Generator, positives: int) -> Pooled:
    """Scores of the binormal law with so many positives, as a pooled list without ties."""
    labels = (np.arange(SAMPLES) < positives).astype(np.int64)
    order = np.argsort(-(rng.normal(size=SAMPLES) + labels), kind="stable")
    codes = np.empty(SAMPLES, np.int64)
    codes[order] = np.arange(SAMPLES)[::-1]
    return Pooled.of([(2 * codes + labels).astype(np.uint64)])


def coverage(rng: np.random.Generator, positives: Sequence[int]) -> dict[str, float]:
    """The share of intervals at 95% that have the true area in them."""
    covered = dict.fromkeys(METHODS, 0)
    true = Fraction(TRUE)
    for P in positives:
        data = drawn(rng, P)
        for method in METHODS:
            one = AveragePrecisionInterval(method=method)
            _, lower, upper = one.in_clear(data, DECIMALS)
            covered[method] += lower <= true * 10**DECIMALS <= upper
    return {method: count / len(positives) for method, count in covered.items()}


def fixed_and_drawn(seed: int, count: int) -> tuple[dict[str, float], dict[str, float]]:
    """With exactly a tenth of positives, and with each sample's class drawn by itself."""
    rng = np.random.default_rng(seed)
    fixed = coverage(rng, [round(SAMPLES * SHARE)] * count)
    return fixed, coverage(rng, rng.binomial(SAMPLES, SHARE, count).tolist())


def test_intervals_cover_the_true_area_about_as_often_as_they_say() -> None:
    for found in fixed_and_drawn(1, 30):
        for method in METHODS:
            assert 0.8 <= found[method] <= 1


@pytest.mark.soak
def test_coverage_is_above_its_level_with_a_fixed_share_of_positives() -> None:
    fixed, by_chance = fixed_and_drawn(2, 4000)
    print(f"a fixed share: {fixed}, a drawn share: {by_chance}")
    # twice the standard error of a share near .97 is .0055, near .95 it is .0069
    for method in METHODS:
        assert 0.96 <= fixed[method] <= 0.98
        assert 0.945 <= by_chance[method] <= 0.965
        assert by_chance[method] < fixed[method]
