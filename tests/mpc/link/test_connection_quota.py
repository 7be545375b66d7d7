"""Connections that are let in, or give way, over numbers and addresses alone."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ppaurora.mpc.link.connection_quota import Caps, ConnectionQuota, QuotaFull, address_group

CAPS = Caps(in_all=6, of_an_address=3, of_a_key=2)


def test_the_oldest_stranger_of_a_full_address_gives_way_to_the_next() -> None:
    places = ConnectionQuota(CAPS)
    assert [places.enter(number, "a") for number in range(5)] == [None, None, None, 0, 1]
    assert places.enter(5, "b") is None
    assert len(places) == 4


def test_the_oldest_stranger_of_all_gives_way_where_the_server_is_full() -> None:
    places = ConnectionQuota(CAPS)
    for number in range(6):
        places.enter(number, f"address {number}")
    places.admit(0, b"ann")
    assert places.enter(6, "another") == 1


def test_whoever_is_decided_on_gives_way_to_nobody() -> None:
    places = ConnectionQuota(CAPS)
    for number in range(3):
        places.enter(number, "a")
    places.hold(0)
    assert [places.enter(number, "a") for number in (3, 4, 5)] == [1, 2, 3]
    places.admit(0, b"ann")
    places.hold(4)
    places.leave(4)
    assert len(places) == 2


def test_whoever_has_proved_a_key_does_not_give_way_to_strangers() -> None:
    places = ConnectionQuota(CAPS)
    for number, key in enumerate((b"ann", b"ben", b"cleo")):
        places.enter(number, "a")
        places.admit(number, key)
    with pytest.raises(QuotaFull):
        places.enter(3, "a")
    assert places.enter(4, "b") is None


def test_a_server_full_of_keys_turns_the_next_one_away() -> None:
    places = ConnectionQuota(CAPS)
    for number in range(6):
        places.enter(number, f"address {number}")
        places.admit(number, f"key {number}".encode())
    with pytest.raises(QuotaFull):
        places.enter(6, "another")
    places.leave(2)
    assert places.enter(7, "another") is None


def test_a_key_with_its_share_is_full_and_names_first_who_was_silent_for_longest() -> None:
    places = ConnectionQuota(CAPS)
    for number in range(3):
        places.enter(number, "a")
    assert not places.full_of(b"ann")
    places.admit(0, b"ann")
    assert not places.full_of(b"ann")
    places.admit(1, b"ann")
    places.heard(0)
    assert places.full_of(b"ann")
    assert not places.full_of(b"ben")
    assert places.of(b"ann") == [1, 0]
    places.leave(1)
    places.admit(2, b"ann")
    assert places.of(b"ann") == [0, 2]


def test_after_any_course_of_events_no_cap_is_exceeded_and_nothing_is_left_behind() -> None:
    rng = random.Random(17)
    places, there, keys = ConnectionQuota(CAPS), dict[int, str](), dict[int, bytes]()
    for number in range(5000):
        address, key = rng.choice("abcd"), rng.choice((b"ann", b"ben", b"cleo", b"dora"))
        gone: int | None = None
        try:
            gone = places.enter(number, address)
            there[number] = address
        except QuotaFull:
            assert len(there) == CAPS.in_all or Counter(there.values())[address] == 3
        there.pop(gone or -1, None)
        if number in there and rng.random() < 0.5 and not places.full_of(key):
            places.admit(number, key)
            keys[number] = key
        if there and rng.random() < 0.3:
            left = rng.choice(sorted(there))
            places.leave(left)
            del there[left]
        keys = {one: held for one, held in keys.items() if one in there}
        assert len(places) == len(there) <= CAPS.in_all
        assert max(Counter(there.values()).values(), default=0) <= CAPS.of_an_address
        assert max(Counter(keys.values()).values(), default=0) <= CAPS.of_a_key
    for number in list(there):
        places.leave(number)
    assert not places._from
    assert not places._unproved
    assert not places._of_key


def test_an_ipv6_network_counts_as_one_address_and_an_embedded_ipv4_address_as_itself() -> None:
    assert address_group("192.0.2.7") == "192.0.2.7"
    assert address_group("::ffff:192.0.2.7") == "192.0.2.7"
    assert (
        address_group("2001:db8::1")
        == address_group("2001:db8::ffff:2")
        != address_group("2001:db8:1::1")
    )
    assert address_group("fe80::1%eth0") == "fe80::/64"
