"""Blocks of a hop on several threads, with the same random words and frames as on one thread.

A block's work is arithmetic, which runs without Python's lock. Three sections of it are ordered: a
block enters each of them once in a hop, when the blocks before it have left that section or have
ended the hop without it.

    receive    the other proxy's part of the block
    draw       its masks, or what is dealt to it
    deal       on the helper, the random words that it deals with

A block reserves its part of each stream in order and may read it later. Its frames are kept until
it has ended the hop and the blocks before it have sent theirs, so that they are those of one
thread.

So that there are blocks for all threads, all three parties cut a vector evenly where each of them
has several threads (`block_of`): a handshake tells the fewest. What is sent changes by less than a
thousandth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, islice
from queue import SimpleQueue
from threading import Lock, Thread, local
from typing import Any, Literal, TypeVar

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import leave_rows_where_they_lie

Result = TypeVar("Result")
Section = Literal["receive", "draw", "deal"]
THREAD_NAME = "block"
"""The beginning of the names of the pool's threads."""
SECTIONS: tuple[Section, ...] = ("receive", "draw", "deal")
MOST_THREADS = 256
LEAST_PART = 4
"""The part of a block of one thread that a block has at least."""
GRAINS = 64
"""The parts of a block, in whole numbers of which blocks are cut: a plane of bits ends with a word.
"""


def block_of(size: int, length: int, threads: int) -> int:
    """The elements of a block of a vector, of which one thread takes `size`.

    Several threads take blocks that are as large as each other, as few as leave none idle; but none
    of less than a quarter of `size`, since a block costs each thread some time.

    >>> [block_of(1 << 10, 1 << 12, threads) for threads in (1, 2, 3, 4, 5, 8, 16, 64)]
    [1024, 1024, 688, 1024, 832, 512, 256, 256]
    """
    if threads == 1:
        return size
    rounds = max(1, -(-length // (threads * size)))
    even = -(-length // (threads * rounds))
    grain = size // GRAINS
    return max(size // LEAST_PART, -(-even // grain) * grain)


class _Hop:
    """The blocks of one hop: the tasks that are left, the results, the next block for each section,
    and the next one that may send."""

    def __init__(self, tasks: Iterable[Callable[[], Any]]) -> None:
        self.results: dict[int, Any] = {}
        self.failure: BaseException | None = None
        self._tasks = enumerate(tasks)
        self._lock = Lock()
        self._working = 0
        self._awaited: Lock | None = None
        self._next = dict.fromkeys(SECTIONS, 0)
        self._past: dict[Section, set[int]] = {kind: set() for kind in SECTIONS}
        self._waiting: dict[tuple[Section, int], Lock] = {}
        self._stopped = False
        self._ended: dict[int, HopBlock] = {}
        self._sending = False
        self._sent = 0

    # -- tasks -------------------------------------------------------------------------------------

    def work(self, own: local) -> None:
        """Run one task after the other, as long as there are any; threads do so side by side."""
        with self._lock:
            self._working += 1
        try:
            while not self._stopped:
                with self._lock:
                    following = next(self._tasks, None)
                if following is None:
                    break
                self._run(own, *following)
        except BaseException as error:
            self.failure = self.failure or error
            self.stop()
        with self._lock:
            self._working -= 1
            if self._awaited is not None and not self._working:
                self._awaited.release()
                self._awaited = None

    def _run(self, own: local, place: int, task: Callable[[], Any]) -> None:
        before, block = getattr(own, "block", None), HopBlock(self, place)
        own.block = block
        try:
            self.results[place] = task()
        except BaseException as error:
            # before others fail because of it
            self.failure = self.failure or error
            raise
        finally:
            own.block = before
            block.end()
        block.send()

    def await_the_others(self) -> None:
        """Wait until no thread is at work any more, on the one that found no more tasks."""
        with self._lock:
            if not self._working:
                return
            self._awaited = all_ended = Lock()
            all_ended.acquire()
        all_ended.acquire()

    # -- order -------------------------------------------------------------------------------------

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


class Pool:
    """Threads for the blocks of a party's hops; the one that calls is one of them."""

    def __init__(self, threads: int) -> None:
        self._hops: SimpleQueue[_Hop | None] = SimpleQueue()
        self._own = local()
        self._helping = [
            Thread(target=self._help, name=f"{THREAD_NAME} {number}", daemon=True)
            for number in range(1, threads)
        ]
        for thread in self._helping:
            thread.start()

    def __repr__(self) -> str:
        return f"<Pool of {1 + len(self._helping)} threads>"

    @property
    def block(self) -> HopBlock | None:
        """The block that the calling thread works on."""
        block: HopBlock | None = getattr(self._own, "block", None)
        return block

    def together(self, tasks: Iterable[Callable[[], Result]]) -> Sequence[Result]:
        """The results of the tasks of one hop, as many of which run at once as there are threads.

        A single task has no block. When one fails, its error is raised once the others have ended.
        """
        left = iter(tasks)
        first = list(islice(left, 2))
        if len(first) < 2:
            return [task() for task in first]
        hop = _Hop(chain(first, left))
        for _ in self._helping:
            self._hops.put(hop)
        hop.work(self._own)
        try:
            hop.await_the_others()
        except BaseException:  # by the operator: no block waits for another one any more
            hop.stop()
            raise
        if hop.failure is not None:
            raise hop.failure
        return [hop.results[place] for place in range(len(hop.results))]

    def close(self) -> None:
        """End the threads."""
        for _ in self._helping:
            self._hops.put(None)
        for thread in self._helping:
            thread.join()

    def _help(self) -> None:
        leave_rows_where_they_lie()
        while (hop := self._hops.get()) is not None:
            hop.work(self._own)
            del hop  # what it holds is free while the next one is awaited


@contextmanager
def pool_of(threads: int) -> Iterator[Pool | None]:
    """A pool of so many threads; none where one thread does all."""
    if threads == 1:
        yield None
        return
    pool = Pool(threads)
    try:
        yield pool
    finally:
        pool.close()
