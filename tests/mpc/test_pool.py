"""Threads change nothing but the time: the same words, the same frames, the same errors."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from ppaurora.mpc import local
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.pool import Pool, block_of, pool_of
from ppaurora.mpc.primitives import multiply
from ppaurora.mpc.primitives.blockwise import over_blocks
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import BLOCK, LONG_ROW, blocks
from tests.further import some_of
from tests.mpc.cases import comparable, expected
from tests.mpc.every_case import EVERY_CASE, opened, shares_of

SECONDS = 20.0
ONE = dict.fromkeys(Role, 1)
DIFFERENT = {Role.P0: 3, Role.P1: 1, Role.HELPER: 2}
OTHERS = {Role.P0: 1, Role.P1: 2, Role.HELPER: 1}
NAMES = (
    "multiply",
    "inner_product",
    "is_negative",
    "is_zero",
    "open_negative",
    "compare_exchange",
    "negative_times",
    "to_arithmetic",
    "lookup",
    "widen",
    "carry_in_few_hops",
)
CASES = {case.primitive.__name__: case for case in EVERY_CASE}


def at_all_parties(case, inputs, threads: Mapping[Role, int]):
    """The results' words, the trace and the hops of each party."""

    def program(party: Party, *vectors):
        return case.call(party, *vectors), party.trace, party.hops

    return run_local(program, *inputs, threads=threads, keep_trace=True)


@pytest.mark.parametrize("name", NAMES)
def test_words_frames_and_hops_are_the_same_for_any_number_of_threads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: dict[Role, dict[Role, bytes]] = {role: {} for role in Role}
    for number, (role, peer) in enumerate(PAIRS):
        keys[role][peer] = keys[peer][role] = bytes([number]) * 32
    monkeypatch.setattr(local, "fresh_session_keys", lambda: keys)
    case = CASES[name]
    # two blocks for one thread, or three for several
    drawn = case.draw(np.random.default_rng(1), min(BLOCK + 3, case.most))
    inputs = list(map(shares_of, drawn))
    alone = at_all_parties(case, inputs, ONE)
    for threads in (DIFFERENT, OTHERS):
        for one, other in zip(alone, at_all_parties(case, inputs, threads), strict=True):
            assert one[1:] == other[1:]
            for x, y in zip(one[0], other[0], strict=True):
                assert x.present == y.present
                assert not x.present or np.array_equal(x.words, y.words)
    results = [opened(x0, x1) for x0, x1 in zip(alone[0][0], alone[1][0], strict=True)]
    assert comparable(case, results) == expected(case, [list(map(int, one)) for one in drawn])


@pytest.mark.parametrize(
    ("name", "threads", "more"),
    some_of(
        product(["compare_exchange", "is_zero", "multiply"], [4, 8], [0, 1003]),
        in_ci=[
            *(("compare_exchange", 4, 0), ("compare_exchange", 8, 1003)),
            *(("is_zero", 8, 0), ("is_zero", 4, 1003), ("multiply", 8, 0), ("multiply", 8, 1003)),
        ],
    ),
)
def test_blocks_for_several_threads_give_what_the_larger_ones_do_and_cost_as_much(
    name: str, threads: int, more: int
) -> None:
    """To a thousandth where the last block is not full, of which a plane ends within a word."""
    case, length = CASES[name], BLOCK + more
    drawn = case.draw(np.random.default_rng(2), length)
    found = at_all_parties(case, list(map(shares_of, drawn)), dict.fromkeys(Role, threads))
    of_one, of_other, _ = (one[0] for one in found)
    results = [opened(x0, x1) for x0, x1 in zip(of_one, of_other, strict=True)]
    assert comparable(case, results) == expected(case, [list(map(int, one)) for one in drawn])
    frames = [moved for _, trace, _ in found for moved in trace if moved.sent]
    sent, declared = sum(8 * one.length for one in frames), case.primitive.cost(**case.parameters)
    assert found[0][2] == declared.hops(length)
    assert abs(sent - declared.payload(length)) <= (declared.payload(length) // 1000 if more else 0)
    assert max(one.length for one in frames) <= 4 * block_of(BLOCK, length, threads)


@pytest.mark.parametrize("threads", [2, 3, 4, 5, 7, 8, 16])
@pytest.mark.parametrize("size", [BLOCK // 8, BLOCK, 2 * BLOCK])
def test_as_many_blocks_as_keep_every_thread_at_work(size: int, threads: int) -> None:
    """Or as are a quarter of a block long; each ends where a word of a plane of bits does."""
    ends = [size * part // 4 + more for part in range(1, 8 * threads) for more in (-1, 0, 1)]
    for length in [1, *ends]:
        block = block_of(size, length, threads)
        turns, left = divmod(len(list(blocks(length, block))), threads)
        assert size // 4 <= block <= size
        assert block % 64 == 0
        assert block == size // 4 or (turns, left) == (-(-length // (threads * size)), 0)


def test_one_thread_takes_whole_blocks() -> None:
    assert {block_of(BLOCK, length, 1) for length in (0, 1, BLOCK, BLOCK + 1)} == {BLOCK}


@pytest.fixture
def pool():
    with pool_of(2) as pool:
        yield pool


def test_results_come_in_order_and_tasks_run_at_the_same_time(pool: Pool) -> None:
    begun = threading.Event()

    def waits() -> str:
        assert begun.wait(SECONDS)
        return "first"

    def begins() -> str:
        begun.set()
        return "second"

    assert pool.together([waits, begins]) == ["first", "second"]


def test_turns_are_taken_in_the_order_of_the_blocks(pool: Pool) -> None:
    taken: list[int] = []
    last_asks = threading.Event()

    def task(place: int):
        def run() -> None:
            block = pool.block
            assert block is not None
            if place == 0:
                assert last_asks.wait(SECONDS)
            if place == 1:
                last_asks.set()
            with block.ordered("draw"):
                taken.append(place)

        return run

    pool.together(map(task, range(6)))
    assert taken == [0, 1, 2, 3, 4, 5]


def test_a_block_that_does_not_want_its_turn_lets_the_next_one_pass(pool: Pool) -> None:
    def takes() -> str:
        assert pool.block is not None
        with pool.block.ordered("deal"):
            return "dealt"

    assert pool.together([lambda: "", takes, lambda: "", takes]) == ["", "dealt"] * 2


def test_what_is_kept_is_done_in_the_order_of_the_blocks(pool: Pool) -> None:
    done: list[int] = []
    later_ended = threading.Event()

    def task(place: int):
        def run() -> None:
            assert pool.block is not None
            pool.block.keep(lambda: done.append(place))
            if place == 2:
                assert later_ended.wait(SECONDS)
            if place == 3:
                assert done in ([0], [0, 1])
                later_ended.set()

        return run

    pool.together(map(task, range(6)))
    assert done == list(range(6))


def test_nothing_is_sent_after_a_block_that_failed(pool: Pool) -> None:
    done: list[int] = []

    def task(place: int):
        def run() -> None:
            assert pool.block is not None
            pool.block.keep(lambda: done.append(place))
            if place == 1:
                raise ValueError("the second block failed")

        return run

    with pytest.raises(ValueError, match="the second block failed"):
        pool.together(map(task, range(6)))
    assert done == [0]


def test_an_error_in_sending_is_raised_and_nothing_is_sent_after_it(pool: Pool) -> None:
    done: list[int] = []

    def task(place: int):
        def run() -> None:
            assert pool.block is not None
            pool.block.keep(lambda: done.append(1 // (1 - place)))

        return run

    with pytest.raises(ZeroDivisionError):
        pool.together(map(task, range(6)))
    assert done == [1]


def test_a_second_turn_in_one_hop_is_refused(pool: Pool) -> None:
    def twice() -> None:
        assert pool.block is not None
        for _ in range(2):
            with pool.block.ordered("draw"):
                pass

    with pytest.raises(LocalProtocolError, match="asks twice in one hop to draw"):
        pool.together([twice, twice])


def test_the_first_error_is_raised_when_all_have_ended(pool: Pool) -> None:
    begun = threading.Event()
    ended: list[str] = []

    def fails() -> None:
        assert begun.wait(SECONDS)
        raise ValueError("the first block failed")

    def waits_for_its_turn() -> None:
        begun.set()
        assert pool.block is not None
        try:
            with pool.block.ordered("draw"):
                pass
        finally:
            ended.append("second")

    with pytest.raises(ValueError, match="the first block failed"):
        pool.together([fails, waits_for_its_turn])
    assert ended == ["second"]
    assert pool.together([lambda: 1, lambda: 2]) == [1, 2]


def test_no_more_tasks_are_begun_than_there_are_threads(pool: Pool) -> None:
    made: list[int] = []

    def tasks():
        for place in range(50):
            made.append(place)
            yield lambda: len(made)

    # two are looked at before any is begun
    assert all(found <= place + 3 for place, found in enumerate(pool.together(tasks())))
    assert len(made) == 50


def test_an_error_in_making_a_task_is_raised_when_all_have_ended(pool: Pool) -> None:
    ended: list[int] = []

    def tasks():
        for place in range(3):
            yield lambda place=place: ended.append(place)
        raise ValueError("there is no fourth block")

    with pytest.raises(ValueError, match="no fourth block"):
        pool.together(tasks())
    assert sorted(ended) == [0, 1, 2]


def test_a_block_may_run_tasks_of_its_own_and_is_the_block_again_afterwards(pool: Pool) -> None:
    def asks() -> bool:
        before = pool.block
        assert pool.together([lambda: pool.block is not before] * 3) == [True] * 3
        return before is not None and pool.block is before

    assert pool.together([asks, asks]) == [True, True]


def test_whoever_interrupts_the_wait_for_the_others_lets_blocks_end(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(hop: object) -> None:
        raise KeyboardInterrupt

    stopped: list[object] = []
    monkeypatch.setattr("ppaurora.mpc.pool._Hop.await_the_others", interrupted)
    monkeypatch.setattr("ppaurora.mpc.pool._Hop.stop", lambda hop: stopped.append(hop))
    with pytest.raises(KeyboardInterrupt):
        pool.together([lambda: 1, lambda: 2])
    assert len(stopped) == 1


def test_a_single_block_runs_on_the_thread_that_asks(pool: Pool) -> None:
    assert pool.together([threading.get_ident]) == [threading.get_ident()]
    assert pool.together([]) == []


def test_the_helper_hands_over_only_what_it_deals() -> None:
    def block(party: Party) -> Program[list[bool]]:
        handed_over = []
        for _ in range(3):
            handed_over.append(party._block is not None)
            yield np.zeros(0 if party.is_helper else 1, np.uint64)
        return handed_over

    of_p0, of_p1, of_helper = run_local(
        lambda party: party.lockstep(block(party) for _ in range(3)),
        threads=dict.fromkeys(Role, 2),
    )
    assert of_p0 == of_p1 == [[True, True, True]] * 3
    assert of_helper == [[True, False, False]] * 3


def test_one_thread_needs_no_pool() -> None:
    with pool_of(1) as none:
        assert none is None


@pytest.mark.parametrize("threads", [1, 2])
def test_every_block_works_on_rows_where_they_lie(threads: int) -> None:
    def block(seen: list[int]):
        seen.append(np.getbufsize())
        yield from in_step(1)
        seen.append(np.getbufsize())

    def program(party: Party) -> list[int]:
        seen: list[int] = []
        party.lockstep(block(seen) for _ in range(3))
        return seen

    found = run_local(program, threads=dict.fromkeys(Role, threads))
    assert found == [[LONG_ROW] * 6] * 3


def test_an_error_in_one_block_ends_the_session_of_all_parties() -> None:
    def fails(party, length, x):
        if length < BLOCK:
            raise ValueError("the last block failed")
        yield np.zeros(length, np.uint64)

    def program(party, x):
        if party.role is Role.P0:
            over_blocks(party, fails, x)
        return multiply(party, x, x)

    with pytest.raises(ValueError, match="the last block failed"):
        run_local(program, share([1] * (3 * BLOCK + 5)), threads=dict.fromkeys(Role, 2))
