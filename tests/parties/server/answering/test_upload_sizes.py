"""Sizes of uploads, as an owner would announce or send them that wants a server's disk."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import BeginUpload, Received, Refused, SendChunk
from ppaurora.parties.server.keeping.store import Store
from tests.parties.server.answering.test_rights import ANN, PLAIN, UPLOAD, Ask, server

MOST_SAMPLES = 1000
"""The study of the server in `test_rights`."""


@pytest.fixture(name="ask")
def _ask(tmp_path: Path) -> Ask:
    """P1, which is sent eight bytes a sample."""
    return server(Store(tmp_path / "state"), PLAIN, Role.P1)


@pytest.mark.parametrize(
    ("samples", "size", "code"),
    [
        (MOST_SAMPLES, 8 * MOST_SAMPLES, ""),
        (MOST_SAMPLES + 1, 8 * (MOST_SAMPLES + 1), "too-large"),
        (1 << 50, 8 << 50, "too-large"),
        (100, 801, "malformed"),
        (100, 799, "malformed"),
        (100, 1 << 50, "malformed"),
        (100, 0, "malformed"),
        (0, 0, "malformed"),
    ],
)
def test_an_upload_is_announced_with_a_size_that_its_samples_have_and_the_server_stores(
    ask: Ask, samples: int, size: int, code: str
) -> None:
    reply = ask(ANN, BeginUpload(UPLOAD, samples, size, bytes(32)))
    assert (reply.code if isinstance(reply, Refused) else "") == code


def test_nothing_is_written_beyond_what_was_announced(ask: Ask, tmp_path: Path) -> None:
    data = bytes(range(200)) * 4
    ask(ANN, BeginUpload(UPLOAD, 100, 800, sha256(data).digest()))
    assert ask(ANN, SendChunk(UPLOAD, 0, data[:500])) == Received(500, stored=False)
    for offset, more in ((500, bytes(301)), (500, bytes(100_000)), (0, data), (600, bytes(10))):
        assert ask(ANN, SendChunk(UPLOAD, offset, more)) == Received(500, stored=False)
    [path] = (tmp_path / "state" / "shares").rglob("*.part")
    assert path.stat().st_size == 500
    assert ask(ANN, SendChunk(UPLOAD, 500, data[500:])) == Received(800, stored=False)
