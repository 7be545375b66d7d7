"""Partners among neighbours: exactly one score and one label of a tag, and nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.ranking.joining import partners, partners_cost

LARGEST = (1 << 62) - 1


def found(rows):
    """Keys of all places, and how many have partners; and the parties' cost."""
    rows = sorted(rows, key=lambda row: (-row[0], -row[1]))
    tagged = np.array([2 * tag + side for tag, side, _ in rows], np.uint64)
    values = np.array([value for *_, value in rows], np.uint64)
    spent = []

    def program(party, own_tagged, own_values):
        one = partners(party, own_tagged, own_values)
        spent.append((party.hops, sum(link.counters.bytes_sent for link in party.links.values())))
        return one.keys, one.there

    at = run_local(program, share(tagged), share(values))
    keys, there = (open_locally(list(parts)) for parts in zip(*at, strict=True))
    return keys.astype(np.int64).tolist(), there.tolist(), spent


def plainly(rows):
    """The keys of partners, by a dictionary."""
    of_tag = {}
    for tag, side, value in rows:
        of_tag.setdefault(tag, []).append((side, value))
    both = [dict(run) for run in of_tag.values() if len(run) == 2 and len(dict(run)) == 2]
    return sorted(2 * one[0] + one[1] for one in both)


def check(rows):
    keys, there, _ = found(rows)
    assert len(keys) == len(there) == len(rows) // 2
    assert [key for key in keys if key >= 0] == [
        key for key, one in zip(keys, there, strict=True) if one
    ]
    assert set(there) <= {0, 1}
    assert all(key == -1 for key, one in zip(keys, there, strict=True) if not one)
    assert sorted(key for key in keys if key >= 0) == plainly(rows)


def test_every_arrangement_of_up_to_five_rows_of_three_people():
    """Runs of every length and of all sides, at the beginning, in between and at the end."""
    arrangements = [
        kinds
        for n in range(6)
        for kinds in itertools.combinations_with_replacement(
            list(itertools.product((3, 4, 7), (0, 1))), n
        )
    ]
    # all in one session: tags of an arrangement are apart from those of all others
    assert len(arrangements) == 462
    rows = [
        (10 * number + tag, side, 5 + place if side == 0 else place % 2)
        for number, kinds in enumerate(arrangements)
        for place, (tag, side) in enumerate(kinds)
    ]
    check(rows)
    for kinds in arrangements[:: len(arrangements) // 30]:
        check([(tag, side, 9 if side == 0 else 1) for tag, side in kinds])


def test_the_largest_tags_codes_and_neighbouring_tags():
    top = LARGEST
    check([(top, 1, 1), (top, 0, LARGEST), (top - 1, 1, 0), (0, 0, 5), (0, 1, 1)])
    # neighbours that are one apart, label above score
    check([(8, 0, 3), (7, 1, 1)])
    check([(8, 1, 1), (7, 0, 3)])


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 8, 200])
def test_the_cost_is_as_declared(rows):
    _, _, spent = found([(place // 2, place % 2, 1) for place in range(rows)])
    cost = partners_cost(rows)
    assert max(hops for hops, _ in spent) == cost.hops
    assert sum(sent for _, sent in spent) == cost.payload
