"""No server sees more than noisy values: what it holds is alike whatever the lists are.

All that a proxy holds, draws, receives and learns by opening, its lasting streams, its shares of
the lists and of the results; and what the helper receives. Receivers get the results' shares only.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream, StreamFamily
from ppaurora.mpc.words import Words
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from tests.mpc.test_views import FALSE_ALARM, View, _opened, bits_differ, bytes_differ
from tests.protocols.studies import Owner, Study

pytestmark = pytest.mark.usefixtures("same_keys")

TEXTS = (
    "average_precision_dp:epsilon=1,least_class=2",
    "auroc_dp:epsilon=1,mechanism=smooth,delta=0.01",
    "auroc_dp:epsilon=1,mechanism=cauchy",
)
RUNS = 34
"""Few, but enough for a bit that is always set on one data set and never on the other."""
SCORES = ([0.1, 0.5], [0.5])
DATA = (
    # a perfect ranking, and one class only, all tied
    tuple(Owner(scores, [int(score > 0.4) for score in scores]) for scores in SCORES),
    tuple(Owner([0.5] * len(scores), [0] * len(scores)) for scores in SCORES),
)


@dataclass
class Seen:
    """All that a party draws, receives and learns by opening, in all its lanes."""

    words: list[Words] = field(default_factory=list)
    sent: dict[str, deque[Words]] = field(default_factory=dict)

    def taken(self) -> Words:
        row = np.concatenate(self.words)
        self.words.clear()
        self.sent.clear()
        return row


def watched(monkeypatch: pytest.MonkeyPatch) -> dict[Role, Seen]:
    """The views of every party from now on."""
    seen = {role: Seen() for role in Role}
    send, receive, masks = Party.send, Party.receive, Party.masks

    def sending(party: Party, peer: Role, kind: Kind, words: Words) -> None:
        if kind is Kind.OPEN:
            seen[party.role].sent.setdefault(party._lane, deque()).append(words.copy())
        send(party, peer, kind, words)

    def receiving(party: Party, peer: Role, kind: Kind, length: int) -> Words:
        words = receive(party, peer, kind, length)
        own = seen[party.role]
        if kind is not Kind.DEAL:  # drawn or received, it is seen where it is asked for
            own.words.append(words.copy().ravel())
        if kind is Kind.OPEN:
            own.words.append(_opened(own.sent[party._lane].popleft(), words))
        return words

    def drawing(draw: Callable[..., Iterator[Words]]) -> Callable[..., Iterator[Words]]:
        def recorded(party: Party, *shapes: Any) -> Iterator[Words]:
            for words in draw(party, *shapes):
                seen[party.role].words.append(words.copy().ravel())
                yield words

        return recorded

    def lasting_stream(party: Party, name: str) -> Stream:
        class Recorded(Stream):
            def words(self, count: int) -> Words:
                words = super().words(count)
                seen[party.role].words.append(words.copy())
                return words

        return Recorded(party._lasting.key(name))

    monkeypatch.setattr(Party, "send", sending)
    monkeypatch.setattr(Party, "receive", receiving)
    monkeypatch.setattr(Party, "masks", drawing(masks))
    monkeypatch.setattr(Party, "dealt", drawing(Party.dealt))
    monkeypatch.setattr(Party, "lasting", lasting_stream)
    return seen


def views(
    seen: dict[Role, Seen], of: tuple[Owner, ...], runs: int, texts: tuple[str, ...]
) -> list[View]:
    """Each party's views of whole computations on the same lists, each shared afresh."""
    study = Study(of, Options(metrics=texts, decimals=1, merge="network"))
    shares = [one for _ in range(runs) for one in study.shares()]

    def program(party: Party, *lists: Shared) -> View:
        rows = []
        for start in range(0, len(lists), len(of)):
            # another occasion, or the noise would be the same
            party._lasting = StreamFamily(os.urandom(32))
            own = lists[start : start + len(of)]
            results = evaluate(party, study.options, own).results.values()
            held = [one.words for one in (*own, *results) if one.present]
            rows.append(np.concatenate([*held, seen[party.role].taken()]))
        return np.stack(rows)

    return run_local(program, *shares)


def differ(first: list[View], second: list[View]) -> dict[Role, bool]:
    """At whom views tell two data sets apart."""
    alarm = FALSE_ALARM / len(Role) / 2
    return {
        role: bits_differ(first[role], second[role], alarm)
        or bytes_differ(first[role], second[role], alarm)
        for role in (Role.P0, Role.P1)
    }


def check(monkeypatch: pytest.MonkeyPatch, runs: int, texts: tuple[str, ...] = TEXTS) -> None:
    seen = watched(monkeypatch)
    first, second = (views(seen, of, runs, texts) for of in DATA)
    assert first[Role.P0].shape == second[Role.P0].shape
    assert differ(first, second) == {Role.P0: False, Role.P1: False}
    # the helper hears that both lists are sound, and nothing else
    assert np.unique(first[Role.HELPER]).tolist() == np.unique(second[Role.HELPER]).tolist() == [1]
    assert first[Role.HELPER].shape == (runs, len(DATA[0]))
    # the same views with one result before its noise would tell
    for view, value in ((first, 10), (second, 0)):
        view[Role.P1] = np.c_[view[Role.P1], np.full(runs, value, np.uint64)]
    assert differ(first, second) == {Role.P0: False, Role.P1: True}


@pytest.mark.parametrize("texts", [TEXTS[:2], pytest.param(TEXTS, marks=pytest.mark.weekly)])
def test_views_of_a_whole_computation_are_alike_for_two_data_sets(
    monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...]
) -> None:
    """A missing class among them; a false alarm has a chance below 10^-6."""
    check(monkeypatch, RUNS, texts)


@pytest.mark.soak
def test_four_hundred_views_of_a_whole_computation_are_alike_for_two_data_sets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check(monkeypatch, 400)
