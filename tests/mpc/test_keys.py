"""Keys: one identity a party, which agrees on secrets and signs, and nothing secret in sight."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ppaurora.mpc.keys import (
    Identity,
    PublicKey,
    fingerprint,
    link_fingerprint,
    verify,
)

A = Identity.from_private(bytes(range(64)))
B = Identity.from_private(bytes(range(64, 128)))


@pytest.mark.parametrize("public", [bytes(32), b"\1" + bytes(31)])
def test_a_degenerate_peer_key_is_refused(public: bytes) -> None:
    with pytest.raises(ValueError, match="shared key"):
        A.shared_secret(PublicKey(public, bytes(32)))


def test_an_identity_is_stored_and_read_back() -> None:
    fresh = Identity.generate()
    assert Identity.from_private(fresh.private_bytes()).public == fresh.public
    with pytest.raises(ValueError, match="32"):
        Identity.from_private(b"too short")


def test_repr_shows_the_fingerprint_and_no_key() -> None:
    text = repr(A)
    assert fingerprint(A.public) in text
    assert A.private_bytes().hex() not in text
    assert A.public.to_bytes().hex() not in text


def test_a_fingerprint_is_five_groups_of_four() -> None:
    groups = fingerprint(A.public).split("-")
    assert [len(group) for group in groups] == [4] * 5
    assert fingerprint(A.public) != fingerprint(B.public)
    assert link_fingerprint(bytes(32)) == "MZUH-VLPY-MK6X-O3EP-YGFY"


def test_a_fingerprint_covers_both_keys() -> None:
    mixed = [
        A.public,
        PublicKey(A.public.exchange, B.public.signing),
        PublicKey(B.public.exchange, A.public.signing),
        PublicKey(A.public.signing, A.public.exchange),
    ]
    assert len({fingerprint(public) for public in mixed}) == len(mixed)


def test_a_public_key_is_two_whole_keys() -> None:
    assert PublicKey.from_bytes(A.public.to_bytes()) == A.public
    for data in (A.public.exchange, A.public.to_bytes()[:-1], A.public.to_bytes() + b"\0", b""):
        with pytest.raises(ValueError, match="two keys of 32 bytes"):
            PublicKey.from_bytes(data)


def test_only_the_signer_of_exactly_these_bytes_is_believed() -> None:
    signature = A.sign(b"result 1")
    assert verify(A.public, b"result 1", signature)
    assert not verify(A.public, b"result 2", signature)
    assert not verify(B.public, b"result 1", signature)
    for broken in (b"", signature[:-1], signature[:-1] + bytes([signature[-1] ^ 1])):
        assert not verify(A.public, b"result 1", broken)
    assert not verify(PublicKey(A.public.exchange, b"\xff" * 32), b"result 1", signature)


def test_a_signature_is_of_this_program_and_its_form_never_changes() -> None:
    """Plain Ed25519 over the same bytes, as another program might sign them, is not taken."""
    foreign = Ed25519PrivateKey.from_private_bytes(A.private_bytes()[32:]).sign(b"result 1")
    assert not verify(A.public, b"result 1", foreign)
    assert A.sign(b"").hex() == (
        "655db63f0ec121006eaecd98337c47dae878d2db7956b6f3e211b697539f35f6"
        "b416a5be58c59e2ef363b05824a63037d44bfcb9ba4dda681ec96df44beeec05"
    )
