"""Values carried forward, by both scans, against a loop."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import carry, carry_in_few_hops, extend
from ppaurora.mpc.primitives.carry import carry_hops
from ppaurora.mpc.shares import narrowed, reconstruct, share
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


@settings(max_examples=50)
@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 2**31 - 1)), min_size=1, max_size=200))
def test_counts_below_2_to_31_are_carried_in_half_the_bytes(rows: list[tuple[bool, int]]) -> None:
    flags = [int(flag) for flag, _ in rows]
    values = [flag * value for flag, value in rows]

    def program(party: Party, flags: Shared, values: Shared) -> Shared:
        [counts] = carry(party, narrowed(flags), [narrowed(values)])
        return extend(party, counts)

    at = run_local(program, share(flags), share(values))
    assert open_locally(at).tolist() == carried(flags, values)
    narrow, wide = (carry.cost(narrow=narrow).payload(1 << 20) for narrow in (True, False))
    assert 0 <= 2 * narrow - wide < 1024
    assert extend.cost().payload(1 << 20) == (4 << 20) + (1 << 18)


def test_hops_grow_with_the_logarithm() -> None:
    for n in range(2, 5000):
        assert carry_hops(n) <= 2 * (n.bit_length() - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 40])
def test_long_levels_are_joined_part_by_part(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    monkeypatch.setattr(importlib.import_module("ppaurora.mpc.primitives.carry"), "AT_ONCE", 4)
    flags = np.random.default_rng(n).integers(0, 2, n)
    values = flags * np.arange(1, n + 1)

    def program(party, own, values):  # type: ignore[no-untyped-def]
        [carried] = carry(party, own, [values])
        return carried, party.hops, sum(one.counters.bytes_sent for one in party.links.values())

    at = run_local(program, share(flags), share(values))
    expected = np.maximum.accumulate(values)
    assert open_locally([one[0] for one in at]).tolist() == expected.tolist()
    told = carry.cost(columns=1).of(n)
    assert (told.hops, told.payload) == (max(h for _, h, _ in at), sum(sent for *_, sent in at))
