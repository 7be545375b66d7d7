"""Programs side by side: the results of each alone, in the hops of the longest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.errors import BoundExceeded, LocalProtocolError
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, is_negative, multiply, square
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.side_by_side import _Lane, side_by_side
from ppaurora.mpc.words import BLOCK
from tests.mpc.cases import comparable, expected
from tests.mpc.every_case import EVERY_CASE, opened, shares_of

LENGTHS = (65, 3, 200)
"""Of the vectors of neighbours: rounds of different sizes."""


def moved(party: Party) -> int:
    return sum(link.counters.bytes_sent for link in party.links.values())


@pytest.mark.parametrize("index", range(len(EVERY_CASE)), ids=map(str, EVERY_CASE))
def test_every_primitive_runs_beside_every_other(index: int) -> None:
    """Three neighbours, each of which calls two primitives, begin and end in different rounds."""
    calls = [
        [
            EVERY_CASE[(index + lane) % len(EVERY_CASE)],
            EVERY_CASE[(index + 5 * lane + 1) % len(EVERY_CASE)],
        ]
        for lane in range(len(LENGTHS))
    ]
    inputs = [
        [
            [*case.draw(np.random.default_rng([index, n, k]), min(n, case.most))]
            for k, case in enumerate(cases)
        ]
        for cases, n in zip(calls, LENGTHS, strict=True)
    ]
    flat = [vector for lane in inputs for vectors in lane for vector in vectors]

    def program(party: Party, *vectors: Shared) -> tuple[list[list[list[Shared]]], int, int]:
        rest = iter(vectors)
        lanes = [
            [
                (case, list(islice(rest, len(given))))
                for case, given in zip(cases, lane, strict=True)
            ]
            for cases, lane in zip(calls, inputs, strict=True)
        ]

        def run(lane: list[tuple[object, list[Shared]]]) -> Callable[[Party], list[list[Shared]]]:
            return lambda own: [list(case.call(own, *given)) for case, given in lane]  # type: ignore[attr-defined]

        return side_by_side(party, [run(lane) for lane in lanes]), party.hops, moved(party)

    at = run_local(program, *map(shares_of, flat))
    for lane, cases in enumerate(calls):
        for k, case in enumerate(cases):
            results = [
                opened(x0, x1) for x0, x1 in zip(at[0][0][lane][k], at[1][0][lane][k], strict=True)
            ]
            plain = [[int(value) for value in vector] for vector in inputs[lane][k]]
            assert comparable(case, results) == expected(case, plain), case
    costs = [
        [case.cost.of(min(n, case.most)) for case in cases]
        for cases, n in zip(calls, LENGTHS, strict=True)
    ]
    assert max(hops for _, hops, _ in at) == max(sum(one.hops for one in lane) for lane in costs)
    assert sum(sent for *_, sent in at) == sum(one.payload for lane in costs for one in lane)


def test_many_blocks_run_side_by_side() -> None:
    n = 3 * BLOCK + 7
    x = np.random.default_rng(1).integers(-(2**62), 2**62, n)

    def program(party: Party, x: Shared) -> list[Shared]:
        return side_by_side(
            party, [lambda own: is_negative(own, x), lambda own: multiply(own, x, square(own, x))]
        )

    at = run_local(program, share(x))
    sign, cube = (open_locally([one[k] for one in at]) for k in range(2))
    assert np.array_equal(sign, x < 0)
    assert np.array_equal(cube, x * x * x)


def test_a_party_goes_on_after_programs_side_by_side() -> None:
    def program(party: Party, x: Shared) -> Shared:
        for _ in range(3):
            first, second = side_by_side(party, [partial(square, x=x), partial(is_negative, x=-x)])
            x = multiply(party, first, second) - 1
        return x

    assert open_locally(run_local(program, share([1, 2, 3]))).tolist() == [-1, 63, (63**2 - 1)]


def test_programs_may_be_nested() -> None:
    def both(party: Party, x: Shared) -> list[Shared]:
        return side_by_side(party, [lambda own: square(own, x), lambda own: is_negative(own, x)])

    def program(party: Party, x: Shared) -> list[list[Shared]]:
        return side_by_side(party, [lambda own: both(own, x), lambda own: both(own, x - 10)])

    at = run_local(program, share([-3, 4]))
    opened = [[open_locally([one[i][k] for one in at]).tolist() for k in (0, 1)] for i in (0, 1)]
    assert opened == [[[9, 16], [1, 0]], [[169, 36], [1, 1]]]


def test_nested_programs_keep_the_rounds_of_their_neighbours() -> None:
    """The inner ones begin and end in other rounds than the one beside them."""

    def inner(party: Party, x: Shared) -> list[Shared]:
        return side_by_side(
            party, [lambda own: is_negative(own, x - 3), lambda own: square(own, square(own, x))]
        )

    def outer(party: Party, x: Shared) -> tuple[list[list[Shared]], int]:
        beside = side_by_side(
            party,
            [
                lambda own: [multiply(own, x, x)],
                lambda own: inner(own, multiply(own, x, x)),
                lambda own: inner(own, square(own, multiply(own, x, x))),
                lambda own: [is_negative(own, is_negative(own, x) - 1)],
            ],
        )
        return beside, party.hops

    at = run_local(outer, share([1, 2]))
    found = [
        [open_locally([one[0][lane][k] for one in at]).tolist() for k in range(len(words))]
        for lane, words in enumerate(at[0][0])
    ]
    assert found == [[[1, 4]], [[1, 0], [1, 256]], [[1, 0], [1, 65536]], [[1, 1]]]
    assert at[0][1] == 2 * is_negative.cost().of(2).hops


def test_one_program_by_itself_costs_no_thread() -> None:
    at = run_local(lambda party, x: side_by_side(party, [lambda own: own is party])[0], share([1]))
    assert at == [True, True, True]


def test_the_error_of_one_program_ends_the_others_and_is_raised() -> None:
    ended: list[Role] = []

    def long(party: Party, x: Shared) -> Shared:
        try:
            for _ in range(100):
                x = square(party, x)
        finally:
            ended.append(party.role)
        return x

    def refused(party: Party, x: Shared) -> Shared:
        return divide(party, square(party, x), x, digits=1, bound=1 << 63)

    def program(party: Party, x: Shared) -> list[Shared]:
        return side_by_side(party, [lambda own: long(own, x), lambda own: refused(own, x)])

    with pytest.raises(BoundExceeded):
        run_local(program, share([1]))
    assert sorted(ended) == list(Role)


def test_phases_are_those_of_the_program_that_leads() -> None:
    def squared(party: Party, x: Shared, phase: str, times: int) -> None:
        for time in range(times):
            with party.phase(f"{phase} {time}"):
                x = square(party, x)

    def program(party: Party, x: Shared, *, led: bool) -> list[tuple[str, int]]:
        with party.phase("outer"):
            programs = [
                partial(squared, x=x, phase="first", times=2),
                partial(squared, x=x, phase="other", times=3),
            ]
            side_by_side(party, programs, led=led)
        return [(phase.name, phase.hops) for phase in party.phases]

    at = run_local(partial(program, led=True), share([3]))
    assert at[0] == [("outer/first 0", 1), ("outer/first 1", 1), ("outer", 3)]
    assert run_local(partial(program, led=False), share([3]))[0] == [("outer", 3)]


def test_a_program_that_is_stopped_before_its_first_turn_does_nothing() -> None:
    def fails(party: Party) -> None:
        raise LocalProtocolError("the first program failed")

    def program(party: Party) -> list[None]:
        def never(own: Party) -> None:
            raise AssertionError("it had no turn")

        return side_by_side(party, [fails, never])

    with pytest.raises(LocalProtocolError, match="the first program failed"):
        run_local(program)


def test_an_interrupt_that_falls_into_a_turn_ends_all_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The turn is given, and who gave it never waits for its end."""
    turns: list[int] = []

    def interrupted(lane: Any) -> None:
        lane._given.release()
        raise KeyboardInterrupt

    def program(party: Party) -> None:
        for turn in range(9):
            turns.append(turn)
            party.end_round()

    def both(party: Party, _: Shared) -> bool:
        # as the first thing of a lane, before it may have taken its turn
        with pytest.raises(KeyboardInterrupt):
            side_by_side(party, [program, program])
        return True

    monkeypatch.setattr(_Lane, "run_round", interrupted)
    assert run_local(both, share([1])) == [True] * len(Role)
    assert set(turns) <= {0}
