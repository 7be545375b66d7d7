"""Two ends that saw the same frames have the same digests; any difference shows."""

from __future__ import annotations

import random
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ppaurora.mpc import Party, Role, Shared
from ppaurora.mpc.errors import LocalProtocolError, PeerSilent
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.link.frame import HEADER_BYTES, Transcript
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import compare_exchange
from ppaurora.mpc.session import Transcripts, exchange_statements, finish
from ppaurora.mpc.shares import share
from tests.until import later

Links = dict[Role, dict[Role, Link]]

KEY = bytes(range(32))
FRAMES = ((b"header one", 0, b"a body"), (b"header two", 1, b""), (b"header three", 2, b"x" * 5000))


def digest(frames: tuple[tuple[bytes, int, bytes], ...], key: bytes = KEY, sender: int = 0) -> str:
    transcript = Transcript(key, sender)
    for frame in frames:
        transcript.add(*frame)
    return transcript.digest()


def test_the_same_frames_have_the_same_digest_and_all_others_another_one() -> None:
    first, second, third = FRAMES
    others = [
        digest((first, second)),
        digest((second, first, third)),
        digest((first, second, (third[0], 2, b"x" * 4999 + b"y"))),
        digest((first, second, (third[0], 3, third[2]))),
        digest(((b"another header", 0, first[2]), second, third)),
        digest(FRAMES, key=bytes(32)),
        digest(FRAMES, sender=1),
    ]
    assert digest(FRAMES) == digest(FRAMES)
    assert len({digest(FRAMES), *others}) == 1 + len(others)


def test_a_digest_shows_nothing_of_the_key() -> None:
    assert KEY.hex() not in repr(Transcript(KEY, 0))


def stated(party: Party, *lists: Shared) -> tuple[dict[Role, tuple[str, str]], dict[Role, bytes]]:
    """A party's transcripts at the end of some work, and the others' statements."""
    compare_exchange(party, *lists)
    own: dict[Role, tuple[str, str]] = {}

    def statement(transcripts: Transcripts, _: object) -> bytes:
        own.update(transcripts)
        return f"this is {party.role}".encode()

    return own, exchange_statements(party.links, statement)


def test_both_ends_of_every_link_have_the_same_digests_after_a_session() -> None:
    numbers = np.arange(1000, dtype=np.uint64)
    at = run_local(stated, share(numbers), share(numbers[::-1]))
    for role in Role:
        own, told = at[role]
        assert told == {peer: f"this is {peer}".encode() for peer in role.others}
        for peer in role.others:
            theirs, _ = at[peer]
            assert own[peer] == theirs[role][::-1]
    # no proxy sends the helper anything here: those two directions are alike, and empty
    assert len({one for own, _ in at for pair in own.values() for one in pair}) == 4


def test_two_sessions_over_the_same_data_have_different_digests() -> None:
    lists = share([1, 2, 3]), share([3, 2, 1])
    first, second = (run_local(stated, *lists)[Role.P0][0][Role.P1] for _ in range(2))
    assert not {*first} & {*second}


def test_a_link_that_kept_no_transcript_says_so() -> None:
    link = memory_links()[Role.P0][Role.P1]
    with pytest.raises(LocalProtocolError, match="no transcripts"):
        link.transcripts()


def test_a_party_waits_with_its_statement_until_both_others_have_sent_their_last_word() -> None:
    links = memory_links()
    heard = []

    def end(role: Role, links: dict[Role, Link]) -> dict[Role, bytes]:
        for peer, link in links.items():
            link.keep_transcripts(bytes([role + peer]) * 32)

        def statement(transcripts: Transcripts, _: object) -> bytes:
            heard.append(role)
            return bytes([role])

        if role is Role.HELPER:
            assert heard == []
        return exchange_statements(links, statement)

    with ThreadPoolExecutor(3) as pool:
        early = [pool.submit(end, role, dict(links[role])) for role in (Role.P0, Role.P1)]
        with pytest.raises(TimeoutError):
            early[0].result(timeout=0.3)
        late = pool.submit(end, Role.HELPER, dict(links[Role.HELPER]))
        assert late.result() == {Role.P0: b"\0", Role.P1: b"\1"}
        assert [one.result()[Role.HELPER] for one in early] == [b"\2", b"\2"]


def ended(role: Role, links: Links) -> tuple[dict[Role, tuple[str, str]], dict[Role, bytes]]:
    """A party's transcripts once both others have sent their last word, and their statements."""
    own: dict[Role, tuple[str, str]] = {}

    def statement(transcripts: Transcripts, _: object) -> bytes:
        own.update(transcripts)
        return bytes([role])

    return own, exchange_statements(links[role], statement)


def test_credit_that_is_due_at_the_end_is_in_neither_transcript_of_a_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    links = memory_links(limits=Limits(deadline=20.0))
    for role, of_role in links.items():
        for peer, link in of_role.items():
            link.keep_transcripts(bytes([role + peer]) * 32)
    links[Role.HELPER][Role.P1].send(Kind.DEAL, np.arange(9, dtype=np.uint64), 1)
    links[Role.P1][Role.HELPER].receive(Kind.DEAL, 9, 1)
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + 10.0)
    # the proxies first: what the helper hears of them after their last word would be too late
    with ThreadPoolExecutor(3) as pool:
        at = dict(zip(Role, pool.map(lambda role: ended(role, links), Role), strict=True))
    for role in Role:
        for peer in role.others:
            assert at[role][0][peer] == at[peer][0][role][::-1]


@pytest.mark.parametrize("kind", [Kind.HELLO, Kind.ASSURE])
def test_a_frame_before_the_transcripts_that_is_read_late_is_not_credited(
    monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """Credit for it would be sent before one end keeps its transcript, and read after the other."""
    links = memory_links(limits=Limits(deadline=20.0))
    helper, proxy = links[Role.HELPER][Role.P1], links[Role.P1][Role.HELPER]
    helper.send_bytes(kind, b"the last before the run")
    later(monkeypatch, 7.0)
    proxy.receive_bytes(kind, max_bytes=100)
    for role, of_role in links.items():
        for peer, link in of_role.items():
            link.keep_transcripts(bytes([role + peer]) * 32)
    assert proxy.counters.control_bytes_sent == 0
    for step in range(3):
        helper.send(Kind.DEAL, np.arange(9, dtype=np.uint64), step)
        later(monkeypatch, 7.0)
        proxy.receive(Kind.DEAL, 9, step)
    assert proxy.counters.control_bytes_sent == 3 * (HEADER_BYTES + 8)
    with ThreadPoolExecutor(3) as pool:
        at = dict(zip(Role, pool.map(lambda role: ended(role, links), Role), strict=True))
    for role in Role:
        for peer in role.others:
            assert at[role][0][peer] == at[peer][0][role][::-1]


def test_transcripts_are_the_same_whenever_credit_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Credit depends on one end's clock, and stands in no digest."""
    dice = random.Random(4)
    for _ in range(30):
        links = memory_links(limits=Limits(deadline=20.0, window=2000))
        helper, proxy = links[Role.HELPER][Role.P1], links[Role.P1][Role.HELPER]
        for one in (helper, proxy):
            one.keep_transcripts(KEY)
        unread: deque[int] = deque()
        for step in range(dice.randrange(1, 8)):
            helper.send(Kind.DEAL, np.arange(9, dtype=np.uint64), step)
            later(monkeypatch, dice.choice([0.0, 1.0, 6.0]))
            proxy.receive(Kind.DEAL, 9, step)
            if dice.random() < 0.5:
                unread.append(step)
                proxy.send(Kind.TELL, np.arange(2, dtype=np.uint64), step)
            if unread and dice.random() < 0.5:
                helper.receive(Kind.TELL, 2, unread.popleft())
        proxy.send_bytes(Kind.CLOSING, b"")
        for step in unread:
            helper.receive(Kind.TELL, 2, step)
        helper.receive_bytes(Kind.CLOSING, max_bytes=0)
        assert helper.transcripts() == proxy.transcripts()[::-1]


def test_the_helper_waits_for_the_last_word_of_the_proxies_beyond_the_deadline() -> None:
    links = memory_links(limits=Limits(deadline=20.0, goodbye=60.0))
    for role, of_role in links.items():
        for peer, link in of_role.items():
            link.keep_transcripts(bytes([role + peer]) * 32)
    for link in links[Role.HELPER].values():
        link.limits = replace(link.limits, deadline=0.3)
    with ThreadPoolExecutor(3) as pool:
        early = pool.submit(ended, Role.HELPER, links)
        with pytest.raises(TimeoutError):
            early.result(timeout=0.8)
        for link in links[Role.HELPER].values():
            link.limits = replace(link.limits, deadline=20.0)
        late = [pool.submit(ended, role, links) for role in (Role.P0, Role.P1)]
        assert early.result()[1] == {Role.P0: b"\0", Role.P1: b"\1"}
        assert all(one.result()[1][Role.HELPER] == b"\2" for one in late)


def test_a_proxy_waits_for_the_last_word_of_the_others_until_the_deadline() -> None:
    links = memory_links(limits=Limits(deadline=0.1, goodbye=60.0))
    with pytest.raises(PeerSilent):
        ended(Role.P0, links)


def test_a_peer_that_keeps_back_its_goodbye_after_its_statement_has_until_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of the session is done by then, and its place is waited for."""
    links = memory_links(limits=Limits(deadline=20.0, goodbye=60.0))
    for role, of_role in links.items():
        for peer, link in of_role.items():
            link.keep_transcripts(bytes([role + peer]) * 32)
    for link in links[Role.P1].values():
        monkeypatch.setattr(link, "say_goodbye", lambda: None)
    pool = ThreadPoolExecutor(5)
    list(pool.map(lambda role: ended(role, links), Role))
    for early in (Role.P0, Role.HELPER):
        for link in links[early].values():
            link.limits = replace(link.limits, deadline=0.5)
        parting = pool.submit(finish, links[early])
        with pytest.raises(PeerSilent, match="P1 said nothing"):
            parting.result(timeout=20)
    pool.shutdown(wait=False)
