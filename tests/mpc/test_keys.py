"""Keys: one pair a party, one key a pair and session, and nothing secret in sight."""

from __future__ import annotations

import itertools

import pytest

from ppaurora.mpc.keys import Identity, fingerprint, session_key
from ppaurora.mpc.role import Role

A = Identity.from_private(bytes(range(32)))
B = Identity.from_private(bytes(range(32, 64)))
TERMS = {"study": bytes(32), "session": bytes(16)}
NONCE_A, NONCE_B = b"a" * 32, b"b" * 32


def key_of_a(**changes: object) -> bytes:
    told = {"roles": (Role.P0, Role.P1), "nonces": (NONCE_A, NONCE_B), **TERMS, **changes}
    return session_key(A, B.public, **told)  # type: ignore[arg-type]


def test_both_sides_derive_the_same_key() -> None:
    key_of_b = session_key(
        B, A.public, roles=(Role.P1, Role.P0), nonces=(NONCE_B, NONCE_A), **TERMS
    )
    assert key_of_a() == key_of_b
    assert len(key_of_b) == 32


def test_the_derivation_never_changes() -> None:
    """A test vector: RFC 7748 for the secret, RFC 5869 for the rest."""
    assert A.public.hex() == "8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f"
    assert key_of_a().hex() == "fb25bcaec9472472693def8ba248e2130320d3d521616302ff86a6f4eb508bf8"


def test_every_input_changes_the_key() -> None:
    keys = [
        key_of_a(),
        key_of_a(study=b"\1" + bytes(31)),
        key_of_a(session=b"\1" + bytes(15)),
        key_of_a(roles=(Role.P0, Role.HELPER)),
        key_of_a(roles=(Role.P1, Role.P0)),
        key_of_a(nonces=(b"c" * 32, NONCE_B)),
        key_of_a(nonces=(NONCE_A, b"c" * 32)),
        key_of_a(nonces=(NONCE_B, NONCE_A)),
        session_key(
            A,
            Identity.generate().public,
            roles=(Role.P0, Role.P1),
            nonces=(NONCE_A, NONCE_B),
            **TERMS,
        ),
    ]
    assert all(one != other for one, other in itertools.combinations(keys, 2))


def test_a_key_needs_two_roles_and_whole_nonces() -> None:
    with pytest.raises(ValueError, match="two different roles"):
        key_of_a(roles=(Role.P0, Role.P0))
    with pytest.raises(ValueError, match="whole nonces"):
        key_of_a(nonces=(NONCE_A, b"short"))


@pytest.mark.parametrize("public", [bytes(32), b"\1" + bytes(31)])
def test_a_degenerate_peer_key_is_refused(public: bytes) -> None:
    with pytest.raises(ValueError, match="shared key"):
        A.shared_secret(public)


def test_an_identity_is_stored_and_read_back() -> None:
    fresh = Identity.generate()
    assert Identity.from_private(fresh.private_bytes()).public == fresh.public
    with pytest.raises(ValueError, match="32"):
        Identity.from_private(b"too short")


def test_repr_shows_the_fingerprint_and_no_key() -> None:
    text = repr(A)
    assert fingerprint(A.public) in text
    assert A.private_bytes().hex() not in text
    assert A.public.hex() not in text


def test_a_fingerprint_is_five_groups_of_four() -> None:
    groups = fingerprint(A.public).split("-")
    assert [len(group) for group in groups] == [4] * 5
    assert fingerprint(A.public) != fingerprint(B.public)
    assert fingerprint(bytes(32)) == "MZUH-VLPY-MK6X-O3EP-YGFY"
