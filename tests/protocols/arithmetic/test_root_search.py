"""Roots of secret polynomials, against the same polynomials in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, share_wide
from ppaurora.protocols.arithmetic.root_search import (
    Search,
    lowest_roots,
    lowest_roots_cost,
    search_fits,
    search_steps,
)

MANY = 20
"""Numbers that take a step for each decimal."""


def found(G: list[list[int]], gap: list[list[int]], decimals: int) -> list[int]:
    """The roots by three parties; `G` and `gap` have a row of coefficients for each number."""
    columns = [[row[place] for row in G] for place in range(len(G[0]))]
    lines = [[row[place] for row in gap] for place in range(2)]

    def program(party: Party, *vectors: WideShared) -> Shared:
        return lowest_roots(party, Search(vectors[:-2], vectors[-2:]), decimals=decimals)

    at = run_local(program, *map(share_wide, [*columns, *lines]))
    return [int(one) for one in open_locally(at)]


@pytest.mark.parametrize("numbers", [1, 3, MANY])
@pytest.mark.parametrize("decimals", [1, 4, 7])
def test_a_root_is_rounded_half_up(numbers: int, decimals: int) -> None:
    # (a - 12·θ)·(24 - 12·θ), whose root a/12 is below the line's
    tops = np.random.default_rng([numbers, decimals]).integers(0, 12, numbers).tolist()
    G = [[24 * a, -12 * a - 288, 144] for a in tops]
    gap = [[2 * a + 1, -24] for a in tops]
    wanted = [(2 * Fraction(a, 12) * 10**decimals + 1) // 2 for a in tops]
    assert found(G, gap, decimals) == wanted


def test_a_line_that_is_0_gives_0() -> None:
    assert found([[0, 0, 0], [9, 0, 0]], [[0, 0], [0, 0]], 3) == [0, 0]


def test_few_numbers_take_two_decimals_a_step() -> None:
    assert [step.radix for step in search_steps(4, 16)] == [100, 100]
    assert [step.radix for step in search_steps(4, 17)] == [10] * 4
    few, many = (lowest_roots_cost(count, degree=2, decimals=4) for count in (16, 17))
    assert few.hops < many.hops
    assert few.payload > many.payload


def test_polynomials_too_steep_for_the_words_do_not_fit() -> None:
    assert search_fits(1 << 220, degree=2, decimals=4, numbers=2)
    assert not search_fits(1 << 240, degree=2, decimals=4, numbers=2)
