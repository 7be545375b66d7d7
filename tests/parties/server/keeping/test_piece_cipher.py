"""An encrypted piece is read at its own place, with its own key, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.parties.server.keeping.piece_cipher import MORE_BYTES, PieceCipher, Undecipherable

CIPHER = PieceCipher(bytes(range(32)), b"study" * 7, "upload", "ann", 1000)
PLAIN = bytes(range(100))


def test_a_piece_reads_back_and_never_looks_the_same_twice() -> None:
    first, second = CIPHER.encrypt(3, PLAIN), CIPHER.encrypt(3, PLAIN)
    assert first != second
    assert len(first) == len(PLAIN) + MORE_BYTES
    assert CIPHER.decrypt(3, first) == CIPHER.decrypt(3, second) == PLAIN


@pytest.mark.parametrize(
    "other",
    [
        replace(CIPHER, key=bytes(32)),
        replace(CIPHER, study=b"other" * 7),
        replace(CIPHER, name="other"),
        replace(CIPHER, owner="ben"),
        replace(CIPHER, size=999),
    ],
)
def test_a_piece_of_something_else_is_refused(other: PieceCipher) -> None:
    with pytest.raises(Undecipherable):
        CIPHER.decrypt(3, other.encrypt(3, PLAIN))


def test_a_piece_that_is_elsewhere_or_changed_is_refused() -> None:
    written = CIPHER.encrypt(3, PLAIN)
    with pytest.raises(Undecipherable):
        CIPHER.decrypt(2, written)
    for place in range(len(written)):
        with pytest.raises(Undecipherable):
            CIPHER.decrypt(3, written[:place] + bytes([written[place] ^ 1]) + written[place + 1 :])
    for length in (0, 11, MORE_BYTES - 1, MORE_BYTES, len(written) - 1):
        with pytest.raises(Undecipherable):
            CIPHER.decrypt(3, written[:length])


def test_a_cipher_shows_no_key() -> None:
    assert "key" not in repr(CIPHER)
