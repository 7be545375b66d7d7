"""One party's own work: it computes alone, its peers' frames are there at once, on so many threads.

First the three parties compute together in memory, and every frame that arrives is kept. Then one
party computes the same again with the same keys and finds these frames waiting. So its time is
that of its own work, and a second thread shows what it saves where a second core is free. On a
machine with other work CPU time tells more: on free cores the busiest thread's is what is left.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rich.table import Table

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.calls import CALLS
from ppaurora.bench.measure.report import Figures, Key, Report, load_of, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.mpc.handshake import Agreement
from ppaurora.mpc.kernels import in_use
from ppaurora.mpc.link import Limits, Link, memory_links
from ppaurora.mpc.link.link import AnyBody, Body
from ppaurora.mpc.local import fresh_session_keys, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.pool import THREAD_NAME, pool_of
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import keep_freed_memory
from ppaurora.mpc.shares import shared_at

THREADS = (1, 2)
REPETITIONS = 8
ENDLESS = Limits(deadline=3600.0, window=1 << 60)
"""No credit is asked for, so that what a party reads does not depend on time."""

Frames = list[tuple[bytes, AnyBody]]


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


class ReplayingLink(Link):
    """A link whose peer has said everything already, and hears nothing."""

    def __init__(self, role: Role, peer: Role, session: bytes, frames: Frames) -> None:
        super().__init__(role, peer, session, limits=ENDLESS)
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
    links: Mapping[Role, Mapping[Role, KeepingLink]]


@cache
def kept(name: str, n: int, threads: int) -> KeptFrames:
    """The frames that arrive at each party when the call is made once, where all have so many
    threads.

    The allocator is told before the first thread starts, as in a server.
    """
    keep_freed_memory()
    call, keys = CALLS[name], fresh_session_keys()
    links = {
        role: {peer: KeepingLink(link) for peer, link in of_role.items()}
        for role, of_role in memory_links(limits=ENDLESS).items()
    }
    of_all = dict.fromkeys(Role, threads)
    run_local(call.run, *call.inputs(n), links=links, session_keys=keys, threads=of_all)
    return KeptFrames(keys, links)


def computed_alone(name: str, n: int, role: Role, threads: int, repetitions: int) -> list[Figures]:
    """For each repetition the seconds, and the CPU seconds of the caller and of each worker.

    A first one warms the caches and is not counted. What the party sends must be what it sent in
    the joint run, to the last bit.
    """
    call, run = CALLS[name], kept(name, n, threads)
    inputs = [shared_at(role, values) for values in call.inputs(n)]
    repeated = []
    with pool_of(threads) as pool:
        for _ in range(repetitions + 1):
            links = {
                peer: ReplayingLink(role, peer, link.session, link.frames)
                for peer, link in run.links[role].items()
            }
            for peer, link in links.items():
                link.keep_transcripts(run.keys[role][peer])
            agreed = Agreement(run.keys[role], threads)
            party = Party(role, links, agreed, bytes(32), pool=pool)
            began, caller, workers = time.perf_counter(), time.thread_time(), _of_workers()
            call.run(party, *inputs)
            repeated.append(
                {
                    "seconds": time.perf_counter() - began,
                    "caller": time.thread_time() - caller,
                    "workers": sorted(
                        spent - workers.get(worker, 0.0) for worker, spent in _of_workers().items()
                    ),
                }
            )
            for peer, link in links.items():
                if link.transcripts() != run.links[role][peer].transcripts():
                    raise RunFailed(f"{role} alone sent {peer} other words than beside the others")
    return repeated[1:]


def _of_workers() -> dict[int, float]:
    """The CPU seconds of each thread of a pool so far."""
    return {
        thread.ident: time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
        for thread in threading.enumerate()
        if thread.name.startswith(THREAD_NAME) and thread.ident is not None
    }


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
        return summary(computed_alone(name, n, role, threads, REPETITIONS))

    return measure


def summary(repeated: list[Figures]) -> Figures:
    """The medians over the repetitions; `longest` is the CPU time of the busiest thread, or its
    equal share of all where the caller's part comes on top of the workers'."""
    workers = [
        typical([{"worker": one["workers"][place]} for one in repeated], "worker")
        for place in range(len(repeated[0]["workers"]))
    ]
    caller = typical(repeated, "caller")
    whole = caller + sum(workers)
    return {
        "repetitions": len(repeated),
        "seconds": typical(repeated, "seconds"),
        "caller_cpu_seconds": caller,
        "worker_cpu_seconds": workers,
        "cpu_seconds": whole,
        "longest_cpu_seconds": max([caller, *workers, whole / max(1, len(workers))]),
    }


def table(report: Report) -> Table:
    """A line for each party and number of threads; ratios are to the number that came first."""
    shown = Table(title="One party's own work, its peers' frames at hand")
    for name in ("call", "arithmetic", "party"):
        shown.add_column(name)
    for name in ("n", "threads", "ms", "CPU ns/element", "of the caller", "of each worker"):
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
            ", ".join(_nanoseconds(spent, key) for spent in runs[-1]["worker_cpu_seconds"]),
            f"{typical(alone, 'seconds') / typical(runs, 'seconds'):.2f}",
            f"{typical(alone, 'cpu_seconds') / typical(runs, 'longest_cpu_seconds'):.2f}",
            load_of(runs),
        )
    return shown


def _without_threads(key: Key) -> str:
    return str({name: value for name, value in key.items() if name != "threads"})


def _nanoseconds(seconds: float, key: Key) -> str:
    return f"{1e9 * seconds / key['n']:.1f}"
