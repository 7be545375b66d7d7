"""Who a party is: one X25519 key pair, and the keys that two parties derive for one session."""

from __future__ import annotations

import base64
import hashlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ppaurora.mpc.role import Role

KEY_BYTES = 32
NONCE_BYTES = 32
STREAM_KEY_DOMAIN = b"ppAURORA stream key 1\0"
FINGERPRINT_LETTERS = 20


class Identity:
    """A party's long-lived key pair: the key of its encrypted links and of its streams.

    The same Curve25519 pair authenticates the links (CURVE) and agrees on stream keys, so that
    operators exchange and compare one public key only.
    """

    __slots__ = ("_private", "public")

    def __init__(self, private: X25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"<Identity {fingerprint(self.public)}>"

    @classmethod
    def generate(cls) -> Identity:
        """A new key pair from the operating system's randomness."""
        return cls(X25519PrivateKey.generate())

    @classmethod
    def from_private(cls, private: bytes) -> Identity:
        """The key pair whose private half was stored; raises ValueError unless 32 bytes."""
        return cls(X25519PrivateKey.from_private_bytes(private))

    def private_bytes(self) -> bytes:
        """The private half, to be stored where only its owner can read it."""
        return self._private.private_bytes_raw()

    def shared_secret(self, peer_public: bytes) -> bytes:
        """The Diffie-Hellman secret with a peer; raises ValueError for a degenerate peer key."""
        return self._private.exchange(X25519PublicKey.from_public_bytes(peer_public))


def fingerprint(public: bytes) -> str:
    """A short name of a public key: five groups of four letters, to compare on the telephone.

    These are the first 100 bits of SHA-256 in base32, whose alphabet A-Z and 2-7 has no 0 or 1 to
    confuse with O or I. Finding another key with the same fingerprint takes about 2^100 tries.

    >>> fingerprint(bytes(32))
    'MZUH-VLPY-MK6X-O3EP-YGFY'
    """
    letters = base64.b32encode(hashlib.sha256(public).digest()).decode("ascii")
    return "-".join(letters[start : start + 4] for start in range(0, FINGERPRINT_LETTERS, 4))


def session_key(
    identity: Identity,
    peer_public: bytes,
    *,
    roles: tuple[Role, Role],
    nonces: tuple[bytes, bytes],
    study: bytes,
    session: bytes,
) -> bytes:
    """The 32-byte key that a pair shares for one session: HKDF-SHA256 (RFC 5869) of X25519.

    `roles` and `nonces` are (own, peer's). Salt: both nonces; info: protocol and version, study
    hash, session, both roles and both public keys; all of fixed length, the lower role first.
    """
    own, peer = (
        (bytes([role]), nonce, public)
        for role, nonce, public in zip(roles, nonces, (identity.public, peer_public), strict=True)
    )
    (role0, nonce0, public0), (role1, nonce1, public1) = sorted((own, peer))
    if role0 == role1 or {len(nonce0), len(nonce1)} != {NONCE_BYTES}:
        raise ValueError("a session key needs two different roles and two whole nonces")
    return HKDF(
        algorithm=hashes.SHA256(),
        length=KEY_BYTES,
        salt=nonce0 + nonce1,
        info=STREAM_KEY_DOMAIN + study + session + role0 + role1 + public0 + public1,
    ).derive(identity.shared_secret(peer_public))
