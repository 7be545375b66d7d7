"""`Party`: what one role has in a computation: its links, its streams, its steps and its figures.

One program is run by all three roles. On the proxies a shared vector holds words, on the helper
only a length; inside a primitive the helper deals while the proxies mask, exchange and combine.

The helper's deals: one proxy draws its share from a stream, the other is sent the difference.

Only the drawing proxy and the helper know that stream. So the receiver gets values xor stream, or
values minus stream, which are uniformly random to it. The proxies take turns as receivers, so that
both are sent about as many words (`Receivers`).
"""

from __future__ import annotations

import copy
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from math import prod
from threading import Lock
from typing import TypeVar

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.handshake import Handshake
from ppaurora.mpc.link import Kind, Link
from ppaurora.mpc.pool import HopBlock, Pool, Section, block_of
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.streams import PASSING, Sections, Stream, StreamFamily, with_slack
from ppaurora.mpc.wide_words import minus
from ppaurora.mpc.words import Halves, Shape, Words, rows_where_they_lie, split

FULL_FRAME = 1 << 16
"""A frame of a deal that has so many words takes no further section. Few frames cost less, but a
proxy opens one while the helper fills the next."""


class Receivers:
    """The receiver of each deal: the proxy that was sent fewer words so far, else P1.

    A deal is what one block of one step is dealt at once. Only the sizes of deals count, and these
    are public: each party knows the receiver without being told. In large steps the blocks take
    turns, and in a row of small steps the steps.
    """

    __slots__ = ("_ahead_of_p0",)

    def __init__(self) -> None:
        self._ahead_of_p0 = 0

    def next(self, words: int) -> tuple[Role, Role]:
        """The proxy that draws its share of the next deal, of so many words, and the other one."""
        if self._ahead_of_p0 <= 0:
            self._ahead_of_p0 += words
            return Role.P0, Role.P1
        self._ahead_of_p0 -= words
        return Role.P1, Role.P0


def frames(sizes: Sequence[int]) -> list[range]:
    """The sections that travel in one frame: one after the other until it is full."""
    ranges: list[range] = []
    first = words = 0
    for section, size in enumerate(sizes, start=1):
        words += size
        if words >= FULL_FRAME or section == len(sizes):
            ranges.append(range(first, section))
            first, words = section, 0
    return ranges


def corrections(
    streams: Sequence[Stream],
    xor: Sequence[Words],
    add: Sequence[Words | Halves],
    wide: Sequence[Words],
) -> Iterator[Words]:
    """The receiver's shares of `xor` over F2, of `add` over Z_2^64, or over Z_2^32 where its
    numbers are of 32 bits, two of them a word, and of `wide` over Z_2^256.

    They come frame by frame; a section has a stream, which is the other proxy's share. The arrays
    are handed over: what fills a frame by itself is made the receiver's share where it lies.
    """
    whole = [*xor, *add, *wide]
    flat = [part.reshape(-1).view(np.uint64) for part in whole]
    first_wide = len(xor) + len(add)
    for frame in frames([part.size for part in flat]):
        if len(frame) == 1 and frame.start < first_wide:
            section = frame.start
            if section < len(xor):
                streams[section].blind_in_place(flat[section])
            else:
                numbers = flat[section].view(whole[section].dtype)
                numbers -= streams[section].words(flat[section].size).view(numbers.dtype)
            yield flat[section]
            continue
        out = with_slack(sum(flat[section].size for section in frame))
        start = 0
        for section in frame:
            part, stream = flat[section], streams[section]
            stop = start + part.size
            if section < len(xor):
                stream.blind(part, out[start:])
            elif section < first_wide:
                of = whole[section].dtype
                random = stream.words(part.size).view(of)
                np.subtract(part.view(of), random, out=out[start:stop].view(of))
            else:
                random = stream.array(whole[section].shape)
                out[start:stop] = minus(wide[section - first_wide], random).reshape(-1)
            start = stop
        yield out[:start]


Result = TypeVar("Result")
Program = Generator[Words, Words, Result]
"""A primitive on one block: it yields what the other proxy gets, and is sent what that one sent.

The helper's part deals, then yields no words once for each exchange of the proxies (`in_step`), so
that all three parties count the same rounds.
"""


@dataclass(frozen=True, slots=True)
class Phase:
    """The time and traffic of one named part of a computation at this party."""

    name: str
    seconds: float
    cpu_seconds: float
    hops: int
    bytes_sent: int
    bytes_received: int


@dataclass(frozen=True, slots=True)
class Moved:
    """One frame as an onlooker on this party's links sees it: nothing of what it holds."""

    hop: int
    sent: bool
    peer: Role
    kind: Kind
    length: int


OnPhase = Callable[[str, Phase | None], None]
"""Told the name of each phase as it begins, and once more with its figures when it has ended."""


def in_step(exchanges: int) -> Program[None]:
    """The helper's part of so many exchanges between the proxies: it sends and awaits nothing."""
    for _ in range(exchanges):
        yield np.empty(0, np.uint64)


class Party:
    """The runtime of one role in one session."""

    def __init__(
        self,
        role: Role,
        links: Mapping[Role, Link],
        agreed: Handshake,
        lasting_key: bytes,
        *,
        on_phase: OnPhase | None = None,
        keep_trace: bool = False,
        pool: Pool | None = None,
    ) -> None:
        self.role = role
        self.links = dict(links)
        self.phases: list[Phase] = []
        self.trace: list[Moved] | None = [] if keep_trace else None
        self._pool = pool
        self._on_line = {peer: Lock() for peer in links}
        self._on_phase = on_phase
        self._open_phases: list[str] = []
        self._step = 0
        self._families = {peer: StreamFamily(key, PASSING) for peer, key in agreed.keys.items()}
        self._fewest_threads = agreed.threads
        self._lasting = StreamFamily(lasting_key)
        self._lane = ""
        self._lanes_opened = 0
        self._end_round: Callable[[], None] = lambda: None
        self._open_sections()

    def _open_sections(self) -> None:
        """The streams of masks and of what is dealt, of this lane, by the proxy that draws."""
        shared_with = (
            {Role.P0: Role.P0, Role.P1: Role.P1} if self.is_helper else {self.role: Role.HELPER}
        )
        self._masks, self._deals = (
            {
                proxy: Sections(self._families[peer], f"{use}{self._lane}")
                for proxy, peer in shared_with.items()
            }
            for use in ("mask", "deal")
        )
        self._receivers = Receivers()

    def __repr__(self) -> str:
        return f"<Party {self.role}, step {self._step}, hop {self.hops}>"

    # -- the role ------------------------------------------------------------------------------

    @property
    def is_helper(self) -> bool:
        return self.role is Role.HELPER

    @property
    def other_proxy(self) -> Role:
        """The role of the other proxy; the helper has none."""
        if self.is_helper:
            raise LocalProtocolError("the helper is not a proxy")
        return Role.P1 if self.role is Role.P0 else Role.P0

    # -- messages ------------------------------------------------------------------------------

    @property
    def hops(self) -> int:
        """The length of the longest chain of messages that led here."""
        return next(iter(self.links.values())).clock.now

    def step(self) -> None:
        """Begin the next step; all parties count them alike, and every frame carries its number."""
        self._step += 1

    def send(self, peer: Role, kind: Kind, words: Words) -> None:
        """Hand `words` to the link; they must not change afterwards."""
        block = self._block
        if block is not None:
            block.keep(partial(self.send, peer, kind, words))
            return
        self._note(peer, kind, words.size, sent=True)
        with self._on_line[peer]:
            self.links[peer].send(kind, words, self._step)

    def receive(self, peer: Role, kind: Kind, length: int) -> Words:
        with self._on_line[peer]:
            words = self.links[peer].receive(kind, length, self._step)
        self._note(peer, kind, length, sent=False)
        return words

    def _await(self, peer: Role, kind: Kind, length: int) -> Callable[[], Words]:
        """Wait for these words; on a block's thread the function returned opens them."""
        if self._block is None:
            words = self.receive(peer, kind, length)
            return lambda: words
        with self._on_line[peer]:
            opened = self.links[peer].await_words(kind, length, self._step)
        self._note(peer, kind, length, sent=False)
        return opened

    def exchange(self, words: Words) -> Words:
        """Send `words` to the other proxy and return as many of its own: one hop."""
        self.send(self.other_proxy, Kind.OPEN, words)
        self.end_round()
        return self.receive(self.other_proxy, Kind.OPEN, words.size)

    def _note(self, peer: Role, kind: Kind, length: int, *, sent: bool) -> None:
        if self.trace is None:
            return
        moved, block = Moved(self.hops, sent, peer, kind, length), self._block
        if block is None:
            self.trace.append(moved)
        else:
            block.keep(partial(self.trace.append, moved))

    # -- randomness ----------------------------------------------------------------------------

    def masks(self, *shapes: Shape) -> Iterator[Words]:
        """On a proxy: random words that the helper knows too, and the other proxy does not.

        One array for each shape, and each from the stream of its section.
        """
        with self._ordered("draw"):
            streams = self._streams(self._masks[self.role], map(prod, shapes))
        return (stream.array(shape) for stream, shape in zip(streams, shapes, strict=True))

    def both_masks(self, *shapes: Shape) -> Iterator[tuple[Words, Words]]:
        """On the helper: for each shape what P0 and what P1 draws with `masks`."""
        with self._ordered("draw"):
            of_p0, of_p1 = (
                self._streams(self._masks[proxy], map(prod, shapes)) for proxy in PROXIES
            )
        return (
            (p0.array(shape), p1.array(shape))
            for p0, p1, shape in zip(of_p0, of_p1, shapes, strict=True)
        )

    def deal(
        self,
        xor: Sequence[Words] = (),
        add: Sequence[Words | Halves] = (),
        wide: Sequence[Words] = (),
    ) -> None:
        """On the helper: deal shares of `xor` over F2, of `add` over Z_2^64 or, where its numbers
        have 32 bits, over Z_2^32, and of `wide` over Z_2^256, an array a section.

        One proxy's part travels: the other knows its own from a stream. Which one it is goes by
        the sizes of all deals so far (`Receivers`). The arrays are handed over.
        """
        sizes = [part.nbytes // 8 for part in (*xor, *add, *wide)]
        with self._ordered("deal"):
            drawer, receiver = self._receivers.next(sum(sizes))
            streams = self._streams(self._deals[drawer], sizes)
        for part in corrections(streams, xor, add, wide):
            self.send(receiver, Kind.DEAL, part)

    def dealt(self, *shapes: Shape) -> Iterator[Words]:
        """On a proxy: its shares of what the helper deals, by sections; drawn ones cost no bytes.

        What is received is the value xor, or minus, words of a stream that this proxy has not.
        """
        sizes = [prod(shape) for shape in shapes]
        with self._ordered("draw"):
            drawer, _ = self._receivers.next(sum(sizes))
            if self.role is drawer:
                streams = self._streams(self._deals[drawer], sizes)
                return (stream.array(shape) for stream, shape in zip(streams, shapes, strict=True))
            arrived = [
                (frame, self._await(Role.HELPER, Kind.DEAL, sum(sizes[of] for of in frame)))
                for frame in frames(sizes)
            ]
        received: deque[Words] = deque()
        for frame, words in arrived:
            received.extend(split(words(), *(shapes[section] for section in frame)))
        # handed over one by one, so that a section's memory is free once it was used
        return (received.popleft() for _ in shapes)

    def _streams(self, sections: Sections, sizes: Iterable[int]) -> list[Stream]:
        """The streams of the sections; for a block on a thread of its own, its parts of them."""
        streams = [(sections[section], size) for section, size in enumerate(sizes)]
        if self._block is None:
            return [stream for stream, _ in streams]
        return [stream.part(size) for stream, size in streams]

    def common(self, name: str, peer: Role | None = None) -> Stream:
        """A new stream that `peer`, by default the other proxy, has too, and the third has not."""
        return self._families[self.other_proxy if peer is None else peer].open(name)

    def lasting(self, name: str) -> Stream:
        """The next stream of this name, of this party alone: the same when a session is repeated.

        For what hides a number from somebody who sees every repetition: drawn afresh each time, it
        would average out.
        """
        return self._lasting.open_next(name)

    def unique_name(self, use: str) -> str:
        """A name for a stream of this step, which no other step of the session has."""
        return f"{use}{self._lane} {self._step}"

    # -- rounds --------------------------------------------------------------------------------

    def end_round(self) -> None:
        """End a round: programs beside this one run before anything is awaited.

        The rule of rounds: what one party sends in a round, the other reads in the next. So the
        frames of programs that run side by side have one order at all three parties.
        """
        self._end_round()

    def lane(self, end_round: Callable[[], None], *, leading: bool = False) -> Party:
        """This party for one of several programs side by side: the links are the same, the streams
        and the steps its own. Phases are those of the `leading` one, if there is one."""
        self._lanes_opened += 1
        lane = copy.copy(self)
        lane._lane = f"{self._lane} {self._lanes_opened}"
        lane._lanes_opened = 0
        lane._open_phases = list(self._open_phases)
        if not leading:
            lane.phases, lane._on_phase = [], None
        lane._end_round = end_round
        lane._open_sections()
        return lane

    def join_lanes(self, lanes: Iterable[Party]) -> None:
        """Continue the numbers of steps beyond those of programs that ran side by side."""
        self._step = max([self._step, *(lane._step for lane in lanes)])

    # -- blocks --------------------------------------------------------------------------------

    def block_of(self, size: int, length: int) -> int:
        """The elements of a block of a vector, of which one thread takes `size` here."""
        return block_of(size, length, self._fewest_threads)

    def lockstep(self, programs: Iterable[Program[Result]]) -> list[Result]:
        """The results of programs, one a block, that advance together hop by hop.

        All blocks of a hop are sent before any is awaited. The helper's programs deal and let the
        exchanges pass. Masks and what is dealt come in sections, each from a stream of its own:
        every program must read a section at the same hop as the others, and ask for what is dealt
        after its first exchange.
        """
        self.step()
        return self.advance_together(programs)

    @rows_where_they_lie()
    def advance_together(
        self, programs: Iterable[Program[Result]], *, one_by_one: bool = False
    ) -> list[Result]:
        """As `lockstep`, within the step that has begun.

        Programs that share more than their party's streams run `one_by_one`, on this thread.
        """
        pool = None if one_by_one else self._pool
        results: dict[int, Result] = {}
        waiting: Iterable[tuple[int, Program[Result], int | None]]
        waiting = ((place, program, None) for place, program in enumerate(programs))
        while True:
            upcoming: list[tuple[int, Program[Result], int | None]] = []
            tasks = (partial(self._advanced, *one) for one in waiting)
            advanced = (task() for task in tasks) if pool is None else pool.together(tasks)
            for place, program, sent in advanced:
                if isinstance(sent, StopIteration):
                    results[place] = sent.value
                else:
                    upcoming.append((place, program, sent))
            if not upcoming:
                return [results[place] for place in sorted(results)]
            self.end_round()
            waiting = upcoming
            if self.is_helper:
                pool = None  # it has dealt: to let an exchange pass takes less than to hand it over

    def _advanced(
        self, place: int, program: Program[Result], size: int | None
    ) -> tuple[int, Program[Result], int | StopIteration]:
        """The size of what the program sends next, or its end; `size` is what it sent last."""
        try:
            outgoing = next(program) if size is None else program.send(self._part(size))
        except StopIteration as end:
            return place, program, end
        if not self.is_helper:
            self.send(self.other_proxy, Kind.OPEN, outgoing)
        return place, program, outgoing.size

    def _part(self, size: int) -> Words:
        """The other proxy's part of an exchange."""
        if self.is_helper:
            return np.empty(0, np.uint64)
        with self._ordered("receive"):
            words = self._await(self.other_proxy, Kind.OPEN, size)
        return words()

    @property
    def _block(self) -> HopBlock | None:
        """The block that this thread works on; none where one thread works on all."""
        return None if self._pool is None else self._pool.block

    def _ordered(self, kind: Section) -> AbstractContextManager[None]:
        """The context of a section that blocks enter one after the other."""
        block = self._block
        return nullcontext() if block is None else block.ordered(kind)

    # -- figures -------------------------------------------------------------------------------

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name a part of the computation: for progress, error texts and figures."""
        self._open_phases.append(name)
        path = "/".join(self._open_phases)
        self._label(path)
        if self._on_phase is not None:
            self._on_phase(path, None)
        wall, cpu, hops = time.perf_counter(), time.process_time(), self.hops
        sent, received = self.bytes_sent, self.bytes_received
        try:
            yield
        finally:
            self._open_phases.pop()
            self._label("/".join(self._open_phases) or "end")
        phase = Phase(
            path,
            time.perf_counter() - wall,
            time.process_time() - cpu,
            self.hops - hops,
            self.bytes_sent - sent,
            self.bytes_received - received,
        )
        self.phases.append(phase)
        if self._on_phase is not None:
            self._on_phase(path, phase)

    def _label(self, label: str) -> None:
        for link in self.links.values():
            link.label = label

    @property
    def bytes_sent(self) -> int:
        """The bytes of payload and headers that this party sent, over all its links."""
        moved = [link.counters for link in self.links.values()]
        return sum(counts.bytes_sent + counts.header_bytes_sent for counts in moved)

    @property
    def bytes_received(self) -> int:
        """The bytes of payload and headers that this party received, over all its links."""
        moved = [link.counters for link in self.links.values()]
        return sum(counts.bytes_received + counts.header_bytes_received for counts in moved)
