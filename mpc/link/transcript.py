"""A digest of everything that went one way over a link, the same at both ends.

    tag_i  = GMAC(key, nonce = i, body of frame i)
    digest = SHA-256(header_0 || tag_0 || header_1 || tag_1 || ...)

over all frames after the handshake and before the farewell; i is the frame's number, which its
header holds with session, kind, step and length. GMAC is AES-GCM of nothing with the body as
associated data: ten times as fast as SHA-256 of the bodies, and its key, derived from the session
key, is known to the two ends only. So two ends that saw the same frames have the same digest, and
to anybody without the key it tells nothing about the bodies. It does not bind its own end: who
holds the key could find other bodies of the same tag. It shows that two ends disagree, not which of
them is at fault.
"""

from __future__ import annotations

from hashlib import sha256

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

KEY_BYTES = 16
NONCE_BYTES = 12
DOMAIN = b"ppAURORA transcript 1\0"


class Transcript:
    """The digest of one direction of a link, which grows with each frame."""

    __slots__ = ("_digest", "_gmac")

    def __init__(self, session_key: bytes, sender: int) -> None:
        """Both ends give the session key of the pair and the role that sends in this direction."""
        key = HKDFExpand(SHA256(), KEY_BYTES, DOMAIN + bytes([sender])).derive(session_key)
        self._gmac = AESGCM(key)
        self._digest = sha256()

    def __repr__(self) -> str:
        return "<Transcript>"

    def add(self, header: bytes, sequence: int, body: bytes | memoryview) -> None:
        """Take in the frame of this number."""
        nonce = sequence.to_bytes(NONCE_BYTES, "big")
        self._digest.update(header)
        self._digest.update(self._gmac.encrypt(nonce, b"", body))

    def digest(self) -> str:
        """The digest of all frames so far, in hexadecimal digits."""
        return self._digest.hexdigest()
