"""Blocks of a hop on several threads, with the same random words and frames as on one thread.

A block's work is arithmetic, which runs without Python's lock. Three sections of it are ordered: a
block enters each of them once in a hop, when the blocks before it have left that section or have
ended the hop without it.

    receive    the other proxy's part of the block
    draw       its masks, or what is dealt to it
    deal       on the helper, the random words that it deals with

A block reserves its part of each stream in order and may read it later. Its frames are kept until
it has ended the hop and the blocks before it have sent theirs. So the other parties need not know
how many threads this one has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, islice
from threading import Lock, local
from typing import Literal, TypeVar

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import leave_rows_where_they_lie

Result = TypeVar("Result")
Section = Literal["receive", "draw", "deal"]
THREAD_NAME = "block"
"""The beginning of the names of the pool's threads."""
SECTIONS: tuple[Section, ...] = ("receive", "draw", "deal")


class _Hop:
    """The blocks of one hop: the next one for each section, and the next one that may send."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = dict.fromkeys(SECTIONS, 0)
        self._past: dict[Section, set[int]] = {kind: set() for kind in SECTIONS}
        self._waiting: dict[tuple[Section, int], Lock] = {}
        self._stopped = False
        self._ended: dict[int, HopBlock] = {}
        self._sending = False
        self._sent = 0

    def begin(self, kind: Section, place: int) -> None:
        """Wait until every block before the one at `place` has left this section."""
        with self._lock:
            comes = None
            if self._next[kind] != place and not self._stopped:
                comes = self._waiting[kind, place] = Lock()
                comes.acquire()
        if comes is not None:
            comes.acquire()
        if self._stopped:
            raise LocalProtocolError("another block of the hop failed")

    def end(self, place: int, kinds: Iterable[Section]) -> None:
        """Note that the block at `place` has left these sections, or does without them."""
        with self._lock:
            for kind in kinds:
                past, following = self._past[kind], self._next[kind]
                past.add(place)
                while following in past:
                    past.remove(following)
                    following += 1
                self._next[kind] = following
                comes = self._waiting.pop((kind, following), None)
                if comes is not None:
                    comes.release()

    def send_after(self, place: int, block: HopBlock) -> None:
        """Send what the block kept once those before it have; another thread may be at it already.

        After a block that failed no other sends anything.
        """
        with self._lock:
            self._ended[place] = block
            if self._sending:
                return
            self._sending = True
        while True:
            with self._lock:
                following = self._ended.pop(self._sent, None)
                self._sending = following is not None
            if following is None:
                return
            following.release()
            self._sent += 1

    def stop(self) -> None:
        """Release all blocks that wait, now or later."""
        with self._lock:
            self._stopped = True
            for comes in self._waiting.values():
                comes.release()
            self._waiting.clear()


class _Ordered(AbstractContextManager[None]):
    """The context of a block in a section, after waiting for the blocks before it."""

    __slots__ = ("_hop", "_kind", "_place")

    def __init__(self, hop: _Hop, place: int, kind: Section) -> None:
        self._hop = hop
        self._place = place
        self._kind: Section = kind

    def __enter__(self) -> None:
        self._hop.begin(self._kind, self._place)

    def __exit__(self, *_: object) -> None:
        self._hop.end(self._place, (self._kind,))


class HopBlock:
    """One block in one hop, on a thread of the pool."""

    def __init__(self, hop: _Hop, place: int) -> None:
        self._hop = hop
        self._place = place
        self._left = list(SECTIONS)
        self._kept: list[Callable[[], object]] = []

    def ordered(self, kind: Section) -> AbstractContextManager[None]:
        """The context of this section, which the block enters only once in the hop."""
        if kind not in self._left:
            raise LocalProtocolError(
                f"a block asks twice in one hop to {kind}",
                advice="Ask for all masks, and for all that is dealt, at once.",
            )
        self._left.remove(kind)
        return _Ordered(self._hop, self._place, kind)

    def end(self) -> None:
        """End the block's hop, without the sections that are left."""
        self._hop.end(self._place, self._left)

    def send(self) -> None:
        """Run the kept actions, as soon as the blocks before this one have run theirs."""
        self._hop.send_after(self._place, self)

    def keep(self, action: Callable[[], object]) -> None:
        """Keep an action until this block has ended and those before have run theirs."""
        self._kept.append(action)

    def release(self) -> None:
        """Run the kept actions."""
        for action in self._kept:
            action()


def one_after_the_other(tasks: Iterable[Callable[[], Result]]) -> Generator[Result, None, None]:
    """The results of the tasks of one hop, all run on the calling thread."""
    yield from (task() for task in tasks)


class Pool:
    """Threads for the blocks of a party's hops."""

    def __init__(self, executor: futures.ThreadPoolExecutor, threads: int) -> None:
        self._executor = executor
        self._threads = threads
        self._own = local()

    def __repr__(self) -> str:
        return f"<Pool of {self._threads} threads>"

    @property
    def block(self) -> HopBlock | None:
        """The block that the calling thread works on."""
        block: HopBlock | None = getattr(self._own, "block", None)
        return block

    def in_order(self, tasks: Iterable[Callable[[], Result]]) -> Generator[Result, None, None]:
        """The results of the tasks of one hop, one after the other, while the next ones run.

        A single task runs on the calling thread. When one fails, the others end before its error
        is raised.
        """
        left = iter(tasks)
        first = list(islice(left, 2))
        if len(first) < 2:
            yield from one_after_the_other(first)
            return
        hop = _Hop()
        running: deque[futures.Future[Result]] = deque()
        try:
            for place, task in enumerate(chain(first, left)):
                if len(running) > self._threads:
                    yield running.popleft().result()
                running.append(self._executor.submit(self._run, HopBlock(hop, place), task))
            while running:
                yield running.popleft().result()
        finally:
            hop.stop()
            futures.wait(running)

    def _run(self, block: HopBlock, task: Callable[[], Result]) -> Result:
        self._own.block = block
        try:
            result = task()
        finally:
            self._own.block = None
            block.end()
        block.send()
        return result


@contextmanager
def pool_of(threads: int) -> Iterator[Pool | None]:
    """A pool of so many threads; none where one thread does all."""
    if threads == 1:
        yield None
        return
    with futures.ThreadPoolExecutor(threads, THREAD_NAME, leave_rows_where_they_lie) as executor:
        yield Pool(executor, threads)
