"""The key that two parties share for one session, and what it is derived from.

    secret   = X25519(own key, peer's key) || X25519(own ephemeral key, peer's ephemeral key)
    salt     = SHA-256(HELLO of the lower role) || SHA-256(HELLO of the higher role)
    info     = domain || both roles || both public keys, the lower role first
    key      = HKDF-SHA256(secret, salt, info), 32 bytes (RFC 7748, RFC 5869)

The first secret needs a long-lived private key, so nobody else can derive the session key. The
second needs an ephemeral private key, which is forgotten with the handshake: whoever records all
frames and gets both long-lived keys later still cannot derive it (forward secrecy). A HELLO holds
everything that the parties state: version, role, study, session, parameters, nonce, ephemeral key.
If the two ends differ in any of it, they derive different keys, and the proofs show that.
"""

from __future__ import annotations

from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ppaurora.mpc.keys import KEY_BYTES, Identity, PublicKey
from ppaurora.mpc.role import Role

SESSION_KEY_DOMAIN = b"ppAURORA session key 2\0"


class Ephemeral:
    """A key pair for one HELLO and no other; it is never stored."""

    __slots__ = ("_private", "public")

    def __init__(self, private: X25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return "<Ephemeral>"

    @classmethod
    def generate(cls) -> Ephemeral:
        """A new pair from the operating system's randomness."""
        return cls(X25519PrivateKey.generate())

    def shared_secret(self, peer: bytes) -> bytes:
        """The secret with a peer's ephemeral key; raises ValueError for a degenerate one."""
        return self._private.exchange(X25519PublicKey.from_public_bytes(peer))


def session_key(
    identity: Identity,
    ephemeral: Ephemeral,
    *,
    peer: PublicKey,
    peer_ephemeral: bytes,
    roles: tuple[Role, Role],
    hellos: tuple[bytes, bytes],
) -> bytes:
    """The 32-byte key of a pair for one session; `roles` and `hellos` are (own, peer's).

    Raises ValueError for a degenerate key, which would make a secret that everybody knows.
    """
    own, other = (
        (bytes([role]), public.to_bytes(), sha256(hello).digest())
        for role, public, hello in zip(roles, (identity.public, peer), hellos, strict=True)
    )
    (role0, public0, hello0), (role1, public1, hello1) = sorted((own, other))
    if role0 == role1:
        raise ValueError("a session key needs two different roles")
    return HKDF(
        algorithm=SHA256(),
        length=KEY_BYTES,
        salt=hello0 + hello1,
        info=SESSION_KEY_DOMAIN + role0 + role1 + public0 + public1,
    ).derive(identity.shared_secret(peer) + ephemeral.shared_secret(peer_ephemeral))
