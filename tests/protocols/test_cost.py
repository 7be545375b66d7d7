"""The expected time follows the network by the hops and bytes of the whole computation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ppaurora.protocols.cost import expected_seconds, total_cost
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions

SIZES = [300, 200, 100]
# one program whatever the network: nothing to scan, and one sort
PLAIN = Options(metrics=("log_loss",), resolution="decimals:4")


def seconds(options: Options, round_trip_us: int, megabits: int) -> Fraction:
    """The expected time in such a network, to the nanosecond."""
    conditions = Conditions(round_trip_us, megabits)
    found = expected_seconds(replace(options, conditions=conditions), SIZES)
    return Fraction(round(found * 10**9), 10**9)


@pytest.mark.parametrize("options", [PLAIN, replace(PLAIN, assurance="covert")])
def test_each_hop_takes_half_a_round_trip(options: Options) -> None:
    hops = total_cost(options, SIZES).hops
    longer = seconds(options, 50_000, 1000) - seconds(options, 10_000, 1000)
    assert longer == hops * Fraction(40, 2 * 1000)


@pytest.mark.parametrize("options", [PLAIN, replace(PLAIN, assurance="covert")])
def test_each_byte_takes_its_eight_bits(options: Options) -> None:
    payload = total_cost(options, SIZES).payload
    longer = seconds(options, 10_000, 1) - seconds(options, 10_000, 2)
    assert longer == payload * Fraction(8, 2 * 10**6)


def test_auto_is_expected_to_take_the_time_of_the_sort_that_it_chooses() -> None:
    def time(merge: str, round_trip_us: int) -> float:
        options = Options(merge=merge, conditions=Conditions(round_trip_us))
        return expected_seconds(options, [1000] * 8)

    assert time("auto", 100) == time("network", 100) < time("shuffled", 100)
    assert time("auto", 100_000) < time("network", 100_000)
    assert time("shuffled", 100_000) < time("network", 100_000)
