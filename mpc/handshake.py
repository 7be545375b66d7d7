"""The handshake: before any share moves, every pair agrees on who computes what, and on a key.

Two rounds over each link. In the first, each side states version, role, study, session, parameters,
a nonce, an ephemeral key and how many threads it has; any difference in the first five is an error
that names it, at both ends. In the second, each side proves that it derived the same session key,
in which both statements are bound; by then it has found no difference with either peer.

Behind each message come zeros, as many as its connection carries in that round trip: ten packets in
the first one, and twice as many in the next. So they take no round trip, and the computation begins
with connections that carry more. They are 72 kB of each party: 60 ms where one may send 10 Mbit/s,
half a millisecond at 1,000.

The key that two parties share for one session, and what it is derived from.

    secret   = X25519(own key, peer's key) || X25519(own ephemeral key, peer's ephemeral key)
    salt     = SHA-256(HELLO of the lower role) || SHA-256(HELLO of the higher role)
    info     = domain || both roles || both public keys, the lower role first
    key      = HKDF-SHA256(secret, salt, info), 32 bytes (RFC 7748, RFC 5869)

The first secret needs a long-lived private key, so nobody else can derive the session key. The
second needs an ephemeral private key, which is forgotten with the handshake: an eavesdropper who
records all frames and gets both long-lived keys later still cannot derive it (forward secrecy). A
HELLO holds everything that the parties state: version, role, study, session, parameters, nonce,
ephemeral key, threads. If the two ends differ in any of it, they derive different keys, and the
proofs show that.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Self, TypeVar

import msgpack
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ppaurora.mpc.errors import AuroraError, BadFrame, HandshakeMismatch, IdentityRefused
from ppaurora.mpc.keys import KEY_BYTES, Identity, PublicKey
from ppaurora.mpc.link import Kind, Link
from ppaurora.mpc.link.frame import SESSION_BYTES, VERSION
from ppaurora.mpc.pool import MOST_THREADS
from ppaurora.mpc.printable import printable
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


MAX_HELLO_BYTES = 16 << 10
FILLED_BYTES = 12_000
"""The bytes of a statement with its zeros; a proof has twice as many. With what encryption adds
this is less than ten packets of 1,448 bytes."""
STUDY_BYTES = 32
NONCE_BYTES = 32
PROOF_DOMAIN = b"ppAURORA handshake 2\0"
SHOWN_LETTERS = 60

Parameters = Mapping[str, str | int]
SomeError = TypeVar("SomeError", bound=AuroraError)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that all parties must agree on: study's hash, session, public parameters."""

    study: bytes
    session: bytes
    parameters: Parameters = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.study) != STUDY_BYTES or len(self.session) != SESSION_BYTES:
            raise ValueError(f"a study has {STUDY_BYTES} bytes, a session {SESSION_BYTES}")


@dataclass(frozen=True, slots=True)
class Handshake:
    """The result of a handshake: the session key with each peer, and the fewest threads of a party.

    Where a party tells the peers different numbers of threads, they cut vectors into different
    blocks, and the first frame of another length ends the session.
    """

    keys: Mapping[Role, bytes]
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Hello:
    """The statement of one party in the first round."""

    version: int
    role: int
    study: bytes
    session: bytes
    parameters: Parameters
    nonce: bytes
    ephemeral: bytes
    threads: int

    def encode(self) -> bytes:
        parameters = dict(sorted(self.parameters.items()))
        stated = [self.version, self.role, self.study, self.session, parameters]
        packed: bytes = msgpack.packb([*stated, self.nonce, self.ephemeral, self.threads])
        return packed

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The statement in `data`; raises `BadFrame` for anything that `encode` does not write."""
        try:
            hello = cls(*msgpack.unpackb(data, use_list=False))
            hello._check_types()
            canonical = hello.encode() == data
        except Exception as error:
            raise BadFrame("a hello that cannot be read") from error
        if not canonical:
            raise BadFrame("a hello that is not in its one canonical form")
        return hello

    def _check_types(self) -> None:
        numbers: tuple[Any, ...] = (self.version, self.role, self.threads)
        parts: tuple[tuple[Any, int], ...] = (
            (self.study, STUDY_BYTES),
            (self.session, SESSION_BYTES),
            (self.nonce, NONCE_BYTES),
            (self.ephemeral, KEY_BYTES),
        )
        if any(type(number) is not int for number in numbers):
            raise TypeError("a version, role or number of threads that is not a number")
        if not 1 <= self.threads <= MOST_THREADS:
            raise ValueError(f"{self.threads} threads")
        if any(type(part) is not bytes or len(part) != size for part, size in parts):
            raise TypeError("a study, session, nonce or key of the wrong size")
        if any(
            type(name) is not str or type(value) not in (str, int)
            for name, value in self.parameters.items()
        ):
            raise TypeError("a parameter that is neither text nor a number")


def shake_hands(
    role: Role,
    identity: Identity,
    links: Mapping[Role, Link],
    publics: Mapping[Role, PublicKey],
    terms: Terms,
    threads: int = 1,
) -> Handshake:
    """A fresh 32-byte session key for each peer, once all agree on the terms.

    Raises `HandshakeMismatch` with the first difference; the session tells the peers of it.
    """
    ephemerals = {peer: Ephemeral.generate() for peer in links}
    sent = {}
    for peer, link in links.items():
        link.label = "handshake"
        sent[peer] = _hello(role, terms, ephemerals[peer], threads).encode()
        link.send_bytes(Kind.HELLO, sent[peer].ljust(FILLED_BYTES, b"\0"))
    keys, of_all = {}, [threads]
    for peer, link in links.items():
        hello = _receive_hello(link)
        of_all.append(hello.threads)
        difference = _difference(hello, peer, terms)
        if difference:
            raise _error(HandshakeMismatch, link, f"{peer} disagrees about the {difference}")
        try:
            keys[peer] = session_key(
                identity,
                ephemerals[peer],
                peer=publics[peer],
                peer_ephemeral=hello.ephemeral,
                roles=(role, peer),
                hellos=(sent[peer], hello.encode()),
            )
        except ValueError:
            raise _error(IdentityRefused, link, f"{peer} gives a key that is none") from None
    for peer, link in links.items():
        link.send_bytes(Kind.HELLO, _filled_proof(keys[peer], role))
    for peer, link in links.items():
        proof = link.receive_bytes(Kind.HELLO, max_bytes=2 * FILLED_BYTES)
        if not hmac.compare_digest(proof, _filled_proof(keys[peer], peer)):
            raise _error(IdentityRefused, link, f"{peer} does not hold the key it should hold")
    return Handshake(keys, min(of_all))


def _hello(role: Role, terms: Terms, ephemeral: Ephemeral, threads: int) -> Hello:
    """This party's statement over one link, with a fresh nonce."""
    stated = terms.study, terms.session, terms.parameters
    return Hello(VERSION, role, *stated, os.urandom(NONCE_BYTES), ephemeral.public, threads)


def _receive_hello(link: Link) -> Hello:
    try:
        return Hello.decode(_stated(link.receive_bytes(Kind.HELLO, max_bytes=MAX_HELLO_BYTES)))
    except BadFrame as error:
        if error.field in ("version", "session"):
            raise _error(HandshakeMismatch, link, error.what) from None
        if error.session:
            raise
        raise _error(BadFrame, link, f"{link.peer} sent {error.what}") from None


def _stated(message: bytes) -> bytes:
    """The statement at the beginning of a message, without the zeros behind it.

    >>> [_stated(b"\\x01\\0\\0"), _stated(b"\\x01\\0\\2"), _stated(b"\\x92\\0")]
    [b'\\x01', b'\\x01\\x00\\x02', b'\\x92\\x00']
    """
    unpacker = msgpack.Unpacker(max_buffer_size=MAX_HELLO_BYTES)
    unpacker.feed(message)
    try:
        unpacker.skip()
    except Exception:  # whoever decodes it says what is wrong
        return message
    end = unpacker.tell()
    return message if message[end:].strip(b"\0") else message[:end]


def _difference(hello: Hello, peer: Role, terms: Terms) -> str:
    """The first field that differs, with both values; empty when all agree."""
    fields: list[tuple[str, object, object]] = [
        ("version", hello.version, VERSION),
        ("role", _role_name(hello.role), str(peer)),
        ("study (SHA-256)", hello.study.hex()[:16], terms.study.hex()[:16]),
        ("study (SHA-256)", hello.study.hex(), terms.study.hex()),
        ("session", hello.session.hex(), terms.session.hex()),
    ]
    fields += [
        (f"parameter {_shown(name)}", hello.parameters.get(name), terms.parameters.get(name))
        for name in sorted({*hello.parameters, *terms.parameters})
    ]
    for name, theirs, ours in fields:
        if theirs != ours:
            return f"{name}: {_shown(theirs)} there, {_shown(ours)} here"
    return ""


def _role_name(number: int) -> str:
    return str(Role(number)) if number in set(Role) else f"role {number}"


def _shown(value: object) -> str:
    """A value from the other side as it may appear in an error: printable and short."""
    return "nothing" if value is None else printable(str(value), SHOWN_LETTERS)


def _proof(key: bytes, role: Role) -> bytes:
    """HMAC-SHA256 of the prover's role under the session key."""
    return hmac.new(key, PROOF_DOMAIN + bytes([role]), hashlib.sha256).digest()


def _filled_proof(key: bytes, role: Role) -> bytes:
    """The proof and the zeros behind it."""
    return _proof(key, role).ljust(2 * FILLED_BYTES, b"\0")


def _error(error: type[SomeError], link: Link, what: str) -> SomeError:
    return error(
        what,
        advice="All parties must run the same version with the same study and session.",
        session=link.session.hex()[:8],
        step="handshake",
        peer=str(link.peer),
    )
