"""Statistics of one number with noise: their parameters and what they cost in privacy."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.registry import statistic

NAMES = ("auroc_dp", "average_precision_dp")


@pytest.mark.parametrize("name", NAMES)
def test_the_privacy_loss_is_the_epsilon_that_is_asked_for(name: str) -> None:
    for parameters in ("epsilon=0.5,least_class=20", "epsilon=0.5,mechanism=smooth,delta=0.001"):
        cost = statistic(f"{name}:{parameters}").privacy(4)
        assert cost is not None
        assert cost.epsilon == Fraction(1, 2)
        assert (cost.delta >= Fraction(1, 1000)) == ("smooth" in parameters)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ("epsilon=1", "without least_class"),
        ("epsilon=1,mechanism=smooth", "without delta"),
        ("epsilon=1,least_class=5,delta=0.01", "mechanism=floor and delta"),
        ("epsilon=1,least_class=5,mechanism=smooth,delta=0.01", "smooth and least_class"),
    ],
)
def test_each_mechanism_has_its_own_parameter(name: str, parameters: str, why: str) -> None:
    with pytest.raises(OptionRefused, match=why):
        statistic(f"{name}:{parameters}")
