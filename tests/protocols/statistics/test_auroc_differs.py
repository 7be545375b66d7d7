"""The test of the equality of two AUROCs, against the outcomes of all pairs."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import pytest

from tests.protocols.statistics.examples import TIED, placement_variance
from tests.protocols.statistics.test_auroc_difference import SECOND, gains, released_of_pairs


@pytest.mark.parametrize("alpha", ["0.05", "0.5", "0.9"])
def test_it_rejects_if_the_difference_is_more_than_z_errors(alpha: str) -> None:
    z = NormalDist().inv_cdf(1 - float(alpha) / 2)
    error = sqrt(placement_variance(gains(TIED, SECOND)))
    differs = abs(TIED.area() - SECOND.area()) > z * error
    expected = "rejected" if differs else "not rejected"
    assert released_of_pairs(f"auroc_differs:alpha={alpha}", TIED, SECOND) == expected
