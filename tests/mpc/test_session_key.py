"""The session key: the same at both ends, another one for any other input, forgotten afterwards."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from ppaurora.mpc.handshake import Ephemeral, Hello, session_key
from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.role import Role

P0, P1, HELPER = Role


def ephemeral(number: int) -> Ephemeral:
    return Ephemeral(X25519PrivateKey.from_private_bytes(bytes([number]) * 32))


A, B = (Identity.from_private(bytes(range(start, start + 64))) for start in (0, 64))
ONCE_A, ONCE_B = ephemeral(1), ephemeral(2)
HELLO_A = Hello(1, P0, bytes(32), bytes(16), {"lists": 3}, b"a" * 32, ONCE_A.public, 1)
HELLO_B = replace(HELLO_A, role=P1, nonce=b"b" * 32, ephemeral=ONCE_B.public)


def key_of_a(identity: Identity = A, once: Ephemeral = ONCE_A, **changes: Any) -> bytes:
    told = {
        "peer": B.public,
        "peer_ephemeral": ONCE_B.public,
        "roles": (P0, P1),
        "hellos": (HELLO_A.encode(), HELLO_B.encode()),
    }
    return session_key(identity, once, **{**told, **changes})


def test_both_sides_derive_the_same_key() -> None:
    key_of_b = session_key(
        B,
        ONCE_B,
        peer=A.public,
        peer_ephemeral=ONCE_A.public,
        roles=(P1, P0),
        hellos=(HELLO_B.encode(), HELLO_A.encode()),
    )
    assert key_of_a() == key_of_b
    assert len(key_of_b) == 32


def test_the_derivation_never_changes() -> None:
    """A test vector: RFC 7748 for the secrets, RFC 5869 for the rest."""
    assert HELLO_A.encode().hex().startswith("980100c420")
    assert key_of_a().hex() == "8e30acceef1364f7d4f978c6220c74f5af698bbeb56a3e237bb8dca7b18233c7"


@pytest.mark.parametrize("whose", [0, 1])
@pytest.mark.parametrize("name", [field.name for field in fields(Hello)])
def test_any_field_of_either_hello_changes_the_key(name: str, whose: int) -> None:
    changed: dict[str, object] = {
        "version": 2,
        "role": HELPER,
        "study": b"\1" * 32,
        "session": b"\1" * 16,
        "parameters": {"lists": 4},
        "nonce": b"c" * 32,
        "ephemeral": b"c" * 32,
        "threads": 2,
    }
    hellos = [HELLO_A, HELLO_B]
    hellos[whose] = replace(hellos[whose], **{name: changed[name]})  # type: ignore[arg-type]
    assert key_of_a(hellos=tuple(hello.encode() for hello in hellos)) != key_of_a()


def test_every_secret_role_and_public_key_changes_the_key() -> None:
    keys = [
        key_of_a(),
        key_of_a(identity=B),
        key_of_a(once=ephemeral(3)),
        key_of_a(peer_ephemeral=ephemeral(3).public),
        key_of_a(peer=Identity.generate().public),
        key_of_a(peer=PublicKey(B.public.exchange, A.public.signing)),
        key_of_a(roles=(P0, HELPER)),
        key_of_a(roles=(P1, P0)),
        key_of_a(hellos=(HELLO_B.encode(), HELLO_A.encode())),
    ]
    assert all(one != other for one, other in itertools.combinations(keys, 2))


def test_the_long_lived_keys_alone_do_not_give_a_key_of_the_past() -> None:
    """Forward secrecy: all frames and both identities known, the ephemeral keys forgotten."""
    guesses = [
        session_key(
            identity,
            Ephemeral.generate(),
            peer=peer,
            peer_ephemeral=once.public,
            roles=(P0, P1),
            hellos=(HELLO_A.encode(), HELLO_B.encode()),
        )
        for identity, peer, once in ((A, B.public, ONCE_B), (B, A.public, ONCE_A))
    ]
    assert key_of_a() not in guesses


def test_a_key_needs_two_roles() -> None:
    with pytest.raises(ValueError, match="two different roles"):
        key_of_a(roles=(P0, P0))


def test_a_degenerate_ephemeral_key_is_refused() -> None:
    with pytest.raises(ValueError, match="shared key"):
        key_of_a(peer_ephemeral=bytes(32))


def test_repr_shows_no_key() -> None:
    assert repr(ONCE_A) == "<Ephemeral>"
