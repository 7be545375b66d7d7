"""Test vectors of requests and replies, and of a whole conversation with a server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgpack

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
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
from ppaurora.parties.requests.wire import encode_reply
from ppaurora.parties.study.study import Study
from tests.vectors.cases import (
    ASKED,
    NAME,
    READER,
    STRANGER,
    Vectors,
    envelope,
    plain,
    refused,
    texts,
)
from tests.vectors.example_studies import EXAMPLES, OWNER
from tests.vectors.of_uploads import announcement
from tests.vectors.one_server import Asked, asked_in_turn


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
