"""A run whose helper commits to its dealings: honest, and cheating in every way that is checked."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

from ppaurora.mpc.committed import CommittedDealing, commitment_cost
from ppaurora.mpc.errors import BadFrame, CheatingDetected, LocalProtocolError
from ppaurora.mpc.link import memory_links
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from tests.mpc.committed.cheats import (
    RIGHT,
    WRONG,
    Altering,
    AltersAMessage,
    CommitsToAllWrong,
    CommitsToOneWrong,
    DealsAnother,
    LeavesWhenFoundOut,
    OpensAnother,
    Server,
    one_run,
    product,
    run_of,
)

P0, P1, HELPER = Role


@pytest.mark.parametrize("dealings", [2, 5])
def test_the_result_is_that_of_the_run_without_commitments(dealings: int) -> None:
    assert one_run({role: Server(role, dealings) for role in Role}) == RIGHT


@pytest.mark.parametrize("dealings", [2, 3, 64])
def test_the_declared_cost_is_what_goes_over_the_links(dealings: int) -> None:
    def nothing(party: Party) -> int:
        return party.hops

    links = memory_links()
    committed = {role: CommittedDealing(role, nothing, dealings) for role in Role}
    hops = run_local(nothing, links=links, committed=committed)
    sent = sum(link.counters.bytes_sent for of_one in links.values() for link in of_one.values())
    cost = commitment_cost(dealings)
    assert (max(hops), sent) == (cost.hops, cost.payload)


def test_the_keys_with_the_helper_are_new_and_that_of_the_proxies_stays() -> None:
    before: dict[Role, Any] = {}
    after: dict[Role, Any] = {}

    class Noting(Server):
        def keys(self, links: Any, given: Any) -> Any:
            agreed = super().keys(links, given)
            before[self._role], after[self._role] = given.keys, agreed.keys
            return agreed

    one_run({role: Noting(role, 4) for role in Role})
    assert after[P0][P1] == after[P1][P0] == before[P0][P1]
    assert after[HELPER] == {proxy: after[proxy][HELPER] for proxy in (P0, P1)}
    assert len({*after[HELPER].values(), *before[HELPER].values()}) == 4


def test_every_dealing_is_used_at_some_time() -> None:
    used = set()

    class Noting(Server):
        def _toss(self, *about: Any) -> int:
            used.add(found := super()._toss(*about))
            return found

    # 100 tosses miss one of three dealings with a probability of 10^-17
    for _ in range(100):
        run_of(P1, Noting, 3)
        if used == {0, 1, 2}:
            return
    pytest.fail(f"only {used} in 100 runs")


def test_a_wrong_dealing_passes_if_and_only_if_it_is_the_one_that_is_used() -> None:
    seen = set()
    for _ in range(64):
        try:
            seen.add(run_of(HELPER, CommitsToOneWrong, 2)[0])
        except CheatingDetected as error:
            seen.add(error.what)
        if len(seen) == 2:
            break
    assert seen == {WRONG[0], "dealing 0 of the helper is not the one that its seeds give"}


NOT_AS_COMMITTED = "the helper dealt other words than it committed to"
NOT_OF_ITS_SEEDS = r"dealing \d of the helper is not the one that its seeds give"


@pytest.mark.parametrize(
    ("cheat", "found"),
    [
        (CommitsToAllWrong, NOT_OF_ITS_SEEDS),
        (DealsAnother, NOT_AS_COMMITTED),
        (OpensAnother, NOT_OF_ITS_SEEDS),
        (LeavesWhenFoundOut, "the helper did not open its dealings after the toss"),
    ],
)
def test_a_helper_that_departs_from_the_protocol_is_found_out(
    cheat: type[Server], found: str
) -> None:
    with pytest.raises(CheatingDetected, match=found):
        run_of(HELPER, cheat, 4)


def test_a_dealing_that_could_not_be_checked_after_the_toss_counts_as_a_wrong_one() -> None:
    class WithoutMemory(Server):
        """A proxy whose memory somebody has used up."""

        def _recomputed(self, *about: Any) -> Any:
            raise MemoryError

    with pytest.raises(CheatingDetected, match="could not be checked: MemoryError"):
        run_of(P1, WithoutMemory, 4)


@pytest.mark.parametrize("cheat", [None, CommitsToAllWrong, LeavesWhenFoundOut])
def test_a_check_is_under_way_from_before_the_toss_until_all_was_found_right(
    cheat: type[Server] | None,
) -> None:
    told: dict[Role, list[bool]] = {role: [] for role in Role}

    class Telling(Server):
        def keys(self, links: Any, given: Any) -> Any:
            self._checking = told[self._role].append
            return super().keys(links, given)

        def _toss(self, *about: Any) -> int:
            assert told[self._role] == [True]
            return super()._toss(*about)

    servers: dict[Role, Server] = {role: Telling(role, 4) for role in Role}
    if cheat is None:
        one_run(servers)
    else:
        with pytest.raises(CheatingDetected):
            one_run({**servers, HELPER: cheat(HELPER, 4)})
    expected = [True, False] if cheat is None else [True]
    assert told == {P0: expected, P1: expected, HELPER: []}


def other_bytes(body: bytes) -> bytes:
    return os.urandom(len(body))


def own_seed_changed(body: bytes) -> bytes:
    return bytes([body[0] ^ 1]) + body[1:]


def next_number(body: bytes) -> bytes:
    return bytes([(body[0] + 1) % 4])


def beyond(body: bytes) -> bytes:
    return bytes([4])


DIFFERENT = "the helper gave the proxies different commitments"
ANOTHER_TOSS = "shows another toss than it had chosen"
NOT_THE_SAME = "the proxies do not name the same dealing"


@pytest.mark.parametrize(
    ("cheater", "peer", "at", "change", "found"),
    [
        (HELPER, P0, 0, other_bytes, DIFFERENT),
        (HELPER, P1, 0, other_bytes, DIFFERENT),
        (HELPER, P0, 1, other_bytes, NOT_OF_ITS_SEEDS),
        (HELPER, P0, 1, own_seed_changed, NOT_AS_COMMITTED),
        (HELPER, P1, 1, own_seed_changed, NOT_AS_COMMITTED),
        (HELPER, P1, 1, other_bytes, NOT_OF_ITS_SEEDS),
        (P0, P1, 1, other_bytes, f"P0 {ANOTHER_TOSS}"),
        (P1, P0, 1, other_bytes, f"P1 {ANOTHER_TOSS}"),
        (P0, HELPER, 0, next_number, NOT_THE_SAME),
        (P1, HELPER, 0, next_number, NOT_THE_SAME),
        (P0, HELPER, 0, beyond, NOT_THE_SAME),
    ],
)
def test_a_changed_message_is_found_out(
    cheater: Role, peer: Role, at: int, change: Any, found: str
) -> None:
    with pytest.raises(CheatingDetected, match=found):
        run_of(cheater, partial(AltersAMessage, peer=peer, at=at, change=change), 4)


def test_a_proxy_cannot_answer_a_toss_with_the_same_toss() -> None:
    class Echo(Server):
        """Whatever it is told of the toss, it says as well."""

        def keys(self, links: Any, given: Any) -> Any:
            link, told = links[self._other], {}

            class Echoing:
                def __getattr__(self, name: str) -> Any:
                    return getattr(link, name)

                def send_bytes(self, kind: Any, body: bytes) -> None:
                    told["later"] = kind

                def receive_bytes(self, kind: Any, **limits: Any) -> bytes:
                    body: bytes = link.receive_bytes(kind, **limits)
                    link.send_bytes(kind, body)
                    return body

            return super().keys({**links, self._other: Echoing()}, given)

    with pytest.raises(CheatingDetected, match=ANOTHER_TOSS):
        run_of(P1, Echo, 4)


def test_a_message_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(BadFrame, match="sent 255 bytes where 256 belong"):
        run_of(HELPER, partial(AltersAMessage, peer=P0, at=0, change=lambda body: body[1:]), 4)


def test_a_run_that_nobody_committed_to_is_not_confirmed() -> None:
    with pytest.raises(LocalProtocolError, match="nobody committed"):
        CommittedDealing(P0, product, 4).confirm()


@pytest.mark.parametrize("dealings", [1, 65])
def test_the_number_of_dealings_has_bounds(dealings: int) -> None:
    with pytest.raises(ValueError, match="from 2 to 64"):
        CommittedDealing(P0, product, dealings)


@pytest.mark.parametrize("named", [4, 255])
def test_proxies_that_name_a_dealing_that_there_is_not_are_found_out_by_the_helper(
    named: int,
) -> None:
    """Both do: of one alone the helper hears that the two do not name the same."""

    class NamesAnother(Server):
        def keys(self, links: Any, given: Any) -> Any:
            if self._role is HELPER:
                return super().keys(links, given)
            naming = Altering(links[HELPER], at=0, change=lambda _: bytes([named]))
            return super().keys({**links, HELPER: naming}, given)

    told: list[Exception] = []

    class Noting(NamesAnother):
        def keys(self, links: Any, given: Any) -> Any:
            try:
                return super().keys(links, given)
            except Exception as error:
                if self._role is HELPER:
                    told.append(error)
                raise

    with pytest.raises(CheatingDetected):
        one_run({role: Noting(role, 4) for role in Role})
    [error] = told
    assert isinstance(error, CheatingDetected)
    assert "do not name the same dealing" in error.what
