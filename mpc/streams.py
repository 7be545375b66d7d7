"""Randomness: AES-128-CTR streams that the two parties of a pair share.

A pair's session key (from the handshake) gives each named stream a key of its own through HKDF, so
no two uses ever share words; a name can be opened once. `os.urandom` is for keys only.
"""

from __future__ import annotations

from itertools import count
from math import prod

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.words import Shape, Words

KEY_BYTES = 16
_CHUNK = 1 << 20
_ZEROS = memoryview(bytes(_CHUNK))
SLACK = 2
"""Words of room behind what is written: the cipher requires room for one block more."""


def with_slack(count: int) -> Words:
    """An array with room for `count` words of a stream."""
    return np.empty(count + SLACK, np.uint64)


class Stream:
    """The keystream of one key from a word on; every word is read once, in order."""

    __slots__ = ("_encryptor", "_key", "_next")

    def __init__(self, key: bytes, first: int = 0) -> None:
        self._key = key
        self._next = first
        self._encryptor: CipherContext | None = None

    def _read(self, count: int) -> CipherContext:
        """The cipher at the next word, from where so many are read now."""
        if self._encryptor is None:
            # a block of the cipher has two words
            block, odd = divmod(self._next, 2)
            self._encryptor = Cipher(AES(self._key), CTR(block.to_bytes(16, "big"))).encryptor()
            self._encryptor.update(bytes(8 * odd))
        self._next += count
        return self._encryptor

    def __repr__(self) -> str:
        return "<Stream>"

    def words(self, count: int) -> Words:
        """The next `count` uniformly random words."""
        out = with_slack(count)
        self._write(out, count, None)
        return out[:count]

    def array(self, shape: Shape) -> Words:
        """The next words of the stream in the given shape."""
        return self.words(prod(shape)).reshape(shape)

    def part(self, count: int) -> Stream:
        """The next `count` words as a stream of their own, for another thread to read."""
        part = Stream(self._key, self._next)
        self._next += count
        self._encryptor = None
        return part

    def blind(self, words: Words, out: Words) -> None:
        """Write `words` XOR the next words of the stream to the front of `out`, in one pass.

        `out` has SLACK words of room behind, which may be overwritten.
        """
        self._write(out, words.size, np.ascontiguousarray(words).reshape(-1))

    def blind_in_place(self, words: Words) -> None:
        """Replace `words`, one after the other in memory, by their XOR with the stream's next."""
        encryptor = self._read(words.size)
        data = words.view(np.uint8).data
        # the cipher requires room for one block more than it writes
        last = max(0, len(data) - 8 * SLACK)
        for start in range(0, last, _CHUNK):
            stop = min(start + _CHUNK, last)
            encryptor.update_into(data[start:stop], data[start:])
        data[last:] = encryptor.update(data[last:])

    def permutation(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """A uniformly random permutation of `count` items: the order of as many random words.

        If two of the words are equal, all are drawn again, since a stable sort would not change
        the order of the two.
        """
        while True:
            draws = self.words(count)
            order = np.argsort(draws, kind="stable")
            ranked = draws[order]
            if count < 2 or bool(np.all(ranked[1:] != ranked[:-1])):
                return order

    def _write(self, out: Words, count: int, source: Words | None) -> None:
        encryptor = self._read(count)
        target = out.view(np.uint8).data
        data = _ZEROS if source is None else source.view(np.uint8).data
        for start in range(0, count * 8, _CHUNK):
            stop = min(start + _CHUNK, count * 8)
            piece = data[: stop - start] if source is None else data[start:stop]
            encryptor.update_into(piece, target[start:])


class StreamFamily:
    """All the streams of one key in one session; each name is opened once."""

    __slots__ = ("_opened", "_session_key")

    def __init__(self, session_key: bytes) -> None:
        self._session_key = session_key
        self._opened: set[str] = set()

    def __repr__(self) -> str:
        return f"<StreamFamily of {len(self._opened)} streams>"

    def key(self, name: str) -> bytes:
        """The key of the stream `name`, given out once."""
        if name in self._opened:
            raise LocalProtocolError(f"the stream {name!r} was opened before in this session")
        self._opened.add(name)
        info = b"ppaurora stream\0" + name.encode()
        return HKDFExpand(SHA256(), KEY_BYTES, info).derive(self._session_key)

    def open_next(self, use: str) -> Stream:
        """The next of the numbered streams of one use: the first one that was not opened yet."""
        number = next(n for n in count() if f"{use} {n}" not in self._opened)
        return self.open(f"{use} {number}")

    def open(self, name: str) -> Stream:
        """The stream `name`, opened once."""
        return Stream(self.key(name))


class Sections:
    """Streams numbered 0, 1, 2, ...: one for each place in a primitive where words are read.

    A primitive reads one section for all blocks, then another, at several hops; the helper reads
    all sections for one block, then for the next. Both read each single section in the order of the
    blocks, and so the same words.
    """

    __slots__ = ("_family", "_name", "_streams")

    def __init__(self, family: StreamFamily, name: str) -> None:
        self._family = family
        self._name = name
        self._streams: list[Stream] = []

    def __getitem__(self, section: int) -> Stream:
        while section >= len(self._streams):
            self._streams.append(self._family.open(f"{self._name} {len(self._streams)}"))
        return self._streams[section]
