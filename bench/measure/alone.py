"""One party's own work: it computes alone, its peers' frames are there at once, on so many threads.

First the three parties compute together in memory, and every frame that arrives is kept. Then one
party computes the same again with the same keys and finds these frames waiting: first in memory,
where what it sends must be what it sent, then, for the figures, over bulk lanes as servers have
them, from a process that has sealed them and takes what the party seals. So the CPU time is that of
the party's own work with reading, opening, sealing and writing.

On a machine with other work CPU time tells more than the clock. On free cores what is left is that
of the busiest thread, or what Python's lock lets only one thread do: the time of as many blocks of
64 elements. What the caller computes beside hops of several blocks no other thread can take. No
more blocks are computed at once than there are processors: threads that take turns on one read each
other's data anew, which free cores would not.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial

from rich.table import Table

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.calls import CALLS
from ppaurora.bench.measure.report import Figures, Key, Report, load_of, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.kernels import in_use
from ppaurora.mpc.link import MAX_BODY_BYTES, Limits, Link, memory_links
from ppaurora.mpc.link.bulk_lane import WRITER_NAME, BulkLane
from ppaurora.mpc.link.bulk_seal import Opener, SealedBody, Sealer
from ppaurora.mpc.link.frame import HopClock
from ppaurora.mpc.link.link import AnyBody, Body
from ppaurora.mpc.local import fresh_session_keys, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.pool import THREAD_NAME, Pool, Result, block_of
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import FEW_THREADS, keep_freed_memory
from ppaurora.mpc.shares import shared_at
from ppaurora.mpc.words import BLOCK

THREADS = (1, 2, 4, 8)
FEW, FEW_BLOCKS = 64, 32
REPETITIONS = 8
PASSES = 2
"""Like layers of a sort, one after the other: the last one is timed, with memory in use before."""
ENDLESS = Limits(deadline=3600.0, window=1 << 60)
"""No credit is asked for, so that what a party reads does not depend on time."""

Frames = list[tuple[bytes, AnyBody]]


class OnCores(Pool):
    """Threads of which no more compute at once than there are processors."""

    def __init__(self, threads: int, processors: int) -> None:
        super().__init__(threads)
        self._processors = processors
        self.shared = 0.0
        """The CPU seconds of the caller in hops of several blocks."""

    def together(self, tasks: Iterable[Callable[[], Result]]) -> Sequence[Result]:
        turns, before = _Turns(self._processors), time.thread_time()
        results = super().together(
            partial(turns.run, place, task) for place, task in enumerate(tasks)
        )
        if len(results) > 1:
            self.shared += time.thread_time() - before
        return results


class _Turns:
    """Turns of the blocks of one hop, in their order: none waits for one that has none yet."""

    def __init__(self, at_once: int) -> None:
        self._ended, self._at_once = 0, at_once
        self._changed = threading.Condition()

    def run(self, place: int, task: Callable[[], Result]) -> Result:
        with self._changed:
            self._changed.wait_for(lambda: place < self._ended + self._at_once)
        try:
            return task()
        finally:
            with self._changed:
                self._ended += 1
                self._changed.notify_all()


def _processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _threads(count: int) -> Iterator[OnCores | None]:
    """Threads of a party that is alone on this machine; none where one does all."""
    if count == 1:
        yield None
        return
    pool = OnCores(count, _processors())
    try:
        yield pool
    finally:
        pool.close()


class KeepingLink(Link):
    """A link over another one that keeps all frames which arrive."""

    def __init__(self, inner: Link) -> None:
        super().__init__(
            inner.role, inner.peer, inner.session, clock=inner.clock, limits=inner.limits
        )
        self.frames: Frames = []
        self._inner = inner

    def transmit(self, header: bytes, body: Body) -> None:
        self._inner.transmit(header, body)

    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        frame = self._inner.poll(seconds)
        if frame is not None:
            self.frames.append(frame)
        return frame

    def release(self) -> None:
        self._inner.close()


class LaneLink(Link):
    """A link whose peer has said everything already; what is large comes and goes over a lane."""

    def __init__(
        self, role: Role, peer: Role, session: bytes, frames: Frames, lane: BulkLane
    ) -> None:
        super().__init__(role, peer, session, limits=ENDLESS)
        self._frames = deque(frames)
        self._lane = lane

    def transmit(self, header: bytes, body: Body) -> None:
        pass

    def _transmit_sealed(self, header: bytes, body: Body) -> bool:
        if len(body) < ENDLESS.bulk:
            return False
        self._lane.send(header, body)
        return True

    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        header, body = self._frames.popleft()
        if len(body) < ENDLESS.bulk:
            return header, body
        while (frame := self._lane.take()) is None:
            select.select([self._lane], [], [])
        return frame

    def release(self) -> None:
        self._frames.clear()


class ReplayingLink(Link):
    """A link whose peer has said everything already, and hears nothing."""

    def __init__(
        self, role: Role, peer: Role, session: bytes, frames: Frames, clock: HopClock
    ) -> None:
        super().__init__(role, peer, session, clock=clock, limits=ENDLESS)
        self._frames = deque(frames)

    def transmit(self, header: bytes, body: Body) -> None:
        pass

    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        return self._frames.popleft()

    def release(self) -> None:
        self._frames.clear()


@dataclass(frozen=True, slots=True)
class KeptFrames:
    """One joint run of a call: its keys, and the links with what arrived over them."""

    keys: Mapping[Role, Mapping[Role, bytes]]
    lasting: Mapping[Role, bytes]
    links: Mapping[Role, Mapping[Role, KeepingLink]]


@cache
def kept(name: str, n: int, threads: int, block: int = 0) -> KeptFrames:
    """The frames that arrive at each party when the call is made once, where all have so many
    threads, or in blocks of so many elements.

    The allocator is told before the first thread starts, as in a server.
    """
    keep_freed_memory()
    call, keys = CALLS[name], fresh_session_keys()
    lasting = {role: os.urandom(32) for role in Role}
    links = {
        role: {peer: KeepingLink(link) for peer, link in of_role.items()}
        for role, of_role in memory_links(limits=ENDLESS).items()
    }
    of_all = dict.fromkeys(Role, threads)
    run_local(
        lambda party, *own: call.run(in_blocks(party, block), *own),
        *call.inputs(n),
        links=links,
        session_keys=keys,
        lasting_keys=lasting,
        threads=of_all,
    )
    return KeptFrames(keys, lasting, links)


def in_blocks(party: Party, block: int) -> Party:
    """The party, which cuts vectors into blocks of so many elements, if that is not 0."""
    if block:
        party.block_of = lambda size, length: block  # type: ignore[method-assign]
    return party


def computed_alone(
    name: str, n: int, role: Role, threads: int, repetitions: int, block: int = 0
) -> list[Figures]:
    """For each repetition the seconds, and the CPU seconds of each thread.

    What the party sends must be what it sent in the joint run, to the last bit.
    """
    call, run = CALLS[name], kept(name, n, threads, block)
    inputs = [shared_at(role, values) for values in call.inputs(n)]
    agreed = Handshake(run.keys[role], threads)
    with ExitStack() as stack:
        repeated = [stack.enter_context(_sealed(run, role)) for _ in range(repetitions)]
        pool = stack.enter_context(_threads(threads))
        clock = HopClock()
        in_memory = {
            peer: ReplayingLink(role, peer, link.session, link.frames, clock)
            for peer, link in run.links[role].items()
        }
        for peer, link in in_memory.items():
            link.keep_transcripts(run.keys[role][peer])

        def of_links(links: Mapping[Role, Link]) -> Callable[[], object]:
            party = in_blocks(Party(role, links, agreed, run.lasting[role], pool=pool), block)
            return lambda: call.run(party, *inputs)

        of_links(in_memory)()
        for peer, link in in_memory.items():
            if link.transcripts() != run.links[role][peer].transcripts():
                raise RunFailed(f"{role} alone sent {peer} other words than beside the others")
        return [_timed(run, role, ends, pool, threads, of_links) for ends in repeated]


Ends = Mapping[Role, socket.socket]


def _timed(
    run: KeptFrames,
    role: Role,
    ends: Ends,
    pool: OnCores | None,
    threads: int,
    of_links: Callable[[Mapping[Role, Link]], Callable[[], object]],
) -> Figures:
    lanes = {}
    for peer, end in ends.items():
        key, session = run.keys[role][peer], run.links[role][peer].session
        seals = Sealer(key, session, role, peer), Opener(key, session, peer, role)
        lanes[peer] = BulkLane(
            end, *seals, least=ENDLESS.bulk, most=MAX_BODY_BYTES, opened_later=threads > FEW_THREADS
        )
    for _ in range(PASSES):
        links = {
            peer: LaneLink(role, peer, link.session, link.frames, lanes[peer])
            for peer, link in run.links[role].items()
        }
        work, caller = of_links(links), threading.get_native_id()
        shared = pool.shared if pool else 0.0
        began, before = time.perf_counter(), _of_threads()
        work()
        seconds, after = time.perf_counter() - began, _of_threads()
    for lane in lanes.values():
        lane.close(ENDLESS.deadline)
    spent = {one: after[one][1] - before.get(one, ("", 0.0))[1] for one in after}

    def of(kind: str) -> list[float]:
        return sorted(spent[one] for one, (name, _) in after.items() if name.startswith(kind))

    return {
        "seconds": seconds,
        "caller": spent[caller],
        "serial": spent[caller] - (pool.shared - shared if pool else 0.0),
        "workers": of(THREAD_NAME),
        "writers": of(WRITER_NAME),
    }


@contextmanager
def _sealed(run: KeptFrames, role: Role) -> Iterator[Ends]:
    """The party's ends of the lanes to its peers, who are a process of their own."""
    pairs = {peer: socket.socketpair() for peer in run.links[role]}
    child = os.fork()
    if not child:
        try:
            for own, _ in pairs.values():
                own.close()
            _as_peers(run, role, {peer: theirs for peer, (_, theirs) in pairs.items()})
        finally:
            os._exit(0)
    for _, theirs in pairs.values():
        theirs.close()
    try:
        yield {peer: own for peer, (own, _) in pairs.items()}
    finally:
        for own, _ in pairs.values():
            own.close()
        os.waitpid(child, 0)


def _as_peers(run: KeptFrames, role: Role, ends: Ends) -> None:
    """Write what the peers had sent, sealed, and read what comes, until nothing more does."""

    def written(peer: Role, end: socket.socket) -> None:
        link = run.links[role][peer]
        sealer = Sealer(run.keys[role][peer], link.session, peer, role)
        with suppress(OSError):  # the party has failed, and says why
            for header, body in link.frames * PASSES:
                if len(body) >= ENDLESS.bulk:
                    assert not isinstance(body, SealedBody)
                    for part in sealer.sealed(header, body):
                        end.sendall(part)

    def read(end: socket.socket) -> None:
        room = bytearray(1 << 20)
        with suppress(OSError):
            while end.recv_into(room):
                pass

    threads = [threading.Thread(target=written, args=one) for one in ends.items()]
    threads += [threading.Thread(target=read, args=(end,)) for end in ends.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _of_threads() -> dict[int, tuple[str, float]]:
    """The name and the CPU seconds so far of each thread, by its number."""
    return {
        thread.native_id: (
            thread.name,
            time.clock_gettime(time.pthread_getcpuclockid(thread.ident)),
        )
        for thread in threading.enumerate()
        if thread.ident is not None and thread.native_id is not None
    }


@cache
def of_python(name: str, role: Role) -> float:
    """The CPU seconds of a block of so few elements that Python's part is all there is."""
    block = FEW * lanes_of(name)
    alone = computed_alone(name, FEW_BLOCKS * block, role, 1, 20, block)
    return typical([{"caller": one["caller"]} for one in alone], "caller") / FEW_BLOCKS


def lanes_of(name: str) -> int:
    """The numbers that share a word."""
    return 2 if "32 bits" in name else 1


def rows_to_measure(
    names: Sequence[str], lengths: Sequence[int], threads: Sequence[int]
) -> Iterator[Row]:
    """Every call at every length, by each party, on every number of threads."""
    for name in names:
        for n in lengths:
            for role in Role:
                for count in threads:
                    key = {
                        "call": name,
                        "n": n,
                        "party": str(role),
                        "threads": count,
                        "arithmetic": in_use(),
                    }
                    text = f"{name}, n = {n}, {role} on {count} threads"
                    yield Row(key, text, 1 + n * 1e-6, _measure(name, n, role, count))


def _measure(name: str, n: int, role: Role, threads: int) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("")
        blocks = -(-n // block_of(BLOCK * lanes_of(name), n, threads))
        found = summary(computed_alone(name, n, role, threads, REPETITIONS))
        locked = blocks * of_python(name, role)
        of_caller = found["serial_cpu_seconds"]
        of_blocks = found["computing_cpu_seconds"] - of_caller
        busiest = max(
            locked,
            found["longest_cpu_seconds"],
            of_caller + of_blocks * -(-blocks // threads) / blocks,
        )
        return {**found, "python_cpu_seconds": locked, "longest_cpu_seconds": busiest}

    return measure


def summary(repeated: list[Figures]) -> Figures:
    """The medians over the repetitions; `longest` is the CPU time of the busiest thread.

    The tasks of a hop go to whichever thread is free: so of the caller and the workers it is an
    equal share, where these differ because two cores cannot run all at once, and all that the
    caller computes beside such hops.
    """

    def of(kind: str) -> list[float]:
        return [
            typical([{kind: one[kind][place]} for one in repeated], kind)
            for place in range(len(repeated[0][kind]))
        ]

    workers, writers = of("workers"), of("writers")
    caller, serial = typical(repeated, "caller"), typical(repeated, "serial")
    computing = caller + sum(workers)
    return {
        "repetitions": len(repeated),
        "seconds": typical(repeated, "seconds"),
        "caller_cpu_seconds": caller,
        "serial_cpu_seconds": serial,
        "worker_cpu_seconds": workers,
        "writer_cpu_seconds": writers,
        "cpu_seconds": computing + sum(writers),
        "computing_cpu_seconds": computing,
        "longest_cpu_seconds": max([serial + (computing - serial) / (1 + len(workers)), *writers]),
    }


def table(report: Report) -> Table:
    """A line for each party and number of threads; ratios are to the number that came first."""
    shown = Table(title="One party's own work, its peers' frames at hand")
    for name in ("call", "arithmetic", "party"):
        shown.add_column(name)
    for name in ("n", "threads", "ms", "CPU ns/element"):
        shown.add_column(name, justify="right")
    for name in ("of the caller", "of each worker", "of each writer", "of Python's lock"):
        shown.add_column(name, justify="right")
    for name in ("times as fast", "on free cores", "load"):
        shown.add_column(name, justify="right")
    first: dict[str, list[Figures]] = {}
    for key, runs in report:
        alone = first.setdefault(_without_threads(key), runs)
        shown.add_row(
            key["call"],
            key["arithmetic"],
            key["party"],
            f"{key['n']:,}",
            str(key["threads"]),
            f"{1e3 * typical(runs, 'seconds'):.1f}",
            _nanoseconds(typical(runs, "cpu_seconds"), key),
            _nanoseconds(typical(runs, "caller_cpu_seconds"), key),
            *(
                ", ".join(_nanoseconds(spent, key) for spent in runs[-1][f"{kind}_cpu_seconds"])
                for kind in ("worker", "writer")
            ),
            _nanoseconds(typical(runs, "python_cpu_seconds"), key),
            f"{typical(alone, 'seconds') / typical(runs, 'seconds'):.2f}",
            f"{typical(alone, 'cpu_seconds') / typical(runs, 'longest_cpu_seconds'):.2f}",
            load_of(runs),
        )
    return shown


def _without_threads(key: Key) -> str:
    return str({name: value for name, value in key.items() if name != "threads"})


def _nanoseconds(seconds: float, key: Key) -> str:
    return f"{1e9 * seconds / key['n']:.1f}"
