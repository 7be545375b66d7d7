"""A session: whatever step fails, the peers hear of it and every link is closed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from ppaurora.mpc import Party, Role
from ppaurora.mpc.errors import (
    AuroraError,
    BadFrame,
    HandshakeMismatch,
    LocalProtocolError,
    PeerAborted,
    PeerSilent,
)
from ppaurora.mpc.handshake import Handshake, Terms, shake_hands
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.local import fresh_session_keys
from ppaurora.mpc.session import Links, open_session

from .link.loopback import SESSION, zeromq_links

P0, P1, HELPER = Role
TERMS = Terms(bytes(32), SESSION)
OWN = bytes(32)
IDENTITIES = {role: Identity.generate() for role in Role}
PUBLICS = {role: identity.public for role, identity in IDENTITIES.items()}


@pytest.fixture(params=["memory", pytest.param("curve", marks=pytest.mark.zeromq)])
def links(request: pytest.FixtureRequest) -> dict[Role, dict[Role, Link]]:
    """All three parties' links over one transport."""
    limits = Limits(deadline=3.0, goodbye=3.0)
    return memory_links(SESSION, limits) if request.param == "memory" else zeromq_links(limits)


def agreed(role: Role, terms: Terms = TERMS) -> Callable[[Links], Handshake]:
    return lambda links: shake_hands(role, IDENTITIES[role], links, PUBLICS, terms)


def at_all_roles(of_one: Callable[[Role], Any]) -> dict[Role, Any]:
    """The result of each role's thread, or the error that it met."""

    def caught(role: Role) -> Any:
        try:
            return of_one(role)
        except Exception as error:
            return error

    with ThreadPoolExecutor(3) as pool:
        return dict(zip(Role, pool.map(caught, Role), strict=True))


def is_closed(link: Link) -> bool:
    try:
        link.send_bytes(Kind.HELLO, b"")
    except LocalProtocolError as error:
        return "closed" in error.what
    except AuroraError:
        return False
    return False


def test_agrees_on_keys_computes_and_closes_in_good_order(
    links: dict[Role, dict[Role, Link]],
) -> None:
    def of_one(role: Role) -> list[int]:
        with open_session(role, lambda: links[role], agreed(role), lasting_key=OWN) as party:
            assert party.role is role
            return [int(party.common("x", peer).words(1)[0]) for peer in role.others]

    words = at_all_roles(of_one)
    assert words[P0][0] == words[P1][0]
    assert words[P0][1] == words[HELPER][0]
    assert words[P1][1] == words[HELPER][1]
    assert all(is_closed(link) for of in links.values() for link in of.values())


def test_needs_no_handshake_where_keys_exist() -> None:
    links, keys = memory_links(), fresh_session_keys()

    def of_one(role: Role) -> int:
        with open_session(
            role, lambda: links[role], lambda _: Handshake(keys[role]), lasting_key=OWN
        ) as party:
            return 0 if party.is_helper else int(party.common("x").words(1)[0])

    words = at_all_roles(of_one)
    assert words[P0] == words[P1]


def test_tells_of_phases_and_keeps_a_trace_when_asked() -> None:
    links, keys = memory_links(), fresh_session_keys()
    seen: list[str] = []

    def of_one(role: Role) -> Any:
        with open_session(
            role,
            lambda: links[role],
            lambda _: Handshake(keys[role]),
            lasting_key=OWN,
            on_phase=lambda name, phase: seen.append(f"{role} {name}"),
            keep_trace=True,
        ) as party:
            with party.phase("sort"):
                pass
            return party.trace

    assert list(at_all_roles(of_one).values()) == [[], [], []]
    assert sorted(seen) == ["P0 sort"] * 2 + ["P1 sort"] * 2 + ["helper sort"] * 2


def test_an_error_in_opening_the_links_is_let_through_before_anything_else() -> None:
    def unreachable() -> Links:
        raise PeerSilent("nobody came")

    def never(links: Links) -> Handshake:
        raise AssertionError

    with (
        pytest.raises(PeerSilent, match="nobody came"),
        open_session(P0, unreachable, never, lasting_key=OWN),
    ):
        raise AssertionError


def raising(error: BaseException) -> Callable[[object], Any]:
    def fail(_: object) -> Any:
        raise error

    return fail


def quiet(_: object) -> None:
    """A computation without a fault."""


KEYS = fresh_session_keys()


@pytest.mark.parametrize(
    ("agree", "compute", "told"),
    [
        (raising(LocalProtocolError("no key")), quiet, "no key"),
        (lambda _: Handshake({}), quiet, "an unexpected KeyError"),
        (lambda _: Handshake(KEYS[P0]), raising(ValueError("row 17")), "an unexpected ValueError"),
        (
            lambda _: Handshake(KEYS[P0]),
            raising(KeyboardInterrupt()),
            "an unexpected KeyboardInterrupt",
        ),
    ],
    ids=["in the handshake", "in making the party", "in the computation", "by the operator"],
)
def test_after_an_error_the_peers_are_told_and_all_links_closed(
    links: dict[Role, dict[Role, Link]],
    agree: Callable[[Links], Handshake],
    compute: Callable[[Party], object],
    told: str,
) -> None:
    with (
        pytest.raises((LocalProtocolError, LookupError, ValueError, KeyboardInterrupt)),
        open_session(P0, lambda: links[P0], agree, lasting_key=OWN) as party,
    ):
        compute(party)
    assert all(is_closed(link) for link in links[P0].values())
    for peer in P0.others:
        with pytest.raises(PeerAborted) as heard:
            links[peer][P0].receive(Kind.OPEN, 1, 0)
        assert (heard.value.culprit, heard.value.reason) == (P0, told)


def test_after_an_error_in_the_farewell_all_links_are_closed(
    links: dict[Role, dict[Role, Link]],
) -> None:
    keys = fresh_session_keys()

    def of_one(role: Role) -> None:
        with open_session(
            role, lambda: links[role], lambda _: Handshake(keys[role]), lasting_key=OWN
        ) as party:
            if role is P1:  # a frame that nobody awaits
                links[P1][P0].send_bytes(Kind.OPEN, b"")
            assert party.role is role

    errors = at_all_roles(of_one)
    assert isinstance(errors[P0], BadFrame)
    assert all(is_closed(link) for link in links[P0].values())


@pytest.fixture
def threads() -> int:
    """The number of threads before the links are opened, which have threads of their own."""
    return threading.active_count()


def test_a_disagreement_is_told_at_all_roles_and_leaves_no_link_or_thread(
    threads: int, links: dict[Role, dict[Role, Link]]
) -> None:
    other = replace(TERMS, parameters={"decimals": 6})

    def of_one(role: Role) -> None:
        terms = other if role is P1 else TERMS
        with open_session(role, lambda: links[role], agreed(role, terms), lasting_key=OWN):
            raise AssertionError

    errors = at_all_roles(of_one)
    assert all(isinstance(each, HandshakeMismatch | PeerAborted) for each in errors.values())
    assert all("parameter decimals" in str(each) for each in errors.values())
    assert all(is_closed(link) for of in links.values() for link in of.values())
    assert threading.active_count() == threads
