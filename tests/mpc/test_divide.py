"""Division: exact digits in any base, rounded half up; what cannot be held is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import divide, largest_denominator, undefined, whole_quotient
from ppaurora.mpc.primitives.digit_steps import FEW, USUAL_RADIX, digit_steps, radix_beside
from ppaurora.mpc.shares import share
from tests.mpc.cases import quotient

BASES = [2, 3, 10, 16]
DIGITS = [1, 2, 4, 9]
WIDEST = {10: (2**63 - 1) // 201, 3: (2**63 - 1) // 163}
"""The largest D for which several digits are found at once, where there is more than one step."""


def divided(
    N: list[int],
    D: list[int],
    digits: int,
    base: int,
    bound: int | None = None,
    widest: int = USUAL_RADIX,
) -> list[int]:
    def program(party: Party, N: Shared, D: Shared) -> Shared:
        most = largest_denominator(base) if bound is None else bound
        return divide(party, N, D, digits=digits, bound=most, base=base, widest=widest)

    return [int(q) for q in open_locally(run_local(program, share(N), share(D)))]


def expected(N: list[int], D: list[int], digits: int, base: int) -> list[int]:
    return [quotient(n, d, digits, base) for n, d in zip(N, D, strict=True)]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", range(1, 10))
def test_edges_of_numerator_and_denominator(base: int, digits: int) -> None:
    most = largest_denominator(base)
    pairs = [(0, 0)]
    for D in {1, 2, 3, 7, base, base**3, 2 * base**digits, 2**20 - 1, most - 1, most}:
        # the ends; ties and both their neighbours
        half = (2 * (base**digits // 2) + 1) * D // (2 * base**digits)
        numerators = {0, 1, D // 3, D // 2, half - 1, half, half + 1, D - 1, D}
        pairs += [(N, D) for N in numerators if 0 <= N <= D <= most]
    N, D = map(list, zip(*pairs, strict=True))
    assert divided(N, D, digits, base) == expected(N, D, digits, base)


@pytest.mark.parametrize("base", BASES)
def test_every_small_fraction(base: int) -> None:
    N, D = map(list, zip(*((n, d) for d in range(1, 41) for n in range(d + 1)), strict=True))
    for digits in (1, 3):
        assert divided(N, D, digits, base) == expected(N, D, digits, base)


@pytest.mark.parametrize("digits", DIGITS)
def test_ties_are_rounded_up(digits: int) -> None:
    D = 2 * 10**digits
    N = [1, 3, 5, D // 2 + 1, D - 1]
    assert divided(N, [D] * 5, digits, 10) == [(n + 1) // 2 for n in N]


@pytest.mark.parametrize("digits", range(1, 10))
@pytest.mark.parametrize("base", WIDEST)
def test_digits_found_at_once_are_exact_up_to_their_bound_and_beyond(
    base: int, digits: int
) -> None:
    most = WIDEST[base]
    for bound in (most, most + 1):
        pairs = [(0, 0), (0, bound), (bound, bound), (bound - 1, bound)]
        for D in {2 * base**digits, 7, bound - 1}:
            half = (2 * (base**digits // 2) + 1) * D // (2 * base**digits)
            pairs += [(N, D) for N in {half - 1, half, half + 1, D // 3} if 0 <= N <= D]
        N, D = map(list, zip(*pairs, strict=True))
        assert divided(N, D, digits, base, bound) == expected(N, D, digits, base)


@pytest.mark.parametrize(
    ("digits", "bound", "hops"),
    [
        (4, WIDEST[10], 8),
        (5, WIDEST[10], 12),
        (4, WIDEST[10] + 1, 16),
        # the only step compares as many multiples as tell 1 from `undefined`
        (2, (2**63 - 1) // 219, 4),
        (2, (2**63 - 1) // 219 + 1, 8),
    ],
)
def test_two_decimals_take_the_hops_of_one_where_the_bound_holds_them(
    digits: int, bound: int, hops: int
) -> None:
    cost = divide.cost(digits=digits, bound=bound)
    assert cost.hops(1) == cost.hops(FEW) == hops
    assert cost.hops(FEW + 1) == 4 * digits
    assert cost.payload(FEW) > cost.payload(FEW + 1) or hops == 4 * digits


@pytest.mark.parametrize(
    ("digits", "steps"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (8, 2), (9, 3)]
)
def test_beside_many_comparisons_up_to_four_decimals_are_found_at_once(
    digits: int, steps: int
) -> None:
    widest = radix_beside(8000)
    # the largest that a step of four decimals holds, and one that it does not
    most = (2**63 - 1) // 20_001
    pairs = [(0, 0), (0, most), (most, most), (most - 1, most), (1, 3)]
    half = (2 * (10**digits // 2) + 1) * most // (2 * 10**digits)
    pairs += [(half + more, most) for more in (-1, 0, 1)]
    N, D = map(list, zip(*pairs, strict=True))
    for bound in (most, most + 1):
        assert divided(N, D, digits, 10, bound, widest) == expected(N, D, digits, 10)
    assert divide.cost(digits=digits, bound=10**8, widest=widest).hops(1) == 4 * steps
    assert divide.cost(digits=4, widest=widest).hops(FEW + 1) == 16


def test_of_steps_that_take_the_same_hops_the_narrowest_are_chosen() -> None:
    for digits, radices in ((5, [100, 1000]), (6, [1000, 1000]), (3, [1000]), (2, [100])):
        steps = digit_steps(digits, 10, 1, lambda _: True, widest=10_000)
        assert [step.radix for step in steps] == radices


@given(st.integers(2, 120), st.integers(1, 20))
def test_undefined_is_the_same_for_steps_of_every_width(base: int, digits: int) -> None:
    for widest in range(1, 101):
        steps = digit_steps(digits, base, 1, lambda s, w=widest: s[-1].radix <= w)
        value = 0
        for step in steps:
            assert step.count >= step.radix - 1 + step.last
            value = value * step.radix + step.count
        assert value == undefined(digits, base)
        assert [step.last for step in steps] == [False] * (len(steps) - 1) + [True]


@pytest.mark.parametrize("digits", [2, 4])
def test_a_whole_quotient_is_exact_at_both_ends_of_what_two_decimals_at_once_hold(
    digits: int,
) -> None:
    one = 10**digits
    # the largest multiple of the first step: 110 hundredths, or 109 where steps follow
    first = {2: 110, 4: 109 * 100}[digits]
    most = (2**63 - 1) // max(first, one + 1)
    for bound in (most, most + 1):
        N = [0, bound * one + bound - 1, bound * one, bound - 1, 3 * bound + 1, 0]
        D = [0, bound, bound, bound, bound, bound]

        def program(party: Party, N: Shared, D: Shared, bound: int = bound) -> tuple[Shared, int]:
            quotient = whole_quotient(party, N, D, digits=digits, bound=bound)
            return quotient, party.hops

        at = run_local(program, share(N), share(D))
        got = open_locally([one for one, _ in at]).tolist()
        assert got == [undefined(digits), one, one, 0, 3, 0]
        cost = whole_quotient.cost(digits=digits, bound=bound)
        assert max(hops for _, hops in at) == cost.hops(6)


@settings(max_examples=40)
@given(
    st.sampled_from(BASES),
    st.sampled_from(DIGITS),
    st.lists(st.tuples(st.integers(0), st.integers(0)), min_size=1, max_size=20),
)
def test_any_fraction(base: int, digits: int, pairs: list[tuple[int, int]]) -> None:
    D = [d % (largest_denominator(base) + 1) for _, d in pairs]
    N = [n % (d + 1) for (n, _), d in zip(pairs, D, strict=True)]
    assert divided(N, D, digits, base) == expected(N, D, digits, base)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", DIGITS)
def test_undefined_is_no_quotient(base: int, digits: int) -> None:
    assert divided([0, 1], [0, 1], digits, base) == [undefined(digits, base), base**digits]
    assert undefined(digits, base) > base**digits


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", DIGITS)
def test_a_numerator_may_exceed_by_a_declared_error(base: int, digits: int) -> None:
    D = [10**9, 2**40 + 1, largest_denominator(base) - 10**9]
    N = [d + (d - 1) // (2 * base) for d in D]
    assert all(2 * base * (n - d) < d for n, d in zip(N, D, strict=True))
    got = divided(N, D, digits, base)
    assert got == expected(N, D, digits, base)
    assert max(got) < undefined(digits, base)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", [1, 4])
def test_a_small_numerator_over_nothing_is_undefined(base: int, digits: int) -> None:
    N = [0, 1, 5, (2**62 - 1) // base**digits]
    assert divided(N, [0] * 4, digits, base) == [undefined(digits, base)] * 4


@pytest.mark.parametrize("base", BASES)
def test_a_bound_beyond_the_arithmetic_is_refused_at_every_role(base: int) -> None:
    refused = []

    def program(party: Party, N: Shared, D: Shared) -> None:
        with pytest.raises(BoundExceeded, match=str(largest_denominator(base))):
            divide(party, N, D, digits=4, bound=largest_denominator(base) + 1, base=base)
        refused.append(party.role)

    run_local(program, share([1]), share([2]))
    assert len(refused) == 3


@pytest.mark.parametrize(("digits", "base"), [(0, 10), (-1, 10), (4, 1), (4, 0)])
def test_digits_and_base_must_make_sense(digits: int, base: int) -> None:
    with pytest.raises(ValueError, match="digits in base"):
        divided([1], [2], digits, base, bound=2)


def test_the_largest_denominator_keeps_every_difference_below_2_63() -> None:
    for base in BASES:
        # N = D at the last digit: 2·base·D + D, and the same below zero for the largest multiple
        assert (2 * base + 1) * largest_denominator(base) < 2**63
        assert (2 * base + 1) * (largest_denominator(base) + 1) >= 2**63


def test_a_vector_is_divided_element_by_element() -> None:
    D = np.arange(1, 200)
    N = D // 3
    assert divided(N.tolist(), D.tolist(), 4, 10) == expected(N.tolist(), D.tolist(), 4, 10)
