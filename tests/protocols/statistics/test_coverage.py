"""Coverage of the intervals of average precision, and on what that depends.

[Thesis, section 4.4, Fig. 4.7]: two normal laws a standard deviation apart, a tenth of the samples
positive. The formulas take average precision for a share among P trials; they know neither of the
error of the precision nor of that of P. The simulation is that of `ppaurora bench papers`.
"""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.papers.experiment import Cell
from ppaurora.bench.papers.experiments.thesis_coverage import Coverage
from ppaurora.protocols.statistics.average_precision_ci import METHODS


def coverage(rng: np.random.Generator, positives: str, count: int) -> dict[str, float]:
    """The share of intervals at 95% around average precision that have the true area in them."""
    cell = Cell(Coverage.name, Coverage.axes, ("binormal", 1000, positives), count, part=1)
    found = Coverage().compute(cell, rng)
    return {method: found[f"average precision, {method}: covered"].mean for method in METHODS}


def fixed_and_drawn(seed: int, count: int) -> tuple[dict[str, float], dict[str, float]]:
    """With exactly a tenth of positives, and with each sample's class drawn by itself."""
    rng = np.random.default_rng(seed)
    return coverage(rng, "a tenth", count), coverage(rng, "each drawn", count)


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
