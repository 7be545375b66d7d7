"""The test whether the AUROC is above a number, against the outcomes of all pairs."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, placement_variance, released


@pytest.mark.parametrize("than", ["0.25", "0.5", "0.95"])
@pytest.mark.parametrize("of", EXAMPLES)
def test_it_rejects_if_the_area_is_more_than_z_errors_above(of: Example, than: str) -> None:
    z = NormalDist().inv_cdf(0.95)
    above = float(of.area()) - float(than) > z * sqrt(placement_variance(of.wins()))
    assert released(f"auroc_above:than={than}", of) == ("rejected" if above else "not rejected")
