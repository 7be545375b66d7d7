"""A shuffle that opens masked rows: what comes out, what it costs, what each party sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives.shuffle import (
    Column,
    ColumnLayout,
    masked_shuffle,
    masked_shuffle_cost,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import Words
from tests.mpc.test_views import leaks, views

pytestmark = pytest.mark.usefixtures("same_keys")

WORD, SHORT = 8, 2
Answer = tuple[list[Column], list[Column], list[Column], int, int]


def program(party: Party, keys: Shared, places: Shared) -> Answer:
    """z, the share, r at the helper, the hops, the payload."""
    layout = ColumnLayout(len(keys), (WORD, SHORT))
    columns: list[Column] = [] if party.is_helper else [keys.words, places.words.astype(np.uint16)]
    prepared: list[Column] = []
    opened, shares = masked_shuffle(party, layout, columns, prepare=prepared.extend)
    payload = sum(link.counters.bytes_sent for link in party.links.values())
    return opened, shares, prepared, party.hops, payload


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 1000])
def test_the_rows_are_opened_beneath_the_masks_that_the_helper_prepares_with(n: int) -> None:
    rng = np.random.default_rng(n)
    keys, places = rng.integers(0, 2**64, n, np.uint64), rng.permutation(n).astype(np.uint64)
    p0, p1, helper = run_local(program, share(keys), share(places))
    rows: list[NDArray[Any]] = []
    for z, other, r, own, others in zip(p0[0], p1[0], helper[2], p0[1], p1[1], strict=True):
        assert z.tolist() == other.tolist()
        assert z.dtype == r.dtype == own.dtype
        rows.append(z - r)
        assert (own + others).tolist() == rows[-1].tolist()
    assert sorted(zip(*rows, strict=True)) == sorted(zip(keys, places, strict=True))
    assert p0[2] == p1[2] == []


def test_it_takes_what_it_declares() -> None:
    for n, zeros in (1, 20), (6, 80), (300, 3750), (9000, 2 * (11_250 + 32_768)):
        answers = run_local(program, share(range(n)), share(range(n)))
        spent = masked_shuffle_cost(ColumnLayout(n, (WORD, SHORT)))
        assert max(one[3] for one in answers) == spent.hops == 2
        assert sum(one[4] for one in answers) == spent.payload == 40 * (n + -(-n // 4)) + 8 * zeros


def test_what_is_prepared_is_sent_and_received_before_the_shuffle_has_ended() -> None:
    def dealing(party: Party, keys: Shared) -> tuple[int, list[int]]:
        hops = []

        def prepare(masks: list[Column]) -> None:
            if party.is_helper:
                party.deal(add=[np.arange(5, dtype=np.uint64)])
            else:
                hops.extend(words.size and party.hops for words in party.dealt((5,)))

        columns: list[Column] = [] if party.is_helper else [keys.words]
        masked_shuffle(party, ColumnLayout(len(keys), (WORD,)), columns, prepare=prepare)
        return party.hops, hops

    p0, p1, helper = run_local(dealing, share(range(100)))
    assert (p0, p1, helper[1]) == ((2, [0]), (2, [1]), [])


def test_a_party_receives_one_share_of_the_rows_and_the_helpers_and_zeros_beside() -> None:
    def received(party: Party, keys: Shared, places: Shared) -> list[tuple[Role, int, bool]]:
        heard = []

        def receive(peer: Role, kind: Kind, length: int) -> Words:
            words = Party.receive(party, peer, kind, length)
            heard.append((peer, length, bool(words.any())))
            return words

        party.receive = receive  # type: ignore[method-assign]
        program(party, keys, places)
        return heard

    p0, p1, helper = run_local(received, share(range(48)), share(range(48)))
    assert p0 == [(Role.P1, 60, False), (Role.P1, 60, True), (Role.HELPER, 60, True)]
    assert p1 == [(Role.P0, 60, True), (Role.P0, 60, False), (Role.HELPER, 60, True)]
    assert helper == [(Role.P1, 60, True), (Role.P0, 240, False), (Role.P1, 240, False)]


def test_rows_at_both_ends_look_alike_to_everyone_opened_and_on_the_way() -> None:
    opened: dict[Role, list[Words]] = {role: [] for role in Role}

    def call(party: Party, keys: Shared) -> None:
        columns: list[Column] = [] if party.is_helper else [keys.words]
        opened_rows, shares = masked_shuffle(
            party, ColumnLayout(1, (WORD,)), columns, prepare=lambda _: None
        )
        for z, own in zip(opened_rows, shares, strict=True):
            # what the other's mask alone hides: a proxy takes its own away
            left = own if party.role is Role.P0 else z + own
            opened[party.role].append(np.concatenate([z, left]).view(np.uint64))

    smallest, largest = views(call, [0]), views(call, [2**64 - 1])
    for role in Role:
        assert leaks(smallest[role], largest[role]) == [], role
    for role in (Role.P0, Role.P1):
        first, second = np.split(np.array(opened[role]), 2)
        assert leaks(first, second) == [], role
