"""A digest of everything that went one way over a link, the same at both ends.

    digest = SHA-256(plain || sealed)
    plain  = SHA-256(header || tag || header || tag || ...)  over the frames that no lane carried
    sealed = the digest of those that the bulk lane carried, from its own tags (`bulk_seal.py`)
    tag    = GMAC(key, nonce = i, body of frame i)

over all frames after the handshake and before the closing but credit (`UNDIGESTED`); i is the
frame's number, which its header holds with session, kind, step and length. It is the sender's count
of all its frames, credit among them, and both ends take it from the header, so a digest is the same
at both whenever credit was given. These numbers bind the order of all frames, though
`plain` and `sealed` grow apart: a frame is sealed by a thread of the lane, some time after it was
sent. With the lane's own tags no large body is read a second time.

GMAC is AES-GCM of nothing with the body as associated data: ten times as fast as SHA-256 of the
bodies. Its key and the lane's are derived from the session key, which the two ends know and nobody
else. So two ends that saw the same frames have the same digest, and to anybody without the key it
tells nothing about the bodies. It does not bind its own end: who holds the key could find other
bodies of the same tags. It shows that two ends disagree, not which of them is at fault.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

KEY_BYTES = 16
NONCE_BYTES = 12
DOMAIN = b"ppAURORA transcript 3\0"
NOTHING_SEALED = sha256().digest()
"""The value of `sealed` if no frame went over a bulk lane."""


class SealedFrame(NamedTuple):
    """Header and body of a frame that a bulk lane carried and has digested already."""

    header: bytes
    body: memoryview


class Transcript:
    """The digest of one direction of a link, which grows with each frame that no lane carried."""

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

    def digest(self, sealed: bytes = NOTHING_SEALED) -> str:
        """The digest of all frames so far, and of those `sealed`, in hexadecimal digits."""
        return sha256(self._digest.digest() + sealed).hexdigest()
