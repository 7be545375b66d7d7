"""Randomness: AES-128-CTR streams that the two parties of a pair share.

A pair's session key (from the handshake) gives each named stream a key of its own through HKDF, so
no two uses ever share words; a name can be opened once. `os.urandom` is for keys only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import prod
from time import thread_time
from typing import Final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR, GCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import Shape, Words

KEY_BYTES = 16
_CHUNK = 1 << 20
_ZEROS = memoryview(bytes(_CHUNK))
SLACK = 2
"""Words of room behind what is written: the cipher requires room for one block more."""


@dataclass(frozen=True, slots=True)
class Counting:
    """The counting of a stream's blocks: by segments, each with a counter of its own.

    A block is two words. Block b of segment s is the encryption of (s, first + b), as numbers of 96
    and of 32 bits: no two blocks of a stream are the same.
    """

    segment_words: int
    first: int

    def counter(self, word: int) -> int:
        """The counter that is encrypted to the block with this word."""
        segment, inside = divmod(word, self.segment_words)
        return (segment << 32) + self.first + inside // 2


LASTING: Final = Counting(1 << 33, 0)
"""One counter from zero on. Uploads that wait on a disk, and secrets that outlast a session, were
made with it: it must stay as it is."""

PASSING: Final = Counting(1 << 17, 2)
"""For streams that no session after this one reads. Each segment is what AES-GCM encrypts zeros to
under the number of the segment as its nonce: many processors have quicker code for that."""


TRIES = 8


def with_slack(count: int) -> Words:
    """An array for `count` words of a stream and `SLACK` more, with nothing written to it yet."""
    return np.empty(count + SLACK, np.uint64)


@cache
def gcm_is_quicker() -> bool:
    """True if this machine makes a segment in less time as AES-GCM than in counter mode alone."""
    size = 8 * PASSING.segment_words
    out = memoryview(bytearray(size + 8 * SLACK))

    def seconds(mode: CTR | GCM) -> float:
        begun = thread_time()
        Cipher(AES(bytes(KEY_BYTES)), mode).encryptor().update_into(_ZEROS[:size], out)
        return thread_time() - begun

    # in turn, so that a busy moment of the machine meets both
    turns = [(seconds(GCM(bytes(12))), seconds(CTR(bytes(16)))) for _ in range(TRIES)]
    return min(by_gcm for by_gcm, _ in turns) < min(by_ctr for _, by_ctr in turns)


class Stream:
    """The keystream of one key from a word on; every word is read once, in order."""

    __slots__ = ("_counting", "_encryptor", "_key", "_next")

    def __init__(self, key: bytes, first: int = 0, counting: Counting = LASTING) -> None:
        self._key = key
        self._next = first
        self._counting = counting
        self._encryptor: CipherContext | None = None

    def _opened(self) -> CipherContext:
        """The cipher at the next word."""
        counter = self._counting.counter(self._next).to_bytes(16, "big")
        begins = self._next % self._counting.segment_words == 0
        if begins and self._counting is PASSING and gcm_is_quicker():
            return Cipher(AES(self._key), GCM(counter[:12])).encryptor()
        encryptor = Cipher(AES(self._key), CTR(counter)).encryptor()
        if self._next % 2:
            encryptor.update(bytes(8))
        return encryptor

    def _read(self, count: int) -> Iterator[tuple[CipherContext, int, int]]:
        """The next `count` words in pieces: the cipher, and from and to which byte it makes them.

        Each piece must be made before the next is asked for.
        """
        start, end = 0, 8 * count
        while start < end:
            if self._encryptor is None:
                self._encryptor = self._opened()
            left = self._counting.segment_words - self._next % self._counting.segment_words
            stop = min(end, start + 8 * left, start + _CHUNK)
            yield self._encryptor, start, stop
            self._next += (stop - start) // 8
            if self._next % self._counting.segment_words == 0:
                self._encryptor = None
            start = stop

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
        part = Stream(self._key, self._next, self._counting)
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
        data = words.view(np.uint8).data
        # the cipher requires room for one block more than it writes
        last = max(0, len(data) - 8 * SLACK)
        for cipher, start, stop in self._read(words.size):
            middle = max(start, min(stop, last))
            cipher.update_into(data[start:middle], data[start:])
            data[middle:stop] = cipher.update(data[middle:stop])

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
        target = out.view(np.uint8).data
        data = None if source is None else source.view(np.uint8).data
        for cipher, start, stop in self._read(count):
            piece = _ZEROS[: stop - start] if data is None else data[start:stop]
            cipher.update_into(piece, target[start:])


class StreamFamily:
    """All the streams of one key in one session; each name is opened once."""

    __slots__ = ("_counting", "_opened", "_session_key")

    def __init__(self, session_key: bytes, counting: Counting = LASTING) -> None:
        self._session_key = session_key
        self._counting = counting
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
        return Stream(self.key(name), counting=self._counting)


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
