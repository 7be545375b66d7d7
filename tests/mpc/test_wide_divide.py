"""Wide quotients and roots: exact digits in any base; what is too large is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, WideShared
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import (
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
    wide_divide,
    wide_divide_to_wide,
    wide_root,
    wide_root_to_wide,
)
from ppaurora.mpc.wide_shares import reconstruct_wide, share_wide
from tests.mpc.cases import quotient
from tests.mpc.wide_cases import root

BASES = [2, 3, 10, 16, 100]
DIGITS = [1, 2, 4]


def largest_quotient_denominator(digits: int, base: int) -> int:
    return largest_wide_denominator(base)


KINDS = pytest.mark.parametrize(
    ("primitive", "plain", "largest"),
    [
        (wide_divide_to_wide, quotient, largest_quotient_denominator),
        (wide_root_to_wide, root, largest_root_denominator),
    ],
    ids=["divide", "root"],
)
Primitive = Callable[..., WideShared]
Plain = Callable[[int, int, int, int], int]
Largest = Callable[[int, int], int]


def computed(
    primitive: Primitive, N: list[int], D: list[int], digits: int, base: int, bound: int
) -> list[int]:
    def program(party: Party, N: WideShared, D: WideShared) -> WideShared:
        return primitive(party, N, D, digits=digits, bound=bound, base=base)

    p0, p1, _ = run_local(program, share_wide(N), share_wide(D))
    return reconstruct_wide(p0.words, p1.words)


@KINDS
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", DIGITS)
def test_edges_of_numerator_and_denominator(
    primitive: Primitive, plain: Plain, largest: Largest, base: int, digits: int
) -> None:
    most = largest(digits, base)
    N, D = [0], [0]
    for d in {1, 2, 3, 4, base, 4 * base ** (2 * digits), 2**64 - 1, 2**128, most - 1, most}:
        # the ends; ties of quotients and of roots, and both their neighbours
        half = (2 * (base**digits // 2) + 1) * d // (2 * base**digits)
        square = (base**digits // 2 * 2 + 1) ** 2 * d // (4 * base ** (2 * digits))
        for n in {
            0,
            1,
            d // 3,
            d - 1,
            d,
            *(tie + off for tie in (half, square) for off in (-1, 0, 1)),
        }:
            if 0 <= n <= d <= most:
                N.append(n)
                D.append(d)
    expected = [plain(n, d, digits, base) for n, d in zip(N, D, strict=True)]
    assert computed(primitive, N, D, digits, base, most) == expected


@KINDS
@pytest.mark.parametrize("base", [2, 10])
def test_every_small_fraction(
    primitive: Primitive, plain: Plain, largest: Largest, base: int
) -> None:
    N, D = map(list, zip(*((n, d) for d in range(1, 31) for n in range(d + 1)), strict=True))
    for digits in (1, 3):
        expected = [plain(n, d, digits, base) for n, d in zip(N, D, strict=True)]
        assert computed(primitive, N, D, digits, base, 30) == expected


@KINDS
@pytest.mark.parametrize("digits", [1, 2, 3, 6])
def test_digits_found_at_once_are_exact_up_to_their_bound_and_beyond(
    primitive: Primitive, plain: Plain, largest: Largest, digits: int
) -> None:
    cost = primitive.cost  # type: ignore[attr-defined]
    low, high = 1, largest(digits, 10)
    while low < high:
        middle = (low + high + 1) // 2
        wide = cost(digits=digits, bound=middle).hops(1) < 5 * digits
        low, high = (middle, high) if wide else (low, middle - 1)
    for bound in (low, low + 1):
        D = [0, bound, bound, bound, bound, bound - 1]
        N = [0, 0, bound, bound - 1, bound // 3, bound // 2]
        expected = [plain(n, d, digits, 10) for n, d in zip(N, D, strict=True)]
        assert computed(primitive, N, D, digits, 10, bound) == expected


@KINDS
@settings(max_examples=30)
@given(
    base=st.sampled_from(BASES),
    digits=st.sampled_from([1, 2, 7]),
    pairs=st.lists(st.tuples(st.integers(0), st.integers(0)), min_size=1, max_size=10),
    bits=st.integers(1, 255),
)
def test_any_fraction(
    primitive: Primitive,
    plain: Plain,
    largest: Largest,
    base: int,
    digits: int,
    pairs: list[tuple[int, int]],
    bits: int,
) -> None:
    most = min(largest(digits, base), 2**bits)
    D = [d**7 % (most + 1) for _, d in pairs]
    N = [n**7 % (d + 1) for (n, _), d in zip(pairs, D, strict=True)]
    expected = [plain(n, d, digits, base) for n, d in zip(N, D, strict=True)]
    assert computed(primitive, N, D, digits, base, most) == expected


def test_ties_are_rounded_up() -> None:
    D = 2 * 10**30
    N = [1, 3, 5, D // 2 + 1, D - 1]
    assert computed(wide_divide_to_wide, N, [D] * 5, 30, 10, D) == [(n + 1) // 2 for n in N]
    # sqrt(N / D) = (2k + 1) / (2·10^9)
    odd = [1, 3, 12345, 2 * 10**9 - 1]
    D = 4 * 10**18
    assert computed(wide_root_to_wide, [k * k for k in odd], [D] * 4, 9, 10, D) == [
        (k + 1) // 2 for k in odd
    ]


@KINDS
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", DIGITS)
def test_undefined_is_no_result_of_a_ratio(
    primitive: Primitive, plain: Plain, largest: Largest, base: int, digits: int
) -> None:
    got = computed(primitive, [0, 1, 0], [0, 1, 1], digits, base, 1)
    assert got == [undefined(digits, base), base**digits, 0]
    assert undefined(digits, base) > base**digits


def test_a_numerator_may_exceed_by_a_declared_error() -> None:
    D = [10**40, 2**200 + 1]
    N = [d + (d - 1) // 20 for d in D]
    got = computed(wide_divide_to_wide, N, D, 4, 10, 2**201)
    assert got == [quotient(n, d, 4, 10) for n, d in zip(N, D, strict=True)]
    assert max(got) < undefined(4)


@pytest.mark.parametrize(("digits", "base"), [(1, 2), (1, 10), (4, 10), (2, 100)])
def test_a_numerator_below_zero_by_up_to_half_a_unit_is_rounded_to_zero(
    digits: int, base: int
) -> None:
    D = 2 * base**digits * 12345
    below = [-12345, -12344, -1, 12344, 12345]
    found = computed(wide_divide_to_wide, below, [D] * 5, digits, base, D)
    assert found == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(("primitive", "plain"), [(wide_divide, quotient), (wide_root, root)])
def test_words_hold_18_decimals(primitive: Callable[..., Any], plain: Plain) -> None:
    N, D = [1, 2, 0, 7], [3, 7, 0, 7]

    def program(party: Party, N: WideShared, D: WideShared) -> Any:
        return primitive(party, N, D, digits=18, bound=7)

    got = open_locally(run_local(program, share_wide(N), share_wide(D))).tolist()
    assert got == [plain(n, d, 18, 10) for n, d in zip(N, D, strict=True)]


@pytest.mark.parametrize("primitive", [wide_divide, wide_root])
def test_more_digits_than_words_hold_are_refused_at_every_role(
    primitive: Callable[..., Any],
) -> None:
    def program(party: Party, N: WideShared) -> int:
        with pytest.raises(BoundExceeded, match="2\\^63"):
            primitive(party, N, N, digits=19, bound=7)
        return sum(link.counters.bytes_sent for link in party.links.values())

    assert run_local(program, share_wide([1])) == [0, 0, 0]


def test_more_digits_than_wide_words_hold_are_refused() -> None:
    with pytest.raises(BoundExceeded, match="2\\^255"):
        computed(wide_divide_to_wide, [1], [2], 77, 10, 2)


@pytest.mark.parametrize("primitive", [wide_divide, wide_divide_to_wide])
@pytest.mark.parametrize("base", BASES)
def test_a_denominator_beyond_the_arithmetic_is_refused_at_every_role(
    primitive: Callable[..., Any], base: int
) -> None:
    most = largest_wide_denominator(base)

    def program(party: Party, N: WideShared) -> int:
        with pytest.raises(BoundExceeded, match=str(most)):
            primitive(party, N, N, digits=4, bound=most + 1, base=base)
        return sum(link.counters.bytes_sent for link in party.links.values())

    assert run_local(program, share_wide([1])) == [0, 0, 0]


@pytest.mark.parametrize("primitive", [wide_root, wide_root_to_wide])
@pytest.mark.parametrize("digits", DIGITS)
def test_a_root_of_a_denominator_beyond_the_arithmetic_is_refused_at_every_role(
    primitive: Callable[..., Any], digits: int
) -> None:
    most = largest_root_denominator(digits)

    def program(party: Party, N: WideShared) -> int:
        with pytest.raises(BoundExceeded, match=str(most)):
            primitive(party, N, N, digits=digits, bound=most + 1)
        return sum(link.counters.bytes_sent for link in party.links.values())

    assert run_local(program, share_wide([1])) == [0, 0, 0]


@pytest.mark.parametrize("primitive", [wide_divide, wide_root])
@pytest.mark.parametrize(("digits", "base"), [(0, 10), (-1, 10), (4, 1), (1, 2**14 + 1)])
def test_digits_and_base_must_make_sense(
    primitive: Callable[..., Any], digits: int, base: int
) -> None:
    with pytest.raises(ValueError, match="digits in base"):
        computed(primitive, [1], [2], digits, base, 2)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("digits", DIGITS)
def test_the_largest_denominators_keep_every_difference_below_2_255(base: int, digits: int) -> None:
    assert (2 * base + 1) * largest_wide_denominator(base) < 2**255
    # the last digit of a root: 4·base²·R, and s = base^(digits - 1) - 1 with R < (2s + 1)·D
    D = largest_root_denominator(digits, base)
    s = base ** (digits - 1)
    assert 4 * base**2 * (2 * s + 1) * D < 2**255
    k = base + (digits == 1)
    assert 4 * base * (2 * k - 1) * (s if digits > 1 else 0) * D + (2 * k - 1) ** 2 * D < 2**255


@pytest.mark.parametrize(("digits", "base"), [(1, 2), (4, 10), (2, 100)])
@pytest.mark.parametrize("n", [1, 65])
@pytest.mark.parametrize("primitive", [wide_divide, wide_root])
def test_declared_cost_follows_digits_and_base(
    primitive: Any, digits: int, base: int, n: int
) -> None:
    def program(party: Party, N: WideShared, D: WideShared) -> tuple[int, int]:
        primitive(party, N, D, digits=digits, bound=1000, base=base)
        return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    at = run_local(program, share_wide([7] * n), share_wide([999] * n))
    cost = primitive.cost(digits=digits, base=base)
    steps = {1: 1, 2: 2, 4: 2}[digits]
    assert max(hops for hops, _ in at) == cost.hops(n) == 5 * steps
    assert sum(payload for _, payload in at) == cost.payload(n)
