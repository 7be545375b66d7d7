"""Public tables of wide numbers, read at a secret place."""

import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives.lookup import LARGEST_TABLE
from ppaurora.mpc.shares import share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.arithmetic.wide_table import WideTable


@pytest.mark.parametrize(("entries", "bits"), [(1, 1), (2, 32), (5, 33), (21, 250)])
def test_the_number_at_the_place_is_read(entries, bits):
    numbers = [(3 * place + 1) * (1 << bits) // (3 * entries) for place in range(entries)]
    table = WideTable(entries, bits)
    for place in {0, entries // 2, entries - 1}:
        at = run_local(lambda party, x: table.read(party, x, lambda: numbers), share([place]))
        assert reconstruct_wide(at[0].words, at[1].words) == [numbers[place]]


def test_the_helper_makes_no_table():
    made = []

    def numbers():
        made.append(1)
        return [5, 6]

    run_local(lambda party, x: WideTable(2, 3).read(party, x, numbers), share([1]))
    assert len(made) == 2


def test_a_lookup_holds_so_many_entries():
    assert WideTable(LARGEST_TABLE, 64).fits
    assert not WideTable(LARGEST_TABLE + 1, 64).fits
