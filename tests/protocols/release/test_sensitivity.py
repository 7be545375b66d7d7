"""The sensitivity of the two areas: by enumeration, and against what the thesis prints."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, exp, log

import pytest

from ppaurora.protocols.release.noise import exponential
from ppaurora.protocols.release.sensitivity import (
    UNIT,
    of_auroc,
    of_average_precision,
    of_average_precision_as_printed,
    shrunk_average_precision,
    smoothed,
)
from ppaurora.protocols.statistics.noisy_number import NoisyNumber
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.neighbours import largest_changes

AUROC = "auroc_dp:epsilon=1,least_class=1"
AVERAGE_PRECISION = "average_precision_dp:epsilon=1,least_class=1"


def noisy(text: str) -> NoisyNumber:
    one = statistic(text)
    assert isinstance(one, NoisyNumber)
    return one


def harmonic(n: int) -> Fraction:
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def check_auroc(n: int) -> None:
    """1/min(P, N), or 1, is never exceeded, and attained."""
    most = largest_changes(n, lambda data: noisy(AUROC).exact(data, 1))
    for P, change in most.items():
        smaller = min(P, n - P)
        bound = Fraction(1, max(1, smaller))
        # where a class is missing the value is 1/2, half of what it may be with one sample of it
        assert change == (bound if smaller else Fraction(1, 2))
        assert of_auroc(n)[P] == ceil(bound * UNIT)


def check_average_precision(n: int) -> None:
    """The table is never exceeded; from four positives on it is attained, exactly."""
    most = largest_changes(n, lambda data: noisy(AVERAGE_PRECISION).exact(data, 1))
    for P, change in most.items():
        entry = of_average_precision(n)[P]
        assert change * UNIT <= entry <= of_average_precision_as_printed(n)[P]
        if P >= 4:
            assert change == (harmonic(P) - 1) / (P - 1)
            assert entry - change * UNIT <= P + 1
        if P <= 1:
            assert change == 1


def check_shrunk(n: int) -> None:
    """3/(2b) of the AUROC and H_b/b of the average precision are never exceeded."""
    for b in range(1, n + 1):
        auroc = max(largest_changes(n, lambda data, b=b: noisy(AUROC).exact(data, b)).values())
        assert auroc <= Fraction(3, 2 * b) == noisy(AUROC).public_sensitivity(b)
        area = largest_changes(n, lambda data, b=b: noisy(AVERAGE_PRECISION).exact(data, b))
        assert max(area.values()) == harmonic(b) / b
        assert 0 <= Fraction(shrunk_average_precision(b), UNIT) - harmonic(b) / b < 2e-19 * b


def test_tables_are_rounded_up_and_by_no_more_than_their_terms() -> None:
    """A unit of 2^-64 for each term of a harmonic number, shared out over them, and one more."""
    H = Fraction(1)
    table = of_average_precision(400)
    for P in range(2, 401):
        H += Fraction(1, P)
        assert 0 <= Fraction(shrunk_average_precision(P), UNIT) - H / P <= Fraction(2, UNIT)
        if P >= 4:
            assert 0 <= Fraction(table[P], UNIT) - (H - 1) / (P - 1) <= Fraction(3, UNIT)
    assert all(
        0 <= Fraction(entry, UNIT) - Fraction(1, max(1, min(P, 400 - P))) < Fraction(1, UNIT)
        for P, entry in enumerate(of_auroc(400))
    )


@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_neighbours_of_few_samples_differ_by_more_than_the_bounds(n: int) -> None:
    """Every labelling and every order of the scores, ties included."""
    check_auroc(n)
    check_average_precision(n)
    if n < 4:
        check_shrunk(n)


@pytest.mark.soak
@pytest.mark.parametrize("n", [5, 6])
def test_no_neighbours_of_up_to_six_samples_differ_by_more_than_the_bounds(n: int) -> None:
    check_auroc(n)
    check_average_precision(n)
    check_shrunk(n)


@pytest.mark.soak
def test_no_neighbours_of_seven_samples_undercut_the_sharp_bound() -> None:
    check_average_precision(7)


def test_the_printed_bound_is_that_of_the_thesis() -> None:
    table = of_average_precision_as_printed(1000)
    assert table[:6] == [UNIT] * 6
    for P in (6, 10, 100, 1000):
        step = log(P + 1) / P
        first, second = (9 + log(P - 1)) / (4 * (P - 1)), (9 + log(P)) / (4 * P)
        assert table[P] / UNIT == pytest.approx(max(step, first) + max(step, second), rel=1e-11)
    assert all(one >= other for one, other in zip(table, of_average_precision(1000), strict=True))


@pytest.mark.parametrize("β", ["0.04", "0.5", "2"])
@pytest.mark.parametrize("n", [2, 9, 40])
def test_the_smooth_sensitivity_of_the_auroc_has_the_closed_form_of_equation_5_15(
    β: str, n: int
) -> None:
    power = Fraction(β)
    decay = int(exponential(-power) * UNIT) + 1
    table = smoothed(of_auroc(n), decay)
    for P, entry in enumerate(table):
        x, b = min(P, n - P), float(power)
        closed = 1.0 if x <= 1 else max(1 / x, exp(-b * (x - 1)), exp(-b * (x - 2)) / 2)
        assert entry / UNIT == pytest.approx(closed, rel=1e-12)
        printed = max(of_auroc(n)[i] / UNIT * exp(-b * abs(i - P)) for i in range(n + 1))
        assert entry / UNIT == pytest.approx(printed, rel=1e-12)


def test_neighbouring_entries_of_a_smoothed_table_differ_by_no_more_than_the_factor() -> None:
    decay = int(exponential(Fraction(-1, 25)) * UNIT) + 1
    for local in (of_auroc, of_average_precision, of_average_precision_as_printed):
        table = smoothed(local(300), decay)
        assert all(a >= b for a, b in zip(table, local(300), strict=True))
        for one, other in pairwise(table):
            assert one * UNIT >= other * decay
            assert other * UNIT >= one * decay


def test_the_thesis_numbers_at_a_thousand_samples_of_each_class() -> None:
    """With β = ε/6 as for Cauchy's noise, at ε = 1."""
    decay = int(exponential(Fraction(-1, 6)) * UNIT) + 1
    tables = (of_auroc, of_average_precision_as_printed, of_average_precision)
    found = [smoothed(table(2000), decay)[1000] / UNIT for table in tables]
    assert [round(one, 7) for one in found] == [0.001, 0.0138175, 0.0064920]
