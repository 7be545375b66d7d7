"""The vectors by docs/PROTOCOL.md alone, with ciphers and hashes and nothing of this program."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FOLDER = Path(__file__).resolve().parent
ROLES = ("P0", "P1", "helper")
AT = (("P0", "P1", "helper"), ("P1", "helper", "P0"), ("helper", "P0", "P1"))
"""The server that plays each role, run by run."""


def vectors(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def check_signature(public: bytes, data: bytes, signature: bytes) -> None:
    """Raise unless this is the signature of the 64 public bytes."""
    key = Ed25519PublicKey.from_public_bytes(public[32:])
    key.verify(signature, b"ppAURORA signature 2\0" + data)


STUDIES = {case["name"]: case for case in vectors("study")["good"]}


def test_a_fingerprint_and_a_signature() -> None:
    for case in vectors("keys")["good"]:
        public = bytes.fromhex(case["exchange"] + case["signing"])
        letters = base64.b32encode(sha256(public)).decode()[:20]
        assert case["fingerprint"].replace("-", "") == letters
        assert case["public_line"].removeprefix("ppaurora-2:")[:128] == public.hex()
        check_signature(public, bytes.fromhex(case["message"]), bytes.fromhex(case["signature"]))


@pytest.mark.parametrize("case", STUDIES.values(), ids=STUDIES)
def test_a_hash_of_a_study(case: Mapping[str, str]) -> None:
    assert case["hash"] == sha256(b"ppaurora study 1\n", case["canonical"].encode()).hex()


def test_requests_and_replies() -> None:
    told = vectors("requests")
    head = msgpack.packb([6, told["study"], bytes.fromhex(told["hash"])])
    for case in told["good"]:
        data = bytes.fromhex(case["bytes"])
        assert data[: 1 + len(head)] == bytes([len(head)]) + head
        name, *values = msgpack.unpackb(data[1 + len(head) :])
        assert name == case["name"]
        plain = json.loads(json.dumps(values, default=bytes.hex))
        assert plain == [*case["fields"].values()]


def test_a_header_and_a_digest_of_frames() -> None:
    told = vectors("frame")
    for case in told["good"]:
        numbers = [case[name] for name in ("sequence", "clock", "step", "kind", "length")]
        packed = struct.pack(
            ">B16sQQQBQ", case["version"], bytes.fromhex(case["session"]), *numbers
        )
        assert case["bytes"] == packed.hex()
    of = told["transcript"]
    info = b"ppAURORA transcript 3\0" + bytes([of["sender"]])
    key = hmac.digest(bytes.fromhex(of["session_key"]), info + b"\1", "sha256")[:16]
    plain = hashlib.sha256()
    for frame in of["frames"]:
        header, body = (bytes.fromhex(frame[name]) for name in ("header", "body"))
        nonce = frame["sequence"].to_bytes(12, "big")
        plain.update(header + AESGCM(key).encrypt(nonce, b"", body))
    assert of["digest"] == sha256(plain.digest(), sha256()).hex()


def test_the_key_and_the_proofs_of_a_handshake() -> None:
    told = vectors("hello")
    low, high = told["good"]
    own, once = (
        X25519PrivateKey.from_private_bytes(bytes.fromhex(low[name])[:32])
        for name in ("identity_private", "ephemeral_private")
    )
    keys = json.loads(STUDIES["full"]["canonical"])["servers"]
    publics = [bytes.fromhex(keys[role]["public_key"][11:]) for role in ROLES[:2]]
    secret = own.exchange(X25519PublicKey.from_public_bytes(publics[1][:32])) + once.exchange(
        X25519PublicKey.from_public_bytes(bytes.fromhex(high["ephemeral"]))
    )
    salt = b"".join(sha256(bytes.fromhex(one["bytes"])) for one in (low, high))
    info = b"ppAURORA session key 2\0" + bytes([0, 1]) + publics[0] + publics[1]
    key = HKDF(SHA256(), 32, salt, info).derive(secret)
    assert told["session_key"] == key.hex()
    for one in (low, high):
        said = b"ppAURORA handshake 2\0" + bytes([one["role"]])
        assert one["proof"] == hmac.digest(key, said, "sha256").hex()


@pytest.mark.parametrize("case", vectors("result")["good"], ids=lambda one: one["study"])
def test_the_values_of_a_result(case: Mapping[str, Any]) -> None:
    study = STUDIES[case["study"]]
    content, hash_ = json.loads(study["canonical"]), bytes.fromhex(study["hash"])
    keys = {role: bytes.fromhex(content["servers"][role]["public_key"][11:]) for role in ROLES}
    runs = 3 if content["protocol"]["assurance"] == "covert" else 1
    computation = bytes.fromhex(case["parts"]["P0"]["session"])
    held: dict[tuple[int, str], tuple[list[int], Any]] = {}
    for server, part in case["parts"].items():
        words = [int(word, 16) for word in part["words"]]
        handed = b"ppAURORA share handed out 1\0" + hash_ + computation
        handed += bytes.fromhex(vectors("result")["receiver"]) + packed(words)
        check_signature(keys[server], handed, bytes.fromhex(part["signature"]))
        own = [(run, AT[run].index(server)) for run in range(runs) if server in AT[run][:2]]
        each = len(words) // len(own)
        for (run, role), line in zip(own, part["about"].split("\n"), strict=True):
            held[run, ROLES[role]] = words[:each], json.loads(line)
            del words[:each]
    for run in range(runs):
        (first, facts), (second, others) = held[run, "P0"], held[run, "P1"]
        assert facts["agreed"] == others["agreed"]
        assert facts["statements"] == others["statements"]
        assert facts["agreed"]["study"] == study["hash"]
        session = session_of(computation, run)
        assert facts["agreed"]["session"] == session.hex()
        for server, role in zip(AT[run], ROLES, strict=True):
            said = statement(facts["statements"][role], role, keys[server])
            assert said["agreed"] == facts["agreed"]
            assert (said["run"], said["computation"]) == (run, computation.hex())
            for place, words in enumerate((first, second)):
                domain = b"ppAURORA share of a result 1\0"
                opened = sha256(domain, hash_, session, bytes([place]), packed(words))
                assert said["shares"][ROLES[place]] == opened.hex()
        decimals = content["metrics"]["decimals"]
        pairs = zip(first[:-4], second[:-4], strict=True)
        [value] = case["values"].values()
        assert [number(a + b, decimals) for a, b in pairs] == (
            value if isinstance(value, list) else [value]
        )


def statement(signed: Mapping[str, str], role: str, key: bytes) -> dict[str, Any]:
    """A server's statement, which it has signed with the key that it names."""
    data = b"ppAURORA statement about a session 2\0" + signed["text"].encode()
    check_signature(key, data, bytes.fromhex(signed["signature"]))
    said: dict[str, Any] = json.loads(signed["text"])
    assert (said["server"], said["keys"][role]) == (role, key.hex())
    return said


def packed(words: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(words)}Q", *words)


def session_of(computation: bytes, run: int) -> bytes:
    domain = b"ppAURORA run of a computation 1\0"
    return sha256(domain, computation, bytes([run]))[:16] if run else computation


def number(total: int, decimals: int) -> str | None:
    """A released number between 0 and 1, None where it is undefined."""
    word, one = total % 2**64, 10**decimals
    if word == one + one // 10:
        return None
    assert word <= one
    return f"{word // one}.{word % one:0{decimals}d}"
