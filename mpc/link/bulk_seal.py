"""The encryption of a bulk lane: its keys, its hello, and frames in pieces by AES-256-GCM.

    key    = HKDF-Expand(session key, domain || purpose || session || sender || receiver)
    hello  = MAGIC || session || sender || receiver || HMAC-SHA256(hello key, all before it)
    frame  = seal(0, head) || seal(1, piece 1) || ... || seal(k, piece k)

    head   = length of the body || header
    seal   = AES-256-GCM(frame key, nonce = number of the frame || number of the piece)

Each direction has keys of its own, and both ends count its frames, so no nonce comes twice and a
frame that is lost, repeated or moved is not opened. The head is associated data of every piece: a
piece belongs to its frame, and its session, kind and length. The length is proved before memory is
taken for it. Pieces are small enough to stay in the processor's cache between sealing and sending.

Both ends digest the heads, and the tags that the pieces were sealed with, for the transcript:

    digest = SHA-256(head || tag of piece 1 || ... || tag of piece k || head of the next frame ...)
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.frame import HEADER_BYTES, SESSION_BYTES

MAGIC = b"ppAURORA bulk 2\0"
"""The first bytes of a bulk connection; libzmq's clients begin with 0xFF."""
MAC_BYTES = 32
HELLO_BYTES = len(MAGIC) + SESSION_BYTES + 2 + MAC_BYTES
DOMAIN = b"ppAURORA bulk lane 2\0"
KEY_BYTES = 32
TAG_BYTES = 16
PIECE_BYTES = 512 << 10
HEAD = struct.Struct(f">I{HEADER_BYTES}s")
SEALED_HEAD_BYTES = HEAD.size + TAG_BYTES
NONCE = struct.Struct(">QI")

Body = bytes | memoryview
Room = Callable[[int], memoryview]
"""A function that gives memory for so many bytes."""


def hello(session_key: bytes, session: bytes, sender: int, receiver: int) -> bytes:
    """The first message of `sender` on the lane to `receiver`, which nobody else can make.

    Who connects says it first; who listens answers with its own.
    """
    said = MAGIC + session + bytes([sender, receiver])
    key = _key(session_key, b"hello", session, sender, receiver)
    return said + hmac.digest(key, said, sha256)


def pieces(length: int) -> Iterator[tuple[int, int, int]]:
    """Number, start and stop of each piece of a body of this length."""
    for number, start in enumerate(range(0, length, PIECE_BYTES), start=1):
        yield number, start, min(start + PIECE_BYTES, length)


class Sealer:
    """Seals the frames of one direction, one after the other."""

    def __init__(self, session_key: bytes, session: bytes, sender: int, receiver: int) -> None:
        self._aes = AESGCM(_key(session_key, b"frames", session, sender, receiver))
        self._frames = 0
        self._digest = sha256()
        self._sealed = memoryview(bytearray(SEALED_HEAD_BYTES + PIECE_BYTES + TAG_BYTES))

    def __repr__(self) -> str:
        return f"<Sealer of {self._frames} frames>"

    def sealed(self, header: bytes, body: Body) -> Iterator[memoryview]:
        """The frame as it travels, part by part; each part is gone when the next is asked for."""
        frame, self._frames = self._frames, self._frames + 1
        head = HEAD.pack(len(body), header)
        self._aes.encrypt_into(NONCE.pack(frame, 0), head, None, self._sealed[:SEALED_HEAD_BYTES])
        self._digest.update(head)
        begin, view = SEALED_HEAD_BYTES, memoryview(body)
        for number, start, stop in pieces(len(body)):
            end = begin + stop - start + TAG_BYTES
            nonce, into = NONCE.pack(frame, number), self._sealed[begin:end]
            self._aes.encrypt_into(nonce, view[start:stop], head, into)
            self._digest.update(into[-TAG_BYTES:])
            yield self._sealed[:end]
            begin = 0

    def digest(self) -> bytes:
        """The digest of all that was sealed."""
        return self._digest.digest()


class Opener:
    """Opens what a `Sealer` of the same direction has sealed; raises `BadFrame` for all else."""

    def __init__(self, session_key: bytes, session: bytes, sender: int, receiver: int) -> None:
        self._aes = AESGCM(_key(session_key, b"frames", session, sender, receiver))
        self._frames = 0
        self._digest = sha256()
        self._head = b""

    def __repr__(self) -> str:
        return f"<Opener of {self._frames} frames>"

    def head(self, sealed: Body) -> tuple[bytes, int]:
        """The header of the next frame, and how long its body is."""
        head = bytearray(HEAD.size)
        self._frames += 1
        self._open(0, sealed, None, head)
        self._head = bytes(head)
        self._digest.update(self._head)
        length, header = HEAD.unpack(self._head)
        return header, length

    def piece(self, number: int, sealed: Body, into: memoryview) -> None:
        """Open this piece of the frame whose head was opened last."""
        self._open(number, sealed, self._head, into)
        self._digest.update(sealed[-TAG_BYTES:])

    def body(
        self, sealed: memoryview, length: int, room: Callable[[int], memoryview]
    ) -> SealedBody:
        """All pieces of that frame at once, to be opened later, and by another thread."""
        for number, _, stop in pieces(length):
            end = stop + number * TAG_BYTES
            self._digest.update(sealed[end - TAG_BYTES : end])
        return SealedBody(self._aes, self._frames - 1, self._head, sealed, length, room)

    def digest(self) -> bytes:
        """The digest of all that was opened."""
        return self._digest.digest()

    def _open(
        self, number: int, sealed: Body, head: bytes | None, into: bytearray | memoryview
    ) -> None:
        _open(self._aes, self._frames - 1, number, sealed, head, into)


@dataclass(frozen=True, slots=True)
class SealedBody:
    """A body as it came, which is opened where it is used; its tags are digested already."""

    aes: AESGCM
    frame: int
    head: bytes
    sealed: memoryview
    length: int
    room: Room

    def __repr__(self) -> str:
        return f"<SealedBody of {self.length} bytes>"

    def __len__(self) -> int:
        return self.length

    def opened(self) -> memoryview:
        """The body; raises `BadFrame` if the peer has not sealed it."""
        body = self.room(self.length)
        for number, start, stop in pieces(self.length):
            begin, end = start + (number - 1) * TAG_BYTES, stop + number * TAG_BYTES
            sealed = self.sealed[begin:end]
            _open(self.aes, self.frame, number, sealed, self.head, body[start:stop])
        return body


class SealedFrame(NamedTuple):
    """Header and body of a frame that a bulk lane carried and has digested already."""

    header: bytes
    body: memoryview | SealedBody


def sealed_length(length: int) -> int:
    """The bytes of all sealed pieces of a body of this length."""
    return length + TAG_BYTES * -(-length // PIECE_BYTES)


def _open(
    aes: AESGCM,
    frame: int,
    number: int,
    sealed: Body,
    head: bytes | None,
    into: bytearray | memoryview,
) -> None:
    try:
        aes.decrypt_into(NONCE.pack(frame, number), sealed, head, into)
    except InvalidTag:
        raise BadFrame("a bulk frame that this session's key has not sealed") from None


def _key(session_key: bytes, purpose: bytes, session: bytes, sender: int, receiver: int) -> bytes:
    info = DOMAIN + purpose + b"\0" + session + bytes([sender, receiver])
    return HKDFExpand(SHA256(), KEY_BYTES, info).derive(session_key)
