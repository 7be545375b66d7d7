"""The usual mechanism: its noise covers how far neighbours' rounded values are apart."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from ppaurora.protocols.release.mechanism import PublicScale


@pytest.mark.parametrize("sensitivity", ["1/3", "1/7", "0.05", "0.051", "1/1000"])
@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_rounded_values_of_neighbours_are_no_further_apart_than_the_noise_covers(
    sensitivity: str, decimals: int
) -> None:
    mechanism = PublicScale(Fraction(1), Fraction(sensitivity), 1, decimals)
    unit, covered = 10**decimals, mechanism.noise.sensitivity
    apart = 0
    for place in range(2 * unit):
        # values all of a fortieth of the last decimal apart, and as far as neighbours can be
        low = Fraction(place, 40 * unit)
        high = low + Fraction(sensitivity)
        rounded = [floor(unit * value + Fraction(1, 2)) for value in (low, high)]
        apart = max(apart, rounded[1] - rounded[0])
    assert apart <= covered
    assert covered - 1 < unit * Fraction(sensitivity)
