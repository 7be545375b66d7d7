"""A shuffle moves whole rows, by all orders alike, in an order that nobody knows."""

from __future__ import annotations

from collections import Counter
from math import factorial, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import open_words, shuffle
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import reconstruct, share


def shuffled(columns: list[list[int]]) -> list[tuple[int, ...]]:
    at = run_local(lambda party, *x: shuffle(party, x), *map(share, columns))
    pairs = zip(at[0], at[1], strict=True)
    return list(zip(*(reconstruct(a.words, b.words).tolist() for a, b in pairs), strict=True))


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 3), min_size=1, max_size=100))
def test_rows_stay_whole(rows: list[tuple[int, ...]]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    words = [np.array(column, np.uint64) for column in columns]
    assert sorted(shuffled(words)) == sorted(rows)  # type: ignore[arg-type]


def test_all_orders_come_equally_often() -> None:
    """Chi-squared over the 24 orders of 4 rows in 2000 shuffles; a false alarm in 10^6."""
    draws, k, x = 2000, factorial(4) - 1, log(1e6)

    def program(party: Party, column: Shared) -> list[tuple[int, ...]]:
        orders = []
        for _ in range(draws):
            opened = open_words(party, shuffle(party, [column])[0])
            orders.append(() if opened is None else tuple(opened.tolist()))
        return orders

    orders, others, _ = run_local(program, share([0, 1, 2, 3]))
    assert orders == others
    counts = Counter(orders)
    mean = draws / factorial(4)
    assert len(counts) == factorial(4)
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < (
        k + 2 * sqrt(k * x) + 2 * x
    )


@pytest.mark.parametrize("outsider", Role)
def test_each_party_misses_one_of_the_permutations(outsider: Role) -> None:
    """Between what a party can draw itself and the result lies the order that it does not know."""
    n = 50

    def program(party: Party, column: Shared) -> tuple[list[np.ndarray], Shared]:
        drawn = []
        common = party.common

        def recording(name, peer=None):
            stream = common(name, peer)

            class Recorded:
                array = staticmethod(stream.array)

                @staticmethod
                def permutation(count):
                    order = stream.permutation(count)
                    drawn.append(order)
                    return order

            return Recorded

        party.common = recording  # type: ignore[assignment]
        [result] = shuffle(party, [column])
        return drawn, result

    at = run_local(program, share(range(n)))
    result = reconstruct(at[0][1].words, at[1][1].words)
    known = [at[role][0] for role in Role]
    assert [len(orders) for orders in known] == [2, 2, 2]
    p01, p02, p12 = known[Role.P0][0], known[Role.P0][1], known[Role.P1][1]
    np.testing.assert_array_equal(result, np.arange(n)[p01][p02][p12])
    # without the outsider's missing permutation the result would be another
    missing = {Role.P0: p12, Role.P1: p02, Role.HELPER: p01}[outsider]
    assert not any(np.array_equal(missing, order) for order in known[outsider])


def test_an_input_is_not_changed_in_place() -> None:
    def program(party: Party, column: Shared) -> bool:
        if party.is_helper:
            shuffle(party, [column])
            return True
        before = column.words.copy()
        shuffle(party, [column])
        return bool(np.array_equal(before, column.words))

    assert all(run_local(program, share(range(100))))
