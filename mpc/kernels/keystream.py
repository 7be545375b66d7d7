"""The keystream of AES-128 in counter mode, by the library on processors that it knows."""

from __future__ import annotations

from enum import IntEnum

from ppaurora.mpc.kernels.arrays import at
from ppaurora.mpc.kernels.library import BYTES, COUNT, NUMBER, WORD, WORDS, function
from ppaurora.mpc.kernels.wide_source import KEYSTREAM_NAME
from ppaurora.mpc.words import Words

AES_KEY_BYTES = 16


class How(IntEnum):
    """What becomes of given words and those of the stream, as C numbers it."""

    DRAWN = 0
    XOR = 1
    PLUS = 2
    MINUS = 3


def keystream(key: bytes, first: int, how: How, words: Words, out: Words) -> bool:
    """Write the stream's words from number `first` on, or what becomes of `words` with them.

    `out` may be `words`. False if the library does not do it here, or not for such arrays.
    """
    compiled = function(KEYSTREAM_NAME, BYTES, WORD, WORDS, WORDS, COUNT, NUMBER)
    if compiled is None or len(key) != AES_KEY_BYTES:
        return False
    if not (words.size == out.size and words.flags.c_contiguous and out.flags.carray):
        return False
    compiled(key, first, at(words), at(out), out.size, how)
    return True
