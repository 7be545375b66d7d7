"""`Party`: who draws, deals and sends what, in which order; phases; programs that fail."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc import Party, Phase, Role, Shared
from ppaurora.mpc.errors import LocalProtocolError, PeerAborted
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Program
from ppaurora.mpc.primitives import compare_exchange, multiply, negative_part
from ppaurora.mpc.session import finish
from ppaurora.mpc.shares import share
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.words import BLOCK, Words

P0, P1, HELPER = Role


def test_masks_are_known_to_the_helper_and_not_to_the_other_proxy() -> None:
    shapes = (3,), (2, 5), (0,)

    def program(party: Party) -> list[Any]:
        return list(party.both_masks(*shapes) if party.is_helper else party.masks(*shapes))

    of_p0, of_p1, of_both = run_local(program)
    for mine, theirs, both, shape in zip(of_p0, of_p1, of_both, shapes, strict=True):
        assert mine.shape == theirs.shape == shape
        np.testing.assert_array_equal(mine, both[0])
        np.testing.assert_array_equal(theirs, both[1])
        assert not np.isin(mine, theirs).any()


def test_sections_of_masks_go_on_where_the_last_block_stopped() -> None:
    def program(party: Party) -> list[Words]:
        if party.is_helper:
            return [p0 for _ in range(4) for p0, _ in party.both_masks((5,), (3,))]
        # section 1 may be read after section 0 of the next block
        blocks = [party.masks((5,), (3,)) for _ in range(4)]
        first = [next(block) for block in blocks]
        second = [next(block) for block in blocks]
        return [words for pair in zip(first, second, strict=True) for words in pair]

    p0, _, helper = run_local(program)
    for drawn, known in zip(p0, helper, strict=True):
        np.testing.assert_array_equal(drawn, known)
    assert np.unique(np.concatenate(p0)).size == 32


def test_what_is_dealt_makes_the_words_by_xor_and_by_addition() -> None:
    bits = [np.arange(6, dtype=np.uint64).reshape(2, 3), np.full(7, 2**64 - 1, np.uint64)]
    sums = [np.arange(4, dtype=np.uint64), np.array([[2**63]], np.uint64)]
    shapes = [part.shape for part in (*bits, *sums)]

    def program(party: Party) -> list[Words]:
        party.step()
        if party.is_helper:
            party.deal(xor=bits, add=sums)
            return []
        return list(party.dealt(*shapes))

    p0, p1, _ = run_local(program)
    for a, b, dealt in zip(p0[:2], p1[:2], bits, strict=True):
        np.testing.assert_array_equal(a ^ b, dealt)
    for a, b, dealt in zip(p0[2:], p1[2:], sums, strict=True):
        np.testing.assert_array_equal(a + b, dealt)


def sent_when_dealing(*lengths: int) -> list[tuple[Role, int]]:
    """To whom the helper sends how many words when it deals so many, a step each."""

    def program(party: Party) -> Any:
        for length in lengths:
            party.step()
            if party.is_helper:
                party.deal(add=[np.zeros(length, np.uint64)])
            else:
                [words] = party.dealt((length,))
                assert words.shape == (length,)
        return [(moved.peer, moved.length) for moved in party.trace or []]

    at = run_local(program, keep_trace=True)
    received = [[(role, length) for _, length in at[role]] for role in (P0, P1)]
    assert sorted(at[HELPER]) == sorted(received[0] + received[1])
    return list(at[HELPER])


def test_deals_are_sent_to_p1_and_p0_in_turn() -> None:
    assert sent_when_dealing(5, 5, 5, 5, 5) == [(P1, 5), (P0, 5), (P1, 5), (P0, 5), (P1, 5)]


def test_a_deal_is_sent_to_the_proxy_that_was_sent_less() -> None:
    assert sent_when_dealing(9, 2, 3, 4, 1, 1, 7) == [
        (P1, 9), (P0, 2), (P0, 3), (P0, 4), (P1, 1), (P0, 1), (P1, 7),
    ]  # fmt: skip


def test_both_proxies_are_sent_as_much_of_a_large_step() -> None:
    def program(party: Party, x: Shared) -> int:
        negative_part(party, x)
        links = party.links
        return 0 if party.is_helper else links[HELPER].counters.bytes_received

    p0, p1, _ = run_local(program, share(np.zeros(6 * BLOCK, np.int64)))
    assert p0 == p1 > 0


def test_programs_side_by_side_begin_with_p1_each() -> None:
    def square(own: Party) -> None:
        multiply(own, *[Shared.public(own.role, [3])] * 2)

    def program(party: Party) -> Any:
        side_by_side(party, [square, square, square])
        return [moved.peer for moved in party.trace or []]

    assert run_local(program, keep_trace=True)[HELPER] == [P1, P1, P1]


def test_what_p0_is_sent_is_blinded_by_a_stream_of_p1_and_the_helper() -> None:
    def program(party: Party) -> Any:
        for _ in range(2):
            party.step()
            if party.is_helper:
                party.deal(xor=[np.zeros(4, np.uint64)], add=[np.zeros(4, np.uint64)])
            else:
                xor, add = party.dealt((4,), (4,))
        return [] if party.is_helper else [xor, add]

    p0, p1, _ = run_local(program)
    np.testing.assert_array_equal(p0[0], p1[0])
    np.testing.assert_array_equal(p0[1], -p1[1])
    assert all(words.all() for words in p0)


def test_a_common_stream_is_the_pairs_own() -> None:
    def program(party: Party) -> dict[Role, list[int]]:
        return {peer: party.common("x", peer).words(4).tolist() for peer in party.role.others}

    words = run_local(program)
    pairs = [words[P0][P1], words[P0][HELPER], words[P1][HELPER]]
    assert pairs == [words[P1][P0], words[HELPER][P0], words[HELPER][P1]]
    assert len({tuple(pair) for pair in pairs}) == 3


def test_a_common_stream_is_the_other_proxys_unless_named() -> None:
    p0, p1, _ = run_local(
        lambda party: None if party.is_helper else party.common("y").words(4).tolist()
    )
    assert p0 == p1


def test_names_of_streams_differ_from_step_to_step() -> None:
    def program(party: Party) -> list[str]:
        names = []
        for _ in range(3):
            party.step()
            names.append(party.unique_name("use"))
        return names

    p0, p1, helper = run_local(program)
    assert p0 == p1 == helper
    assert len(set(p0)) == 3


def test_lockstep_sends_all_blocks_of_a_hop_before_any_is_awaited() -> None:
    hops, blocks = 3, 5

    def block(party: Party, number: int) -> Program[list[int]]:
        heard = []
        for hop in range(hops - number % 2):  # blocks may end earlier
            heard += (yield np.array([10 * hop + number, party.role], np.uint64)).tolist()
        return heard

    def program(party: Party) -> Any:
        if party.is_helper:
            party.step()
            return None
        results = party.lockstep(block(party, number) for number in range(blocks))
        return results, [moved.sent for moved in party.trace or []]

    for role, other in ((P0, P1), (P1, P0)):
        results, sent = run_local(program, keep_trace=True)[role]
        assert sent[:5] == [True] * blocks
        assert sent.count(True) == sent.count(False) == 3 * 3 + 2 * 2
        for number, heard in enumerate(results):
            expected = [[10 * hop + number, other] for hop in range(hops - number % 2)]
            assert heard == [value for pair in expected for value in pair]


def test_lockstep_advances_a_block_as_soon_as_its_answer_is_there() -> None:
    def program(party: Party, x: Shared) -> Any:
        negative_part(party, x)
        return [moved.sent for moved in party.trace or [] if moved.kind is Kind.OPEN]

    p0, *_ = run_local(program, share(np.zeros(2 * BLOCK + 1, np.int64)), keep_trace=True)
    out, back = True, False
    assert p0 == [out] * 3 + [back, out] * 3 * 5 + [back] * 3


@pytest.mark.parametrize(("window", "ahead"), [(1 << 20, False), (64 << 20, True)])
def test_the_helper_deals_ahead_within_its_window(window: int, ahead: bool) -> None:
    done = threading.Event()

    def program(party: Party, x: Shared) -> Shared:
        if party.role is P1:  # of some 9 MB dealt
            assert done.wait(30.0 if ahead else 0.2) is ahead
        result = negative_part(party, x)
        if party.is_helper:
            done.set()
        return result

    values = np.arange(-100_000, 100_000)
    results = run_local(program, share(values), limits=Limits(window=window))
    np.testing.assert_array_equal(open_locally(results), np.minimum(values, 0))


def test_a_phase_tells_what_it_took() -> None:
    def program(party: Party, x: Shared) -> list[Phase]:
        with party.phase("outer"):
            multiply(party, x, x)
            with party.phase("inner"):
                negative_part(party, x)
        with party.phase("silent"):
            pass
        return party.phases

    at = run_local(program, share([1] * 64))
    assert [[phase.name for phase in phases] for phases in at] == [
        ["outer/inner", "outer", "silent"]
    ] * 3
    inner, outer, silent = at[P0]
    assert (inner.hops, outer.hops, silent.hops) == (4, 5, 0)
    assert 0 < inner.bytes_sent < outer.bytes_sent
    assert silent.bytes_sent == silent.bytes_received == 0
    assert 0 <= inner.seconds <= outer.seconds
    for number in range(3):
        sent = sum(phases[number].bytes_sent for phases in at)
        assert sent == sum(phases[number].bytes_received for phases in at)


def test_phases_can_be_observed_and_name_the_step_of_an_error() -> None:
    seen: list[tuple[str, Phase | None]] = []

    def program(party: Party, x: Shared) -> None:
        party._on_phase = lambda name, phase: seen.append((name, phase)) if not party.role else None
        with party.phase("sort"), party.phase("layer"):
            multiply(party, x, x)
            if party.role is P0:
                party.receive(P1, Kind.TELL, 3)
            elif party.role is P1:
                party.exchange(x.words)

    with pytest.raises(Exception, match="step 1 of sort/layer"):
        run_local(program, share([1]))
    assert [name for name, phase in seen if phase is None] == ["sort", "sort/layer"]
    assert all(phase is None for _, phase in seen)  # none of them ended well


def test_the_helper_has_no_other_proxy() -> None:
    def program(party: Party) -> Role | None:
        if not party.is_helper:
            return party.other_proxy
        with pytest.raises(LocalProtocolError):
            _ = party.other_proxy
        return None

    assert run_local(program) == [P1, P0, None]


@pytest.mark.parametrize("culprit", Role)
def test_the_first_error_is_the_one_raised(culprit: Role) -> None:
    def program(party: Party, x: Shared) -> None:
        multiply(party, x, x)
        if party.role is culprit:
            raise KeyError("what went wrong")
        compare_exchange(party, x, -x)

    with pytest.raises(KeyError, match="what went wrong"):
        run_local(program, share([1, 2]))


def test_the_others_are_told_who_gave_up_but_not_the_words_of_the_error() -> None:
    told: dict[Role, PeerAborted] = {}

    def program(party: Party, x: Shared) -> None:
        if party.role is P1:
            raise ValueError("secret 4711")
        try:
            negative_part(party, x)
            finish(party.links)
        except PeerAborted as error:
            told[party.role] = error
            raise

    with pytest.raises(ValueError, match="secret"):
        run_local(program, share([1, 2]))
    assert set(told) == {P0, HELPER}
    for error in told.values():
        assert error.culprit is P1
        assert "4711" not in str(error)


def test_a_party_shows_its_place_and_nothing_else() -> None:
    def program(party: Party, x: Shared) -> str:
        negative_part(party, x)
        return repr(party)

    p0, _, helper = run_local(program, share([1]))
    assert p0 == "<Party P0, step 1, hop 4>"
    assert helper == "<Party helper, step 1, hop 0>"


def test_vectors_of_different_lengths_are_refused_by_all_roles() -> None:
    failures: list[Role] = []

    def program(party: Party, x: Shared, y: Shared) -> None:
        try:
            multiply(party, x, y)
        except LocalProtocolError:
            failures.append(party.role)

    run_local(program, share([1, 2]), share([1]))
    assert sorted(failures) == sorted(Role)


def test_the_runtime_needs_no_more_than_an_iterator_of_programs() -> None:
    def lazily(party: Party) -> Iterator[Program[int]]:
        def block(number: int) -> Program[int]:
            [answer] = yield np.array([number], np.uint64)
            return int(answer)

        yield from (block(number) for number in range(3))

    at = run_local(lambda party: None if party.is_helper else party.lockstep(lazily(party)))
    assert at[:2] == [[0, 1, 2]] * 2
