"""DeLong's standard error of the AUROC, against the outcomes of all pairs."""

from __future__ import annotations

from math import sqrt

import pytest

from tests.protocols.statistics.examples import (
    EXAMPLES,
    Example,
    placement_variance,
    released,
    text_of,
)


@pytest.mark.parametrize("of", EXAMPLES)
def test_the_error_is_the_root_of_the_variance_of_placements(of: Example) -> None:
    assert released("auroc_se", of) == text_of(sqrt(placement_variance(of.wins())))
