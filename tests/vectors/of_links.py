"""Test vectors of what servers send each other: frames and hellos."""

from __future__ import annotations

from dataclasses import fields, replace

import msgpack
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from ppaurora.mpc.handshake import Ephemeral, Hello, _proof, session_key
from ppaurora.mpc.link.frame import VERSION, Abort, Header, Kind, Transcript
from ppaurora.mpc.role import Role
from tests.vectors.cases import NAME, SERVERS, Vectors, plain, refused
from tests.vectors.example_studies import of


def frame() -> Vectors:
    """Headers of frames, aborts, and the digest of a frame."""
    header = Header(NAME, 7, 3, 12, Kind.OPEN, 16)
    headers = [header, Header(bytes(16), 0, 0, 0, Kind.HELLO, 0), replace(header, length=1 << 48)]
    aborts = [Abort(Role.HELPER, "it left"), Abort(Role.P0, "")]
    encoded, body, key = header.encode(), bytes(range(16)), bytes(range(32))
    transcript = Transcript(key, Role.P0)
    transcript.add(encoded, header.sequence, body)
    return {
        "good": [
            {"version": VERSION, **plain(one), "kind": int(one.kind), "bytes": one.encode().hex()}
            for one in headers
        ],
        "refused": [
            refused("of another version", bytes=(b"\x06" + encoded[1:]).hex()),
            refused("a byte is missing", bytes=encoded[:-1].hex()),
            refused("a byte too many", bytes=(encoded + b"\0").hex()),
            refused("of no kind", bytes=(encoded[:41] + b"\x0d" + encoded[42:]).hex()),
            refused("a length above 2^48", bytes=(encoded[:42] + b"\x01" * 8).hex()),
            refused("a clock above 2^32", bytes=(encoded[:25] + b"\x01" * 8 + encoded[33:]).hex()),
        ],
        "aborts": [
            {"culprit": int(one.culprit), "reason": one.reason, "bytes": one.encode().hex()}
            for one in aborts
        ],
        "refused_aborts": [
            refused("nothing", bytes=""),
            refused("of no role", bytes=b"\x03left".hex()),
            refused("a line break", bytes=b"\x00left\n".hex()),
            refused("201 letters", bytes=(b"\x00" + b"x" * 201).hex()),
        ],
        "transcript": {
            "session_key": key.hex(),
            "sender": int(Role.P0),
            "frames": [{"header": encoded.hex(), "sequence": header.sequence, "body": body.hex()}],
            "digest": transcript.digest(),
        },
    }


def hello() -> Vectors:
    """The hellos of P0 and P1 to each other, the key that they agree on, and their proofs."""
    parameters = {"software": "1", "samples": 50, "ä": 1}
    privates = {role: bytes([64 + role]) * 32 for role in (Role.P0, Role.P1)}
    once = {
        role: Ephemeral(X25519PrivateKey.from_private_bytes(private))
        for role, private in privates.items()
    }
    said = {
        role: Hello(
            VERSION, role, of().hash, NAME, parameters, bytes([role]) * 32, one.public, 1 + role
        )
        for role, one in once.items()
    }
    key = session_key(
        SERVERS[Role.P0],
        once[Role.P0],
        peer=SERVERS[Role.P1].public,
        peer_ephemeral=once[Role.P1].public,
        roles=(Role.P0, Role.P1),
        hellos=(said[Role.P0].encode(), said[Role.P1].encode()),
    )
    one = said[Role.P0]
    packed, ordered = one.encode(), dict(sorted(parameters.items()))
    stated = [VERSION, 0, one.study, one.session, ordered, one.nonce, one.ephemeral, one.threads]

    def with_field(place: int, value: object) -> str:
        changed: bytes = msgpack.packb([*stated[:place], value, *stated[place + 1 :]])
        return changed.hex()

    return {
        "good": [
            {
                "identity_private": SERVERS[role].private_bytes().hex(),
                "ephemeral_private": privates[role].hex(),
                **{field.name: plain(getattr(one, field.name)) for field in fields(one)},
                "role": int(role),
                "bytes": one.encode().hex(),
                "proof": _proof(key, role).hex(),
            }
            for role, one in said.items()
        ],
        "session_key": key.hex(),
        "refused": [
            refused("nothing", bytes=""),
            refused("a byte is missing", bytes=packed[:-1].hex()),
            refused("a byte too many", bytes=(packed + b"\0").hex()),
            refused("a field is missing", bytes=msgpack.packb(stated[:-1]).hex()),
            refused("parameters in another order", bytes=with_field(4, parameters)),
            refused("a parameter that is a list", bytes=with_field(4, {"samples": [50]})),
            refused("a truth value for a role", bytes=with_field(1, False)),
            refused("a nonce of 31 bytes", bytes=with_field(5, one.nonce[1:])),
        ],
    }
