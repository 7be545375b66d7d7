"""An owner waits for a server that gets further, however slowly, and for no other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused, ServerFault
from ppaurora.parties.participant import servers
from ppaurora.parties.participant.chunks import LEAST_BYTES
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.upload_progress import MOST_LOSSES, UploadProgress
from ppaurora.parties.requests.client import Answer, ServerClient
from ppaurora.parties.requests.messages import (
    AskStatus,
    BeginUpload,
    Document,
    Received,
    Request,
    SendChunk,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.status import Status
from tests.parties.in_order import InOrder
from tests.parties.server.offline import IDENTITIES, STUDY
from tests.parties.world import generated

WHOLE = 100 * LEAST_BYTES


class Time:
    """A clock that goes on by `step` at every look."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_chunk_in_each_minute_is_progress_for_ever() -> None:
    time = Time(0.0)
    progress = UploadProgress({Role.P1: WHOLE + 7}, time)
    for size in (*range(LEAST_BYTES, WHOLE + 1, LEAST_BYTES), WHOLE + 7):
        time.now += 59.0
        progress.acknowledge(Role.P1, size)
        assert progress.made_at == time.now
    assert progress.bytes == WHOLE + 7


@pytest.mark.parametrize(
    "sizes",
    [lambda n: 0, lambda n: WHOLE // 2, lambda n: n, lambda n: n % 2],
    ids=["nothing", "always the same", "byte by byte", "one more and one less"],
)
def test_a_server_that_acknowledges_without_progress_is_given_up_and_named(
    sizes: Callable[[int], int],
) -> None:
    time = Time(0.5)
    progress = UploadProgress({Role.P0: 32, Role.P1: WHOLE}, time)
    progress.acknowledge(Role.P0, 32)
    told = (progress.acknowledge(Role.P1, sizes(number)) for number in range(1000))
    with pytest.raises(ServerFault, match=r"P1 acknowledges .* of 3276800 bytes") as caught:
        list(told)
    assert "operator" in caught.value.advice
    assert "goes on where it was" in caught.value.advice


def test_a_server_may_lose_bytes_a_few_times_and_then_gets_further_from_there() -> None:
    time = Time(0.0)
    progress = UploadProgress({Role.P1: WHOLE}, time)
    for _ in range(MOST_LOSSES):
        progress.acknowledge(Role.P1, 10 * LEAST_BYTES)
        time.now += 59.0
        progress.find(Role.P1, 0)
        time.now += 0.5
    progress.acknowledge(Role.P1, LEAST_BYTES)
    with pytest.raises(ServerFault, match="has lost some of it 11 times"):
        progress.acknowledge(Role.P1, 0)


def test_a_slow_first_server_takes_nothing_of_the_time_of_the_second() -> None:
    time = Time(0.0)
    progress = UploadProgress({Role.P0: 32, Role.P1: WHOLE}, time)
    assert progress.made_at == -math.inf
    progress.acknowledge(Role.P0, 32)
    time.now += 1000.0
    progress.acknowledge(Role.P1, 0)
    time.now += 59.0
    progress.acknowledge(Role.P1, LEAST_BYTES)


class Forgetful(InOrder):
    """A server that takes every chunk, and says at each commit that the upload came damaged."""

    commits = 0

    def __init__(self, *_: object) -> None:
        super().__init__()
        self._there = 0

    def __exit__(self, *_: object) -> None:
        return None

    def ask(self, request: Request, answer: type[Answer], *, patience: float) -> Answer:
        if isinstance(request, AskStatus):
            told = Status.unanswered(STUDY, "P0", "")
            return cast(Answer, Document(told.to_json()))
        if isinstance(request, BeginUpload):
            return cast(Answer, Received(self._there, stored=False))
        if isinstance(request, SendChunk):
            self._there += len(request.data)
            return cast(Answer, Received(self._there, stored=False))
        self._there, Forgetful.commits = 0, Forgetful.commits + 1
        error = PeerRefused("P1: The upload arrived damaged", advice="Send it again.")
        error.code = Code.DAMAGED.value
        raise error


def test_an_upload_that_arrives_damaged_every_time_is_not_sent_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(servers, "ServerClient", cast(type[ServerClient], Forgetful))
    monkeypatch.setattr(servers, "POLL_SECONDS", 0.0)
    with Participant(IDENTITIES["ann"], STUDY) as owner, pytest.raises(ServerFault, match="P1"):
        owner.outsource(generated(50, seed=1))
    assert Forgetful.commits == MOST_LOSSES + 1
