"""Test vectors of uploads: lists, their words, and the parts that servers get."""

from __future__ import annotations

import hashlib

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.requests.messages import (
    BeginUpload,
    CommitUpload,
    SendChunk,
)
from tests.vectors.cases import Vectors, envelope, refused, texts
from tests.vectors.example_studies import EXAMPLES, OWNER, SECRET, Example

SHOWN_WORDS = 300
"""Longer uploads are told by the words that are not 0, and their parts by the digests alone."""


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
