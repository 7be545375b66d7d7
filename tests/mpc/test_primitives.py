"""Every primitive: the result of plain integers, at the declared cost."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc import primitives
from ppaurora.mpc.kernels.library import without_library
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Receivers
from ppaurora.mpc.primitives import (
    carry,
    carry_in_few_hops,
    divide,
    inner_product,
    multiply,
    shuffle,
)
from ppaurora.mpc.primitives.wide_multiply import WIDE_BLOCK
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import BLOCK
from tests.mpc.cases import Case, comparable, expected
from tests.mpc.every_case import EVERY_CASE, Outcome, outcome, run, shares_of

PUBLIC_ARITHMETIC = {
    "largest_denominator",
    "largest_divisor",
    "largest_root_denominator",
    "largest_wide_denominator",
    "undefined",
}
SIZES = [0, 1, 8, 9, 56, 57, 63, 64, 65]
"""Around whole bytes and words of bits."""
BLOCKS_AS_ANOTHER = {
    "compare_exchange, 32 bits",
    "divide, 1 digits, base 10",
    "divide, 3 digits, base 10, at once",
    "negative_part",
    "negative_parts",
    "negative_times, 32 bits",
    "negative_times, values of 32 bits",
    "row_order",
    "square",
    "truncate, 62 bits",
    "where_negative",
    "whole_quotient, 1 digits, base 7",
    "whole_quotient, 3 digits, base 10",
}
"""Cases whose blocks are made as those of another case are."""
BLOCKS_WEEKLY = {
    "compare_exchange_columns, 32 bits",
    "whole_quotient, 3 digits, base 10, at once",
    "wide_divide_to_wide, 2 digits, base 3",
    "wide_negative_times",
    "wide_products",
    "wide_root, 2 digits, base 3",
}
"""Cases beside which CI runs one that cuts the like into blocks: columns, quotients, wide words."""

each_case = pytest.mark.parametrize("index", range(len(EVERY_CASE)), ids=map(str, EVERY_CASE))
each_size = pytest.mark.parametrize("n", SIZES)


def test_every_primitive_is_tried_here() -> None:
    tried = {case.primitive.__name__ for case in EVERY_CASE}
    assert tried | PUBLIC_ARITHMETIC == set(primitives.__all__)


def test_every_primitive_declares_its_cost() -> None:
    for name in set(primitives.__all__) - PUBLIC_ARITHMETIC:
        assert callable(getattr(primitives, name).cost), name


@each_case
@each_size
def test_results_are_those_of_plain_integers_at_the_declared_cost(index: int, n: int) -> None:
    case = EVERY_CASE[index]
    check(case, outcome(index, n), min(n, case.most))


@pytest.mark.parametrize(
    "index",
    [
        pytest.param(
            index,
            id=str(case),
            marks=[pytest.mark.soak] * (case.name in BLOCKS_AS_ANOTHER)
            + [pytest.mark.weekly] * (case.name in BLOCKS_WEEKLY),
        )
        for index, case in enumerate(EVERY_CASE)
    ],
)
def test_beyond_a_block_by_one_results_and_cost_are_as_declared(index: int) -> None:
    case = EVERY_CASE[index]
    block = WIDE_BLOCK if case.primitive.__name__.startswith("wide") else BLOCK
    n = min(block + 1, case.most)
    check(case, run(case, case.draw(np.random.default_rng([index, n]), n)), n)


def check(case: Case, got: Outcome, n: int) -> None:
    assert comparable(case, got.results) == expected(case, got.inputs)
    assert (got.hops, got.payload) == (case.cost.hops(n), case.cost.payload(n))


@each_case
@pytest.mark.parametrize("n", [1, 65, 577])
def test_results_are_the_same_by_numpy_alone(index: int, n: int) -> None:
    case = EVERY_CASE[index]
    with without_library():
        got = run(case, case.draw(np.random.default_rng([index, n]), min(n, case.most)))
    assert comparable(case, got.results) == expected(case, got.inputs)


@each_case
def test_results_and_cost_are_the_same_if_p0_is_sent_what_is_dealt(
    index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Receivers, "next", lambda self, words: (Role.P1, Role.P0))
    case = EVERY_CASE[index]
    n = min(65, case.most)
    got = run(case, case.draw(np.random.default_rng([index, n]), n))
    check(case, got, n)


@each_case
def test_inputs_are_never_written_to(index: int) -> None:
    case = EVERY_CASE[index]

    def program(party, *vectors):
        for vector in vectors:
            if vector.present:
                vector.words.flags.writeable = False
        case.call(party, *vectors)

    run_local(program, *map(shares_of, case.draw(np.random.default_rng(index), 65)))


@pytest.mark.parametrize(("digits", "base"), [(1, 2), (4, 10), (9, 10), (3, 16)])
@pytest.mark.parametrize("n", [1, 65])
def test_declared_cost_of_a_division_follows_digits_and_base(
    digits: int, base: int, n: int
) -> None:
    def program(party, N, D):
        divide(party, N, D, digits=digits, bound=1000, base=base)
        return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    at = run_local(program, share([7] * n), share([999] * n))
    cost = divide.cost(digits=digits, base=base)
    assert max(hops for hops, _ in at) == cost.hops(n)
    assert sum(payload for _, payload in at) == cost.payload(n)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 64, 65])
@pytest.mark.parametrize("scan", [carry, carry_in_few_hops])
def test_declared_cost_of_a_carry_follows_the_columns(scan, columns: int, n: int) -> None:
    def program(party, flags):
        scan(party, flags, [flags] * columns)
        return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    at = run_local(program, share([1] * n))
    cost = scan.cost(columns=columns)
    assert max(hops for hops, _ in at) == cost.hops(n)
    assert sum(payload for _, payload in at) == cost.payload(n)


def test_hops_of_steps_add_up() -> None:
    def program(party, x):
        y = multiply(party, x, x)
        [y] = shuffle(party, [y])
        inner_product(party, y, y)
        return party.hops

    assert max(run_local(program, share(range(100)))) == 1 + 2 + 1


def test_the_more_numbers_a_compare_exchange_takes_the_more_hops_and_the_fewer_bytes() -> None:
    cost = primitives.compare_exchange.cost()
    assert [cost.hops(n) for n in (50_000, 100_000, 1_000_000)] == [4, 5, 6]
    of_each = [cost.payload(n) / n for n in (50_000, 100_000, 1_000_000)]
    assert [round(each, 1) for each in of_each] == [80.8, 72.1, 70.2]
    cost = primitives.compare_exchange.cost(narrow=True)
    assert [cost.hops(n) for n in (100_000, 1_000_000)] == [4, 5]
    assert [round(cost.payload(n) / n, 1) for n in (100_000, 1_000_000)] == [35.9, 34.1]
