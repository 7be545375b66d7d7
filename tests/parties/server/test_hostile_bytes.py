"""Mutated messages with valid keys, and garbage, at the request ports of real servers."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import Unreachable
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.listener import LIFE_SIGN
from ppaurora.parties.requests.messages import (
    AskResult,
    AskStatus,
    BeginUpload,
    CommitUpload,
    ProposeSession,
    ResultSaved,
    SealSession,
    SendChunk,
    StartSession,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.study.rule import StoredUpload
from tests.mpc.link.garbage import throw
from tests.parties.server.test_floods import descriptors, of_process
from tests.parties.world import World
from tests.until import until

pytestmark = pytest.mark.zeromq
MORE_BYTES = 24 << 20
"""Bytes that a server may keep after its peak: the allocator's pools."""
MORE_DESCRIPTORS = 8


def requests(rng: random.Random, name: str) -> Iterator[object]:
    """Well-formed requests of a participant, or of P0."""
    session, upload = rng.randbytes(16), rng.randbytes(16)
    roster = (StoredUpload("ann", upload, 40), StoredUpload("ben", upload, 50))
    if name == str(Role.P0):
        yield from (ProposeSession(session, roster), StartSession(session), SealSession(session))
    else:
        yield from (
            AskStatus(),
            AskResult(session),
            ResultSaved(session),
            BeginUpload(upload, 40, 320, rng.randbytes(32)),
            SendChunk(upload, rng.randrange(320), rng.randbytes(rng.randrange(2000))),
            CommitUpload(upload),
        )


def mutated(world: World, rng: random.Random, name: str) -> Iterator[bytes]:
    """Requests with bits flipped, bytes cut off, added, doubled or replaced."""
    study = world.study
    while True:
        for request in requests(rng, name):
            said = bytearray(Envelope(study.id, study.hash, request).encode())  # type: ignore[arg-type]
            place = rng.randrange(len(said))
            match rng.randrange(6):
                case 0:
                    for _ in range(rng.randint(1, 4)):
                        said[rng.randrange(len(said))] ^= 1 << rng.randrange(8)
                case 1:
                    del said[place:]
                case 2:
                    said += rng.randbytes(rng.randint(1, 300))
                case 3:
                    said[place:place] = said[place:]
                case 4:
                    said[place : place + 4] = rng.randbytes(4)
                case 5:
                    said[:] = rng.randbytes(rng.randint(1, 400))
            yield bytes(said)


def refuses_mutated(world: World, role: Role, name: str, seed: int, count: int) -> None:
    """Send so many mutated requests with the key of `name`; each gets an answer."""
    server = world.study.server(role)
    place = (server.host, server.port)
    with RequestConnection(world.keys[name], str(role), *place, server.public) as asked:
        for said in islice(mutated(world, random.Random(seed), name), count):
            reply = asked.ask(said, 30)
            assert not reply if said == LIFE_SIGN else decode_reply(reply)


def comes_to_rest(world: World, role: Role, before: tuple[int, int]) -> None:
    """Until the server has about as many descriptors as before, and as much memory."""
    until(lambda: descriptors(world, role) <= before[1] + MORE_DESCRIPTORS, 30.0)
    until(lambda: of_process(world, role, "VmRSS") - before[0] < MORE_BYTES)
    now = of_process(world, role, "VmRSS")
    print(f"{role}: {before[0] >> 20} MiB before, {now >> 20} MiB after, {before[1]} descriptors")


def tried(folder: Path, seed: int, mutations: int, pieces: int) -> None:
    """Mutated requests of a participant and of P0, and garbage, at all three; then the study."""
    with World(folder) as world:
        world.start()
        for role in Role:
            refuses_mutated(world, role, "ann", 1000 + role, 20)
            before = of_process(world, role, "VmRSS"), descriptors(world, role)
            refuses_mutated(world, role, "ann", seed + role, mutations // 4)
            if role is not Role.P0:
                refuses_mutated(world, role, str(Role.P0), seed + 10 + role, mutations // 8)
            server = world.study.server(role)
            throw((server.host, server.port), seed + 20 + role, pieces)
            comes_to_rest(world, role, before)
            assert world.processes[role].poll() is None, world.log(role)
            assert "unexpected" not in world.log(role)
        with contextlib.suppress(Unreachable), world.owner("ann") as ann:
            ann.withdraw()
        world.upload()
        assert world.result("ben") == world.pooled()


def test_mutated_requests_and_garbage_are_refused_and_leave_nothing_behind(tmp_path: Path) -> None:
    tried(tmp_path, seed=0, mutations=160, pieces=64)


@pytest.mark.soak
def test_ten_thousand_mutated_requests_and_four_thousand_pieces_of_garbage_at_each_server(
    tmp_path: Path,
) -> None:
    tried(tmp_path, seed=100, mutations=10_000, pieces=4000)
