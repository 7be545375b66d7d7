"""Test vectors of everything that travels, for programs in other languages.

    .venv/bin/python -m tests.vectors.make           name the files that differ from the code
    .venv/bin/python -m tests.vectors.make --write   write them anew

docs/PROTOCOL.md describes what they hold. Every key, nonce and seed in them is fixed and public.
Bytes are hexadecimal digits, and so are words, 16 digits each, the highest first. What has to be
refused stands beside the reason, in words for people.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from ppaurora.mpc.handshake import Ephemeral, Hello, _proof, session_key
from ppaurora.mpc.keys import Identity, fingerprint, link_fingerprint
from ppaurora.mpc.link.frame import VERSION, Abort, Header, Kind, Transcript
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words
from ppaurora.parties.evidence.commitment import hand_out
from ppaurora.parties.evidence.statement import DOMAIN
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskResult,
    AskStatus,
    AskUploads,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Document,
    Done,
    Received,
    Refused,
    ResultPart,
    ResultSaved,
    SendChunk,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.requests.result_parts import RunPart, together
from ppaurora.parties.requests.session_facts import LinkFacts, ServerFacts, SessionFacts
from ppaurora.parties.requests.wire import Envelope, encode_reply
from ppaurora.parties.site.key_files import PRIVATE_PREFIX
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.runs import StudyRun, holders, runs_of
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from tests.parties.evidence import session
from tests.vectors.example_studies import EXAMPLES, OWNER, SECRET, Example, of
from tests.vectors.one_server import Asked, asked_in_turn

FOLDER = Path(__file__).resolve().parent
SERVERS = session.SERVERS
STRANGER = Identity.from_private(bytes([99]) * 64)
READER = Identity.from_private(bytes([6]) * 64)
"""The key of the receiver that uploads nothing."""
NAME = b"a session's name"
SHOWN_WORDS = 300
"""Longer uploads are told by the words that are not 0, and their parts by the digests alone."""
ASKED = EXAMPLES["full"].study
STUDIES = {
    **{name: one.study for name, one in EXAMPLES.items()},
    "interval": of("auroc_ci"),
    "follows another": replace(ASKED, follows="ab" * 32),
    "numbers": of(range=(-2.5, 1e16), rule=replace(ASKED.rule, keep_days=0.00001, most_share=0.55)),
}
WITH_FILES = ("full", "full, 0 to 20", "two scores", "folds", "follows another", "numbers")
"""Studies of which the file is shown, too."""

Vectors = dict[str, Any]


def refused(why: str, **what: Any) -> Vectors:
    """A case that has to be refused, and why."""
    return {"why": why, **what}


def plain(message: Any) -> Any:
    """A message in JSON's own types, bytes as hexadecimal digits and words as texts."""
    if is_dataclass(message):
        return {one.name: plain(getattr(message, one.name)) for one in fields(message)}
    if isinstance(message, bytes | memoryview):
        return message.hex()
    return [*map(plain, message)] if isinstance(message, tuple | list) else message


def texts(words: Sequence[int]) -> list[str]:
    """Words in hexadecimal digits."""
    return [f"{word:016x}" for word in words]


# -- keys ------------------------------------------------------------------------------------------


def keys() -> Vectors:
    """Key files, the names of keys, and a signature."""
    private, public = f"{PRIVATE_PREFIX}{OWNER.private_bytes().hex()}", public_text(OWNER.public)
    message = b"a message"
    return {
        "good": [
            {
                "private_line": private + day,
                "public_line": public + day,
                "exchange": OWNER.public.exchange.hex(),
                "signing": OWNER.public.signing.hex(),
                "fingerprint": fingerprint(OWNER.public),
                "link_fingerprint": link_fingerprint(OWNER.public.exchange),
                "message": message.hex(),
                "signature": OWNER.sign(message).hex(),
            }
            for day in ("", ":2028-11-22")
        ],
        "refused_private": [
            refused("a public key", line=public),
            refused("of the former format", line=f"ppaurora-private-1:{'00' * 32}"),
            refused("a digit is missing", line=private[:-1]),
            refused("no day behind the colon", line=f"{private}:"),
            refused("no day of the calendar", line=f"{private}:2027-02-29"),
        ],
        "refused_public": [
            refused("a private key", line=private),
            refused("of the former format", line=f"ppaurora-1:{'00' * 32}"),
            refused("capital letters", line="ppaurora-2:" + public[11:].upper()),
            refused("a digit too many", line=f"{public}0"),
            refused("a day in another form", line=f"{public}:20281122"),
        ],
        "refused_signature": [
            refused("of another message", message=b"another".hex(), by=OWNER.sign(message).hex()),
            refused("by another key", message=message.hex(), by=STRANGER.sign(message).hex()),
        ],
    }


# -- between servers -------------------------------------------------------------------------------


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
        role: Hello(VERSION, role, of().hash, NAME, parameters, bytes([role]) * 32, one.public)
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
    stated = [VERSION, 0, one.study, one.session, ordered, one.nonce, one.ephemeral]

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


# -- studies ---------------------------------------------------------------------------------------


def studies() -> Vectors:
    """Study files, their canonical texts and their hashes; all other vectors name a study."""
    text, canonical = study_text(ASKED), ASKED.canonical().decode()
    content = json.loads(canonical)
    own_key, another = public_text(OWNER.public), public_text(SERVERS[Role.P0].public)
    last = canonical.replace('{"format":1,', "{").removesuffix("}") + ',"format":1}'
    not_ascii = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {
        "good": [
            {
                "name": name,
                **({"toml": study_text(one)} if name in WITH_FILES else {}),
                "canonical": one.canonical().decode(),
                "hash": one.hash.hex(),
            }
            for name, one in STUDIES.items()
        ],
        "refused": [
            refused("an unknown option", toml=text.replace("decimals =", "decimal =")),
            refused("another format", toml=text.replace("format = 1", "format = 2")),
            refused("a text for a number", toml=text.replace("decimals = 4", 'decimals = "4"')),
            refused("an unknown metric", toml=text.replace('"auroc"', '"auroca"')),
            refused("one public key twice", toml=text.replace(own_key, another)),
            refused("a missing server", toml=text.replace("[servers.P1]", "[servers.P3]")),
        ],
        "refused_canonical": [
            refused("blanks", text=json.dumps(content, sort_keys=True)),
            refused("not in order", text=last),
            refused("letters that are not ASCII", text=not_ascii),
            refused("no object", text="[]"),
        ],
    }


# -- requests --------------------------------------------------------------------------------------


def envelope(request: Any, of_study: Study = ASKED) -> bytes:
    """A request about a study as it travels."""
    return Envelope(of_study.id, of_study.hash, request).encode()


def requests() -> Vectors:
    """Every request of a participant and every reply, and a server's answers to an upload."""
    upload = bytes(range(16))
    asking = (
        BeginUpload(upload, 300, 32, bytes(32)),
        BeginUpload(upload, 6, 48, bytes(32), (1, 2, 3)),
        SendChunk(upload, 70_000, b"the next bytes"),
        CommitUpload(upload),
        Withdraw((upload,)),
        ConfirmUpload(bytes(32)),
        AskStatus(),
        AskCompute(),
        AskResult(b""),
        ResultSaved(NAME),
    )
    replies = (
        Done(),
        Refused("too-early", "There is no result yet: ä", "Wait."),
        Received(1 << 40, stored=False),
        Received(32, stored=True),
        Withdrawn((upload,)),
        Document("{}"),
        ResultPart(NAME, (0, 2**64 - 1), "about", bytes(64)),
    )
    head, request = msgpack.packb([6, ASKED.id, ASKED.hash]), envelope(AskStatus())

    def after_head(body: object) -> str:
        return (bytes([len(head)]) + head + msgpack.packb(body)).hex()

    old = msgpack.packb([5, ASKED.id, ASKED.hash])
    return {
        "study": ASKED.id,
        "hash": ASKED.hash.hex(),
        "good": [
            {"name": type(one).__name__, "fields": plain(one), "bytes": envelope(one).hex()}
            for one in asking
        ],
        "refused": [
            refused("nothing", bytes=""),
            refused("of another version", bytes=(bytes([len(old)]) + old).hex()),
            refused("a byte is missing", bytes=request[:-1].hex()),
            refused("a byte too many", bytes=(request + b"\0").hex()),
            refused("of no kind", bytes=after_head(["AskEverything"])),
            refused("a field too many", bytes=after_head(["CommitUpload", upload, 1])),
            refused("a field is missing", bytes=after_head(["CommitUpload"])),
            refused("a text for bytes", bytes=after_head(["CommitUpload", "text"])),
            refused("a negative number", bytes=after_head(["SendChunk", upload, -1, b""])),
            refused(
                "a truth value for a number", bytes=after_head(["SendChunk", upload, True, b""])
            ),
            refused("a list for bytes", bytes=after_head(["CommitUpload", [1, 2]])),
            refused("a map", bytes=after_head({"CommitUpload": upload})),
            refused("too long", bytes=after_head(["ConfirmUpload", bytes(5000)])),
        ],
        "replies": [
            {
                "name": type(one).__name__,
                "fields": {
                    **plain(one),
                    **({"words": texts(one.words)} if isinstance(one, ResultPart) else {}),
                },
                "bytes": encode_reply(one).hex(),
            }
            for one in replies
        ],
        "refused_replies": [
            refused("nothing", bytes=""),
            refused("no message", bytes=msgpack.packb("Done").hex()),
            refused("of no kind", bytes=msgpack.packb(["Well"]).hex()),
            refused("a request", bytes=msgpack.packb(["AskStatus"]).hex()),
            refused("a field is missing", bytes=msgpack.packb(["Received", 1]).hex()),
            refused("a number for a truth value", bytes=msgpack.packb(["Received", 1, 1]).hex()),
            refused("a byte too many", bytes=(encode_reply(Done()) + b"\0").hex()),
        ],
        "conversation": [
            {
                "by": one.by.public.exchange.hex(),
                "what": one.what,
                "request": one.request.hex(),
                "reply": reply.hex(),
            }
            for one, reply in asked_in_turn(ASKED, Role.P0, conversation())
        ],
    }


def conversation() -> list[Asked]:
    """A conversation with P0, from the first word of an owner to a stored upload and its end."""
    prepared = EXAMPLES["full"].prepared
    part = bytes(prepared.parts[Role.P0])
    begin = announcement(prepared, Role.P0)
    name, other = prepared.upload, bytes(16)
    changed = replace(ASKED, title="another")

    def asks(what: str, request: Any, by: Identity = OWNER, study: Study = ASKED) -> Asked:
        return Asked(by, what, envelope(request, study))

    return [
        asks("a key that the study does not name", AskCompute(), STRANGER),
        asks("a study of this id with other options", AskCompute(), study=changed),
        asks("a study of an unknown id", AskCompute(), study=replace(ASKED, id="unknown")),
        Asked(OWNER, "no request", b""),
        asks("a request that only P0 may make", AskUploads(0, b"")),
        asks("an upload by one who only receives", begin, READER),
        asks("bytes of an upload that was not announced", SendChunk(name, 0, part)),
        asks("a name of 15 bytes", replace(begin, upload=name[1:])),
        asks("no samples", replace(begin, samples=0)),
        asks("a size that no seed has", replace(begin, size=33)),
        asks("folds in a study without any", replace(begin, folds=(4, 4))),
        asks("more samples than the server stores", replace(begin, samples=1001)),
        asks("an announcement", begin),
        asks("the same once more", begin),
        asks("the same name with another digest", replace(begin, digest=bytes(32))),
        asks("too early to be stored", CommitUpload(name)),
        asks("the first bytes", SendChunk(name, 0, part[:20])),
        asks("the same once more, of which nothing is taken", SendChunk(name, 0, part[:20])),
        asks("bytes with a gap before them, of which nothing is taken", SendChunk(name, 30, b"..")),
        asks("the rest", SendChunk(name, 20, part[20:])),
        asks("to be stored", CommitUpload(name)),
        asks("the same once more", CommitUpload(name)),
        asks("another list beside it", replace(begin, upload=other)),
        asks("the start of a computation too early", AskCompute()),
        asks("a result too early", AskResult(b"")),
        asks("a withdrawal", Withdraw()),
        asks("what was withdrawn", begin),
        asks(
            "another one after it, whose bytes do not fit its digest", replace(begin, upload=other)
        ),
        asks("its bytes", SendChunk(other, 0, bytes(32))),
        asks("to be stored", CommitUpload(other)),
    ]


# -- uploads ---------------------------------------------------------------------------------------


def announcement(prepared: Prepared, server: Role) -> BeginUpload:
    """The announcement of a server's part."""
    part = prepared.parts[server]
    digest = digest_of(part)
    return BeginUpload(prepared.upload, prepared.samples, len(part), digest, prepared.folds)


def uploads() -> Vectors:
    """Lists with the words, seeds and parts that come of them, and those to be refused."""
    lists = (
        ("a score above 1", "full", ["0.5", "1.0000000000000002"]),
        ("a score below 0", "full", ["0.5", "-5e-324"]),
        ("an infinite score", "full", ["0.5", "inf"]),
        ("no number", "full", ["0.5", "nan"]),
        ("too small where the exponent has 9 bits", "full, any", ["0.5", "1e-77"]),
        ("too large there", "full, any", ["0.5", "2e77"]),
        ("more digits than a float32 has", "float32", ["0.5", "0.123456789012"]),
        ("another tenth digit than the float32's", "float32", ["0.5", "0.50195313"]),
        ("no float32, with zeros that count", "float32, any", ["0.5", "1000000000000"]),
        ("three decimals", "decimals, sorted", ["0.5", "0.125"]),
    )
    return {
        "secret": SECRET.hex(),
        "owner_private": OWNER.private_bytes().hex(),
        "good": [{"study": name, **upload(one)} for name, one in EXAMPLES.items()],
        "refused_lists": [
            refused(why, study=study, scores=scores, labels="10") for why, study, scores in lists
        ],
        "refused_parts": [
            refused(why, study=study, samples=8, server="P1", part=bytes(size).hex())
            for why, study, size in (
                ("a byte is missing", "full", 63),
                ("whole words where lower halves travel", "float32", 64),
                ("lower halves where whole words travel", "full", 32),
                ("a fold's list is missing", "folds", 56),
            )
        ],
        "unsound": [
            refused(why, study=name, **told(EXAMPLES[name].shared(words, ())), words=texts(words))
            for why, name, words in unsound()
        ],
    }


def unsound() -> list[tuple[str, str, Words]]:
    """Words that the proxies take and then refuse together, by one bit that they open."""
    sorted_, _ = EXAMPLES["full"].words
    narrow, _ = EXAMPLES["float32"].words
    counts, _ = EXAMPLES["squares"].words
    pairs, _ = EXAMPLES["two scores"].words
    both, _ = EXAMPLES["list and sums"].words

    def changed(words: Words, place: int, value: int) -> Words:
        copy = words.copy()
        copy[place] = value % 2**64
        return copy

    return [
        ("an ascending list", "full", sorted_[::-1].copy()),
        ("a first key above the largest", "full", changed(sorted_, 0, 2 * int(sorted_[0]))),
        ("a negative key", "full", changed(sorted_, 7, -1)),
        ("an ascending list of lower halves", "float32", narrow[::-1].copy()),
        ("more positives than samples", "squares", changed(counts, 0, 5)),
        (
            "a negative count beside a large one",
            "squares",
            counts + np.array([9, -9, 0, 0, 0], "i8").view("u8"),
        ),
        ("a sum above 1 for each sample", "squares", changed(counts, 2, (8 << 26) + 1)),
        ("a row number twice", "two scores", changed(pairs, 23, int(pairs[22]))),
        ("a row with two labels", "two scores", changed(pairs, 15, int(pairs[15]) ^ 1)),
        (
            "fewer positives in one part",
            "list and sums",
            both + np.array([*[0] * 8, -1, 1, 0, 0, 0], "i8").view("u8"),
        ),
    ]


def upload(one: Example) -> Vectors:
    """A list and everything that is sent of it."""
    words, _ = one.words
    prepared = one.prepared
    own = {"against": one.against, "identifiers": one.identifiers}
    return {
        "scores": one.scores,
        "labels": one.labels,
        **{name: value for name, value in own.items() if value is not None},
        **(
            {"words": texts(words)}
            if words.size <= SHOWN_WORDS
            else {
                "count": words.size,
                "others_than_0": {
                    str(place): f"{words[place]:016x}" for place in np.flatnonzero(words).tolist()
                },
            }
        ),
        **told(prepared),
        "requests": {
            str(server): [envelope(request, one.study).hex() for request in sent(prepared, server)]
            for server in prepared.parts
            if words.size <= SHOWN_WORDS
        },
    }


def told(prepared: Prepared) -> Vectors:
    """An upload as it travels: its name, its seeds run by run, and each server's part."""
    parts = prepared.parts.items()
    long = prepared.size > 8 * SHOWN_WORDS
    first = (prepared.shares, *prepared.rotated)
    return {
        "upload": prepared.upload.hex(),
        "samples": prepared.samples,
        "folds": list(prepared.folds),
        "seeds": [run[Role.P0].to_bytes().hex() for run in first],
        **({} if long else {"parts": {str(server): part.hex() for server, part in parts}}),
        "sizes": {str(server): len(part) for server, part in parts},
        "digests": {str(server): digest_of(part).hex() for server, part in parts},
    }


def sent(prepared: Prepared, server: Role) -> tuple[BeginUpload, SendChunk, CommitUpload]:
    """The requests that bring a server its part."""
    begin, name = announcement(prepared, server), prepared.upload
    return begin, SendChunk(name, 0, bytes(prepared.parts[server])), CommitUpload(name)


def digest_of(part: memoryview) -> bytes:
    """The digest by which a server checks the bytes that it received."""
    return hashlib.sha256(part).digest()


# -- results ---------------------------------------------------------------------------------------

ROLES = (Role.P0, Role.P1)


def statement() -> Vectors:
    """The statements of all three servers about a session, run by run."""

    def case(study: str, run: int, **changes: Any) -> Vectors:
        name = StudyRun(STUDIES[study], run).session(session.SESSION).hex()
        agreed = session.agreed_on(STUDIES[study], session=name, **changes)
        shares = session.shares_of([8250])
        signed = session.statements(STUDIES[study], agreed, shares, run, session.SESSION)
        said = {role: asdict(one) for role, one in signed.items()}
        return {"study": study, "run": run, "statements": said}

    good = [case("full", 0), *(case("three runs", run) for run in range(3))]
    said, others = good[0]["statements"], case("full", 0, samples=49)["statements"]

    def instead(role: str, **texts: str) -> Vectors:
        """Another statement of one server in the place of its own in the first case."""
        return {"of": 0, "instead": {role: {**said[role], **texts}}}

    def signed(role: str, **entries: Any) -> Vectors:
        """The same with other entries, signed by the server itself."""
        text = json.dumps({**json.loads(said[role]["text"]), **entries}, sort_keys=True)
        by = SERVERS[Role[role.upper()]].sign(DOMAIN + text.encode())
        return instead(role, text=text, signature=by.hex())

    links = json.loads(said["P1"]["text"])["links"]
    other_links = {**links, "P0": {**links["P0"], "sent": "another"}}
    by_p1 = said["P1"]["signature"]
    return {
        "good": good,
        "refused": [
            refused("one is missing", of=0, instead={"helper": None}),
            refused("a blank behind the text", **instead("P0", text=said["P0"]["text"] + " ")),
            refused("signed by another server", **instead("P0", signature=by_p1)),
            refused("no hexadecimal digits", **instead("P1", signature="z" * 128)),
            refused("capital digits", **instead("P1", signature=by_p1.upper())),
            refused("another number of samples", **instead("helper", **others["helper"])),
            refused("the name of another server", **signed("P0", server="P1")),
            refused("other digests of a link", **signed("P1", links=other_links)),
            refused("one link only", **signed("P1", links={"P0": links["P0"]})),
            refused("another ledger", **signed("P1", ledger="00" * 32)),
            refused("an unknown entry", **signed("P1", more=1)),
            refused("of another run", of=1, run=1),
        ],
    }


def result() -> Vectors:
    """The parts of a result as servers hand them out, and the values that they make."""
    good: list[tuple[str, list[int], Vectors]] = [
        ("full", [8250], {"auroc": "0.8250"}),
        ("full", [0], {"auroc": "0.0000"}),
        ("full", [10_000], {"auroc": "1.0000"}),
        ("full", [11_000], {"auroc": None}),
        ("interval", [8250, 7000, 9000], {"auroc_ci": ["0.8250", "0.7000", "0.9000"]}),
        ("three runs", [8250], {"auroc": "0.8250"}),
    ]
    first = handed_out("full", [8250])
    p0, p1 = (first[role] for role in ROLES)
    longer = signed_part("full", Role.P0, replace(p0, words=(1, *p0.words)))
    unread = signed_part("full", Role.P1, replace(p1, about=p1.about[:-1]))
    word, *rest = p1.words
    shifted = signed_part("full", Role.P1, replace(p1, words=(word + 1, *rest)))
    another = handed_out("full", [8250], name=b"t" * 16)
    higher = handed_out("full", [8251])
    both = handed_out("three runs", [8250])[Role.HELPER]
    words, (about, *_) = both.words[: len(both.words) // 2], both.about.split("\n")
    one_run = signed_part("three runs", Role.HELPER, replace(both, words=words, about=about))

    def instead(role: Role, part: ResultPart) -> Vectors:
        return {"of": 0, "instead": shown({role: part})}

    return {
        "receiver": OWNER.public.to_bytes().hex(),
        "good": [
            {"study": study, "parts": shown(handed_out(study, words)), "values": values}
            for study, words, values in good
        ],
        "refused": [
            refused("no signature", **instead(Role.P0, replace(p0, signature=b""))),
            refused("signed by P0", **instead(Role.P1, replace(p1, signature=p0.signature))),
            refused("for another receiver", of=0, receiver=READER.public.to_bytes().hex()),
            refused("a share of another value", **instead(Role.P1, higher[Role.P1])),
            refused("a share that was changed", **instead(Role.P1, shifted)),
            refused("of two sessions", **instead(Role.P1, another[Role.P1])),
            refused("a word too many", **instead(Role.P0, longer)),
            refused("facts that cannot be read", **instead(Role.P1, unread)),
            refused("of another study", of=0, study="interval"),
            refused("above 1", study="full", parts=shown(handed_out("full", [10_001]))),
            refused("below 0", study="full", parts=shown(handed_out("full", [2**64 - 1]))),
            refused("a run too few", of=5, instead=shown({Role.HELPER: one_run})),
            refused(
                "runs of different values",
                study="three runs",
                parts=shown(handed_out("three runs", [8250], [8250], [8251])),
            ),
        ],
    }


def shown(parts: Mapping[Role, ResultPart]) -> Mapping[str, Vectors]:
    """The parts of a result, by the server's name."""
    return {
        str(server): {**plain(part), "words": texts(part.words)} for server, part in parts.items()
    }


def handed_out(
    study: str, *values: Sequence[int], name: bytes = session.SESSION
) -> dict[Role, ResultPart]:
    """The part of each server that holds shares, for ann; `values` are those of each run or all."""
    of_study = STUDIES[study]
    held: dict[Role, list[RunPart]] = {server: [] for server in holders(of_study)}
    for run in runs_of(of_study):
        agreed = session.agreed_on(of_study, session=run.session(name).hex())
        shares = session.shares_of(values[run.number] if len(values) > 1 else values[0])
        signed = session.statements(of_study, agreed, shares, run.number, name)
        for role in ROLES:
            held[run.place(role)].append(
                RunPart(shares[role], SessionFacts(agreed, FIGURES, signed))
            )
    return {
        server: signed_part(study, server, ResultPart(name, *together(own)))
        for server, own in held.items()
    }


def signed_part(study: str, server: Role, part: ResultPart) -> ResultPart:
    """The part with the signature of its server for ann."""
    content = hand_out(STUDIES[study].hash, part.session, OWNER.public, part.words)
    return replace(part, signature=SERVERS[server].sign(content))


FIGURES = ServerFacts(
    {str(peer): LinkFacts(10, 1) for peer in Role}, hops=5, seconds=0.125, phases=()
)

FILES: Mapping[str, Callable[[], Vectors]] = {
    "keys": keys,
    "frame": frame,
    "hello": hello,
    "study": studies,
    "requests": requests,
    "shares": uploads,
    "statement": statement,
    "result": result,
}


def text_of(name: str) -> str:
    """The text of a file of vectors as the code makes it now."""
    return json.dumps(FILES[name](), indent=1, ensure_ascii=True) + "\n"


def main() -> int:
    """The exit code: 1 if a file differs from the code and is not written."""
    writes = sys.argv[1:] == ["--write"]
    differing = 0
    for name in FILES:
        path, text = FOLDER / f"{name}.json", text_of(name)
        if not path.exists() or path.read_text(encoding="ascii") != text:
            print(path.relative_to(FOLDER.parents[1]))
            differing += 1
            if writes:
                path.write_text(text, encoding="ascii")
    return int(differing > 0 and not writes)


if __name__ == "__main__":
    sys.exit(main())
