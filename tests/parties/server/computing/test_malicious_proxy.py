"""A proxy that reads verdicts and breaks off gets three bits about a list, and no more sessions.

P0 adds δ to its own share of a list's highest key, takes P1's share of the verdict, sends nothing
back and breaks the session off; then it proposes the next one. By the verdict it learns whether the
highest key plus δ is in range. So it halves what the key can be with every session: without a bound
63 sessions tell the highest key of an honest list exactly, score and label.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ppaurora import Server, Site
from ppaurora.mpc.cost import costs
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_zero
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.parties.errors import TooEarly
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import Done, RestartStudy
from ppaurora.parties.requests.status import State
from ppaurora.parties.server.computing import leader, study_session
from ppaurora.parties.server.keeping import mismatch_halts
from ppaurora.parties.server.keeping.verdict_records import MOST_BROKEN
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists import verdicts
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import PROBABILITIES
from tests.parties.server.computing.test_covert_study import is_at
from tests.parties.world import World, generated, until_done, with_options

pytestmark = pytest.mark.zeromq
LARGEST = PROBABILITIES.largest_key
SECONDS = 60.0


@dataclass
class Attack:
    """The bounds that P0 knows of the highest key of the first list: low <= key <= high."""

    world: World
    low: int = 0
    high: int = LARGEST
    bits: list[bool] = field(default_factory=list)
    over: bool = False

    @property
    def guess(self) -> int:
        return (self.low + self.high) // 2

    def received(self, role: Role, data: bytes | None, form: UploadForm) -> Shared:
        """P0's shares of the first list, the first one of them shifted: key + LARGEST - guess."""
        upload = RECEIVED(role, data, form)
        samples = len(self.world.tables["ann"].labels)
        if self._attacks and role is Role.P0 and form.numbers == samples:
            words = upload.words.copy()
            words[:1] += np.uint64(LARGEST - self.guess)
            return Shared.from_words(role, words)
        return upload

    def opened(self, party: Party, faults: Shared) -> Words | None:
        """At P0, P1's part of the verdicts without its own; then it is gone."""
        if not (self._attacks and party.role is Role.P0):
            return open_zero(party, faults)
        sent: list[Words] = []
        send, receive = party.send, party.receive

        def keep_back(peer: Role, kind: Kind, words: Words) -> None:
            sent.append(words)
            if len(sent) < VERDICT_HOPS:
                send(peer, kind, words)

        def read(peer: Role, kind: Kind, length: int) -> Words:
            words = receive(peer, kind, length)
            if kind is Kind.OPEN and len(sent) == VERDICT_HOPS:
                self._learn(bool((sent[-1].ravel()[0] ^ words.ravel()[0]) & np.uint64(1)))
                raise ConnectionAbortedError("the attacker has what it wanted")
            return words

        party.send, party.receive = keep_back, read  # type: ignore[method-assign]
        return open_zero(party, faults)

    def _learn(self, in_range: bool) -> None:
        self.bits.append(in_range)
        if in_range:
            self.high = self.guess
        else:
            self.low = self.guess + 1

    @property
    def _attacks(self) -> bool:
        return not self.over and is_at(self.world, Role.P0)


RECEIVED = study_session.received
VERDICT_HOPS = open_zero.cost().of(1).hops


def semi_honest(study: Study) -> Study:
    return with_options(study, merge="network", metrics=("auroc",))


@contextmanager
def attacked(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[tuple[World, Attack]]:
    """Three servers in this process, of which P0 attacks the list of ann."""
    with World(folder, change=semi_honest) as world, ExitStack() as stack:
        # the list of ann alone has this length, and its second key is far below its first
        world.tables = {
            name: generated(6 + place, place) for place, name in enumerate(world.tables)
        }
        attack = Attack(world)
        patch.setattr(study_session, "received", attack.received)

        @costs(open_zero.cost)
        def opened(party: Party, faults: Shared) -> Words | None:
            return attack.opened(party, faults)

        patch.setattr(verdicts, "open_zero", opened)
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        yield world, attack


def await_stop(world: World, server: Role) -> None:
    """Until this server tells that the study is stopped."""

    def look() -> None:
        if world.status(server).state is not State.STOPPED:
            raise TooEarly("The study is not stopped yet")

    until_done(look, SECONDS)


def highest_key(world: World) -> int:
    table = world.tables["ann"]
    return max(
        2 * int(np.float64(score).view(np.uint64)) + int(label)
        for score, label in zip(table.scores, table.labels, strict=True)
    )


def restart(world: World, role: Role) -> None:
    with ServerClient(world.keys[str(role)], world.study, role) as own:
        own.ask(RestartStudy(), Done, patience=SECONDS)


@pytest.mark.parametrize("same_name", [False, True])
def test_a_proxy_that_breaks_off_at_the_verdicts_learns_three_bits_and_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same_name: bool
) -> None:
    if same_name:
        # P0 may give all its sessions one name
        monkeypatch.setattr(leader, "os", SimpleNamespace(urandom=bytes))
    with attacked(tmp_path, monkeypatch) as (world, attack):
        world.upload()
        await_stop(world, Role.P1)
        assert len(attack.bits) == MOST_BROKEN
        told = world.status(Role.P1)
        assert "broke off while the verdicts on the lists were opened" in told.detail
        # what it learnt is true, and little: an eighth of all keys is left
        assert attack.low <= highest_key(world) <= attack.high
        assert attack.high - attack.low >= LARGEST >> MOST_BROKEN + 1
        # the operators look, and go on: an honest P0 then comes to the right number
        attack.over = True
        monkeypatch.setattr(leader, "os", os)
        for role in Role:
            restart(world, role)
        assert world.result("ann", wait=SECONDS) == world.pooled()


def test_a_session_that_breaks_after_the_verdicts_is_repeated_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The servers tell each other the verdicts that they keep, and open none a second time."""
    judged: list[int] = []
    broken: list[bool] = []
    plain, words = verdicts.open_zero, study_session._words

    @costs(open_zero.cost)
    def counted(party: Party, faults: Shared) -> Words | None:
        judged.append(len(faults))
        return plain(party, faults)

    def breaks_once(*given: Any) -> list[int]:
        if is_at(world, Role.P1) and not broken:
            broken.append(True)
            raise RuntimeError("broken by the test")
        return words(*given)

    with World(tmp_path, change=semi_honest) as world, ExitStack() as stack:
        monkeypatch.setattr(verdicts, "open_zero", counted)
        monkeypatch.setattr(study_session, "_words", breaks_once)
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        world.upload()
        assert world.result("ann", wait=SECONDS) == world.pooled()
    assert broken == [True]
    assert judged == [len(world.tables)] * len(Role)


@pytest.mark.soak
def test_without_the_bound_the_same_attack_reads_the_highest_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack is a real one: what keeps it from the key is the bound, not its weakness."""
    monkeypatch.setattr(mismatch_halts, "MOST_BROKEN", 1000)
    monkeypatch.setattr(leader.Pause, "postpone", lambda self, now, *, longer: None)
    with attacked(tmp_path, monkeypatch) as (world, attack):
        world.upload()

        def look() -> None:
            if attack.low < attack.high:
                raise TooEarly("The attacker does not know the key yet")

        until_done(look, 10 * SECONDS)
        assert attack.low == highest_key(world)
        assert len(attack.bits) <= LARGEST.bit_length()
