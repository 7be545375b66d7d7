"""The identity of a party: a key to agree on secrets, a key to sign, and the names of both."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
SIGNATURE_BYTES = 64
SIGNATURE_DOMAIN = b"ppAURORA signature 2\0"
LASTING_KEY_DOMAIN = b"ppAURORA lasting key 1\0"
FINGERPRINT_LETTERS = 20


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public keys of a party: X25519 for links and secrets, Ed25519 for signatures.

    An encrypted link shows the first one only, so a connection is looked up by `exchange`.
    `good_until` is the last day, in UTC, on which the key is to be used; None where nobody said.
    It is told of a key and is no part of it: a key is the same whatever day is told.
    """

    exchange: bytes
    signing: bytes
    good_until: date | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (len(self.exchange), len(self.signing)) != (KEY_BYTES, KEY_BYTES):
            raise ValueError(f"a public key is two keys of {KEY_BYTES} bytes each")

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The key that `to_bytes` wrote; raises ValueError unless these are 64 bytes."""
        return cls(data[:KEY_BYTES], data[KEY_BYTES:])

    def to_bytes(self) -> bytes:
        """Both keys in 64 bytes."""
        return self.exchange + self.signing


class Identity:
    """A party's long-lived keys: X25519 for its links and streams, Ed25519 for what it signs.

    Both lie in one file and both are in one fingerprint, so that operators exchange and compare one
    line only.
    """

    __slots__ = ("_exchange", "_signing", "public")

    def __init__(
        self,
        exchange: X25519PrivateKey,
        signing: Ed25519PrivateKey,
        good_until: date | None = None,
    ) -> None:
        self._exchange = exchange
        self._signing = signing
        self.public = PublicKey(
            exchange.public_key().public_bytes_raw(),
            signing.public_key().public_bytes_raw(),
            good_until,
        )

    def __repr__(self) -> str:
        return f"<Identity {fingerprint(self.public)}>"

    @classmethod
    def generate(cls, good_until: date | None = None) -> Identity:
        """New keys from the operating system's randomness."""
        return cls(X25519PrivateKey.generate(), Ed25519PrivateKey.generate(), good_until)

    @classmethod
    def from_private(cls, private: bytes, good_until: date | None = None) -> Identity:
        """The keys whose private halves were stored; raises ValueError unless 2 x 32 bytes."""
        return cls(
            X25519PrivateKey.from_private_bytes(private[:KEY_BYTES]),
            Ed25519PrivateKey.from_private_bytes(private[KEY_BYTES:]),
            good_until,
        )

    def private_bytes(self) -> bytes:
        """Both private halves, to be stored where only their owner can read them."""
        return self.exchange_private_bytes() + self._signing.private_bytes_raw()

    def exchange_private_bytes(self) -> bytes:
        """The private half of the X25519 key, which is also the key of encrypted links."""
        return self._exchange.private_bytes_raw()

    def shared_secret(self, peer: PublicKey) -> bytes:
        """The Diffie-Hellman secret with a peer; raises ValueError for a degenerate peer key."""
        return self._exchange.exchange(X25519PublicKey.from_public_bytes(peer.exchange))

    def lasting_key(self, occasion: bytes) -> bytes:
        """32 bytes that look random to everybody else, and are the same for the same occasion.

        HKDF-SHA256 of the private halves; info: a domain and the hash of the occasion.
        """
        info = LASTING_KEY_DOMAIN + hashlib.sha256(occasion).digest()
        return HKDF(SHA256(), KEY_BYTES, None, info).derive(self.private_bytes())

    def sign(self, data: bytes) -> bytes:
        """This party's Ed25519 signature (RFC 8032) of `data`, after a domain of its own.

        `data` should say what it is and what it belongs to: a signature is valid wherever the same
        bytes are expected.
        """
        return self._signing.sign(SIGNATURE_DOMAIN + data)


def verify(public: PublicKey, data: bytes, signature: bytes) -> bool:
    """True if the holder of `public` has signed `data`.

    >>> signer = Identity.generate()
    >>> verify(signer.public, b"a result", signer.sign(b"a result"))
    True
    >>> verify(signer.public, b"another result", signer.sign(b"a result"))
    False
    """
    try:
        key = Ed25519PublicKey.from_public_bytes(public.signing)
        key.verify(signature, SIGNATURE_DOMAIN + data)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: PublicKey) -> str:
    """A short name of a public key: five groups of four letters, to compare on the telephone.

    These are the first 100 bits of SHA-256 of both keys in base32, whose alphabet A-Z and 2-7 has
    no 0 or 1 to confuse with O or I. Finding another key with the same fingerprint takes about
    2^100 tries.

    >>> fingerprint(PublicKey(bytes(32), bytes(32)))
    '6WS7-2QWR-NIQD-AJ4Y-55XN'
    """
    return _in_groups(public.to_bytes())


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
WORDS = """
Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa
Quebec Romeo Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu Two Three Four Five Six Seven
"""
SPELT = dict(zip(LETTERS, WORDS.split(), strict=True))
"""The letters of base32 as they are read out over the telephone [ICAO Annex 10, II, 5.2.1.3]."""


def spelt(name: str) -> list[str]:
    """A fingerprint in words of the international spelling alphabet, one text for each group.

    >>> spelt("6WS7-2QWR")
    ['Six Whiskey Sierra Seven', 'Two Quebec Whiskey Romeo']
    """
    return [" ".join(SPELT[letter] for letter in group) for group in name.split("-")]


def link_fingerprint(exchange: bytes) -> str:
    """A short name of the key of a connection, where nobody knows whose it is.

    A connection shows its X25519 key only; `ppaurora keys show` prints this name, too.
    """
    return _in_groups(exchange)


def _in_groups(data: bytes) -> str:
    letters = base64.b32encode(hashlib.sha256(data).digest()).decode("ascii")
    return "-".join(letters[start : start + 4] for start in range(0, FINGERPRINT_LETTERS, 4))
