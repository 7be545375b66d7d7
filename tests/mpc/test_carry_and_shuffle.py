"""The scan against a loop; the shuffle moves whole rows, by all orders, and nobody's order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import factorial, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import carry, carry_in_few_hops, open_words, shuffle
from ppaurora.mpc.primitives.carry import carry_hops
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import reconstruct, share
from tests.mpc.cases import EDGES


def carried(flags: list[int], values: list[int]) -> list[int]:
    last, result = 0, []
    for flag, value in zip(flags, values, strict=True):
        last = value if flag else last
        result.append(last % 2**64)
    return result


EACH = pytest.mark.parametrize("scan", [carry, carry_in_few_hops], ids=lambda scan: scan.__name__)
Scan = Callable[..., list[Shared]]


def by_protocol(scan: Scan, flags: list[int], *columns: list[int]) -> list[list[int]]:
    at = run_local(
        lambda party, flags, *columns: scan(party, flags, columns),
        share(flags),
        *map(share, columns),
    )
    return [reconstruct(a.words, b.words).tolist() for a, b in zip(at[0], at[1], strict=True)]


@EACH
@pytest.mark.parametrize("n", range(1, 10))
def test_every_pattern_of_flags(scan: Scan, n: int) -> None:
    for pattern in range(1 << n):
        flags = [pattern >> place & 1 for place in range(n)]
        values = [flag * (place + 1) for place, flag in enumerate(flags)]
        if n <= 6 or pattern % 7 == 0:
            assert by_protocol(scan, flags, values) == [carried(flags, values)]


@EACH
@settings(max_examples=50)
@given(rows=st.lists(st.tuples(st.booleans(), st.sampled_from(EDGES)), min_size=1, max_size=200))
def test_any_values_in_two_columns(scan: Scan, rows: list[tuple[bool, int]]) -> None:
    flags = [int(flag) for flag, _ in rows]
    values = [flag * value for flag, value in rows]
    doubled = [2 * value for value in values]
    expected = [carried(flags, values), carried(flags, doubled)]
    assert by_protocol(scan, flags, values, doubled) == expected


@pytest.mark.parametrize(("n", "hops"), [(8, 1), (192, 4), (8000, 7), (16000, 7), (131_072, 10)])
def test_the_scan_in_few_hops_takes_a_third_of_them(n: int, hops: int) -> None:
    assert carry_in_few_hops.cost().hops(n) == hops
    assert 3 * hops <= carry_hops(n) + 2


def test_a_place_of_every_level_is_filled() -> None:
    # levels of 4100, 1025, 129, 17 and 3 places, and a last group of each that is not full
    n = 4100
    flags = [int(place % 1021 == 3) for place in range(n)]
    values = [flag * (place + 1) for place, flag in enumerate(flags)]
    assert by_protocol(carry_in_few_hops, flags, values) == [carried(flags, values)]


def test_hops_grow_with_the_logarithm() -> None:
    for n in range(2, 5000):
        assert carry_hops(n) <= 2 * (n.bit_length() - 1)


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
