"""The confidence interval of the AUROC by DeLong's error, against the outcomes of all pairs."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import pytest

from tests.protocols.statistics.examples import (
    EXAMPLES,
    Example,
    placement_variance,
    released,
    text_of,
)
from tests.protocols.studies import interval


@pytest.mark.parametrize("of", EXAMPLES)
def test_the_limits_lie_z_standard_errors_to_either_side(of: Example) -> None:
    area = float(of.area())
    half = NormalDist().inv_cdf(0.975) * sqrt(placement_variance(of.wins()))
    ends = (of.area(), max(area - half, 0.0), min(area + half, 1.0))
    assert released("auroc_ci:method=delong", of) == interval(*map(text_of, ends))


def test_one_class_has_no_interval() -> None:
    assert released("auroc_ci", Example((9, 4), (1, 1))).startswith("undefined: ")
