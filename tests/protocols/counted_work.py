"""The work of each party between its messages, counted: what somebody with a clock could time.

Between any two frames of a role every bytecode instruction of this project, of NumPy and of the
library's numbers is counted, in every thread of the role, together with the shapes of what
functions return. A clock is never read: two data sets that are worked on alike have equal counts on
every machine. Left out are the links, which wait for whatever comes first.

What no counter of instructions sees: how long one instruction takes. Python's whole numbers grow by
30 bits, and floating point has slow numbers; what is multiplied here has fixed sizes, see
`docs/THREATS.md`.
"""

from __future__ import annotations

import fractions
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from zlib import crc32

import numpy as np

from ppaurora.mpc import shares, side_by_side
from ppaurora.mpc.link.in_memory import MemoryLink
from ppaurora.mpc.link.link import Link
from ppaurora.mpc.role import Role

HOME = Path(shares.__file__).resolve().parents[1]
COUNTED = (str(HOME / "mpc"), str(HOME / "protocols"))
LIBRARIES = (str(Path(np.__file__).parent), fractions.__file__)
LINKS = (str(HOME / "mpc" / "link"), str(HOME / "mpc" / "side_by_side.py"))
SENT, AWAITED = Link.send.__code__, Link.receive.__code__
LANE = side_by_side._Lane._run.__code__


@dataclass
class Work:
    """One role's work: a line for each stretch between two frames, and the code that did it all."""

    stretches: list[tuple[int, int]] = field(default_factory=list)
    by_code: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    flow: int = 0

    def cut(self) -> None:
        """A frame is sent or awaited."""
        self.stretches.append((self.steps, self.flow))
        self.steps = self.flow = 0

    def note(self, what: int) -> None:
        self.steps += 1
        self.flow = (self.flow * 31 + what) & 0xFFFFFFFFFFFF


class _Counting:
    def __init__(self) -> None:
        self.work = {role: Work() for role in Role}
        self._own = threading.local()
        self._counted: dict[CodeType, tuple[int, str] | None] = {}

    def begin(self, role: Role) -> None:
        """This thread works for a role from here on."""
        self._own.work = self.work[role]
        sys.settrace(self.called)

    def end(self) -> None:
        sys.settrace(None)
        self._own.work.cut()

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code is LANE:
            party = frame.f_locals["self"].party
            # of a dealing that is computed again, before anything is done, nothing is counted
            met = all(isinstance(link, MemoryLink) for link in party.links.values())
            self._own.work = self.work[party.role] if met else None
        work = getattr(self._own, "work", None)
        if work is None:
            return None
        if code is SENT or code is AWAITED:
            work.cut()
            return None
        known = self._known(code)
        if known is None:
            return None
        number, name = known
        work.note(number)
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        by_code = work.by_code

        def within(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "opcode":
                by_code[name] += 1
                work.note(number + frame.f_lasti)
            elif event == "return" and isinstance(arg, np.ndarray):
                work.note(crc32(repr(arg.shape).encode()))
            return within

        return within

    def _known(self, code: CodeType) -> tuple[int, str] | None:
        """The number and the name of code that is counted."""
        if code not in self._counted:
            path = str(Path(code.co_filename).resolve())
            ours = path.startswith(COUNTED) and not path.startswith(LINKS)
            if ours or path.startswith(LIBRARIES):
                name = f"{Path(path).name}:{code.co_qualname}"
                self._counted[code] = crc32(name.encode()), name
            else:
                self._counted[code] = None
        return self._counted[code]


@contextmanager
def counted() -> Iterator[_Counting]:
    """Counts what the threads of the roles do that call `begin` and `end`."""
    counting = _Counting()
    threading.settrace(counting.called)
    try:
        yield counting
    finally:
        threading.settrace(None)  # type: ignore[arg-type]
