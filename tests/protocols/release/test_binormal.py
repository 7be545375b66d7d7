"""The binormal area against an integral over the recall, and the thesis's true area."""

from itertools import pairwise

import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ppaurora.protocols.release.binormal import aupr_binormal


def test_the_thesiss_binormal_case_has_its_true_area() -> None:
    assert aupr_binormal(1, 1, 0.1) == pytest.approx(0.292836, abs=5e-7)


@pytest.mark.parametrize("b", [0.25, 0.5, 1, 4, 30])
@pytest.mark.parametrize("a", [-1, 0, 0.5, 3])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.95])
def test_the_area_is_the_integral_over_the_thresholds(a: float, b: float, share: float) -> None:
    def precision(c: float) -> float:
        found, wrong = share * norm.sf(c, a, b), (1 - share) * norm.sf(c)
        return float(found / (found + wrong) * norm.pdf(c, a, b))

    low, high = a - 12 * b, a + 12 * b
    parts = [low, a - 3 * b, a, a + 3 * b, high]
    area = sum(quad(precision, *ends, limit=400, epsabs=1e-13)[0] for ends in pairwise(parts))
    assert aupr_binormal(a, b, share) == pytest.approx(area, abs=1e-10)


def test_guessing_reaches_the_share_of_positives() -> None:
    assert aupr_binormal(0, 1, 0.3) == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("b", "share"), [(0, 0.5), (1, 0), (1, 1)])
def test_laws_without_a_width_and_shares_without_a_class_are_refused(
    b: float, share: float
) -> None:
    with pytest.raises(ValueError, match="b above 0"):
        aupr_binormal(1, b, share)
