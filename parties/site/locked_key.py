"""A private key locked with a passphrase: one line of text, which nobody opens without it.

    ppaurora-locked-1:PUBLIC KEY:DAY:scrypt-17-8-1:SALT:NONCE:SEALED

    key    = scrypt(passphrase, salt, N = 2^17, r = 8, p = 1)               [RFC 7914]
    SEALED = AES-256-GCM(key, nonce, both private halves; everything before it is authenticated)

One guess takes 128 MiB and about half a second. The costs stand in the line, so that a later
version may raise them, and are bounded when they are read: a line from elsewhere cannot take more
than 256 MiB. The public key stands in the open, so that it can be shown without the passphrase.
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.private_line import LOCKED_PREFIX
from ppaurora.parties.study.public_keys import day_of

SALT_BYTES, NONCE_BYTES, TAG_BYTES = 16, 12, 16
PRIVATE_BYTES = 64
COST = re.compile(r"scrypt-([1-9]\d?)-([1-9]\d?)-([1-9]\d?)")
MOST_MEMORY = 256 << 20
LEAST_DOUBLINGS, MOST_LANES = 14, 4


@dataclass(frozen=True, slots=True)
class ScryptCost:
    """The cost of one guess: scrypt's N as a power of two, its r and its p."""

    doublings: int = 17
    block: int = 8
    lanes: int = 1

    def __post_init__(self) -> None:
        memory = 128 * self.block << self.doublings
        if self.doublings < LEAST_DOUBLINGS or self.block != 8 or not 1 <= self.lanes <= MOST_LANES:
            raise ValueError("these parameters of scrypt are not used")
        if memory > MOST_MEMORY:
            raise ValueError(f"scrypt would take {memory >> 20} MiB of memory")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The cost that `str` wrote; raises ValueError for any other text, and for any excess."""
        match = COST.fullmatch(text)
        if match is None:
            raise ValueError("no parameters of scrypt")
        return cls(*map(int, match.groups()))

    def __str__(self) -> str:
        return f"scrypt-{self.doublings}-{self.block}-{self.lanes}"


USUAL_COST = ScryptCost()
LEAST_COST = ScryptCost(LEAST_DOUBLINGS)


@dataclass(frozen=True, slots=True)
class LockedKey:
    """A locked key as it was read: whose it says to be, and what it takes to open it."""

    public: PublicKey
    cost: ScryptCost
    salt: bytes
    nonce: bytes
    sealed: bytes

    @classmethod
    def parse(cls, line: str) -> Self:
        """The locked key in this line; raises ValueError unless `locked` could have written it."""
        fields = line.removeprefix(LOCKED_PREFIX).split(":")
        if not line.startswith(LOCKED_PREFIX) or len(fields) != 6:
            raise ValueError("no locked key")
        public = replace(
            PublicKey.from_bytes(bytes.fromhex(fields[0])), good_until=day_of(fields[1])
        )
        key = cls(public, ScryptCost.parse(fields[2]), *map(bytes.fromhex, fields[3:]))
        sizes = (SALT_BYTES, NONCE_BYTES, PRIVATE_BYTES + TAG_BYTES)
        if (len(key.salt), len(key.nonce), len(key.sealed)) != sizes:
            raise ValueError("a locked key of the wrong size")
        if key.line != line:
            raise ValueError("a locked key in another form")
        return key

    @property
    def header(self) -> str:
        """Everything before what is sealed."""
        day = self.public.good_until
        fields = (
            self.public.to_bytes().hex(),
            "" if day is None else day.isoformat(),
            str(self.cost),
            self.salt.hex(),
            self.nonce.hex(),
        )
        return LOCKED_PREFIX + "".join(f"{field}:" for field in fields)

    @property
    def line(self) -> str:
        """The line as it stands in the file."""
        return self.header + self.sealed.hex()

    def opened(self, passphrase: str) -> Identity:
        """The key pair; raises `KeyFault` if the passphrase is another one or the line changed."""
        cipher = _cipher(passphrase, self.salt, self.cost)
        try:
            private = cipher.decrypt(self.nonce, self.sealed, self.header.encode())
            identity = Identity.from_private(private, self.public.good_until)
            if identity.public == self.public:
                return identity
        except (InvalidTag, ValueError):
            pass
        raise KeyFault(
            "The passphrase does not open this key",
            advice="Try again; if it is right, the file was changed: bring back a copy of it. "
            "Nobody can open it otherwise: without the passphrase, make a new key.",
        )


def locked(identity: Identity, passphrase: str, cost: ScryptCost = USUAL_COST) -> LockedKey:
    """The key pair, locked with a passphrase, with a fresh salt and nonce."""
    salt, nonce = os.urandom(SALT_BYTES), os.urandom(NONCE_BYTES)
    empty = LockedKey(identity.public, cost, salt, nonce, b"")
    sealed = _cipher(passphrase, salt, cost).encrypt(
        nonce, identity.private_bytes(), empty.header.encode()
    )
    return replace(empty, sealed=sealed)


def _cipher(passphrase: str, salt: bytes, cost: ScryptCost) -> AESGCM:
    """AES-256-GCM under the key that scrypt makes; one passphrase is one text on every keyboard."""
    text = unicodedata.normalize("NFKC", passphrase).encode()
    scrypt = Scrypt(salt=salt, length=32, n=1 << cost.doublings, r=cost.block, p=cost.lanes)
    return AESGCM(scrypt.derive(text))
