"""Programs that do not depend on each other, in the same hops: one after the other, round by round.

Each program is written as if it were alone. It runs in a thread of its own, but only one thread of
a party runs at any time: a program runs until its round ends (`Party.end_round`), then the next one
runs. All parties run them in the same order, and frames sent in one round are read in the next, so
that every frame is awaited in the order in which it was sent. Each program has its own streams and
steps. Nothing is sent that the programs by themselves would not send; the hops are those of the
longest. A program may itself run programs side by side. One of them may lead: what it names as a
phase is one of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Generic, TypeVar

from ppaurora.mpc.party import Party

Result = TypeVar("Result")


class _Stopped(BaseException):
    """Ends a program whose neighbour failed."""


def _turn() -> Lock:
    """A turn to be given: a lock that is held until then (a semaphore takes ten times as long)."""
    turn = Lock()
    turn.acquire()
    return turn


class _Lane(Generic[Result]):
    """One program, which runs a round whenever it is asked to."""

    def __init__(
        self, party: Party, program: Callable[[Party], Result], *, leading: bool = False
    ) -> None:
        self._given, self._back = _turn(), _turn()
        self._stopped = False
        self.done = False
        self.failure: BaseException | None = None
        self.results: list[Result] = []
        self.party = party.lane(self._end_round, leading=leading)
        self._thread = Thread(target=self._run, args=(program,), daemon=True)
        self._thread.start()

    def run_round(self) -> None:
        """Run until the round ends, or the program does."""
        self._given.release()
        self._back.acquire()

    def stop(self) -> None:
        """End the program where it stands, also if its runner was interrupted as it gave a turn."""
        self._stopped = True
        while not self.done:
            with suppress(RuntimeError):  # it may have its turn already
                self._given.release()
            self._back.acquire()
        self._thread.join()

    def _end_round(self) -> None:
        self._back.release()
        self._given.acquire()
        if self._stopped:
            raise _Stopped

    def _run(self, program: Callable[[Party], Result]) -> None:
        self._given.acquire()
        try:
            if not self._stopped:
                self.results.append(program(self.party))
        except BaseException as error:
            self.failure = error
        finally:
            self.done = True
            with suppress(RuntimeError):  # nobody may have taken back the turn before
                self._back.release()


def side_by_side(
    party: Party, programs: Sequence[Callable[[Party], Result]], *, led: bool = False
) -> list[Result]:
    """Run programs in the same hops; returns what each of them returns.

    The first error ends all of them and is raised. Where they are `led`, phases are those of the
    first one; without that nobody sees theirs.

    >>> from ppaurora.mpc.local import open_locally, run_local
    >>> from ppaurora.mpc.shares import share
    >>> from ppaurora.mpc.primitives import multiply, square
    >>> def both(party, x):
    ...     return side_by_side(
    ...         party, [lambda p: multiply(p, x, x + 1), lambda p: square(p, square(p, x))]
    ...     )
    >>> at = run_local(both, share([2, 3]))
    >>> [open_locally([results[k] for results in at]).tolist() for k in (0, 1)]
    [[6, 12], [16, 81]]
    """
    if len(programs) == 1:
        return [programs[0](party)]
    lanes = [
        _Lane(party, program, leading=led and not place) for place, program in enumerate(programs)
    ]
    try:
        waiting = lanes
        while waiting:
            for lane in waiting:
                lane.run_round()
                if lane.failure is not None:
                    raise lane.failure
            waiting = [lane for lane in waiting if not lane.done]
            if waiting:
                # a round of all of them is a round of the program that runs them
                party.end_round()
    finally:
        for lane in lanes:
            lane.stop()
        party.join_lanes([lane.party for lane in lanes])
    return [lane.results[0] for lane in lanes]
