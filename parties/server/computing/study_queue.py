"""A queue of studies: a few are attended to at a time, each by one thread, none twice at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextvars import copy_context
from queue import SimpleQueue

from ppaurora.parties.study.study import Study

LOOK_SECONDS = 0.2
"""Seconds between two looks at whether the server stops, while no thread is free."""


class StudyQueue:
    """Has studies attended to, so many `at_once`, in the order in which they are given.

    `attend` must not raise.
    """

    def __init__(self, attend: Callable[[Study], None], at_once: int) -> None:
        self._attend = attend
        self._at_once = at_once
        self._free = threading.Semaphore(at_once)
        self._given: SimpleQueue[Study | None] = SimpleQueue()
        self._busy: set[bytes] = set()

    def begin(self) -> None:
        """Start the threads; what they log is of the server that starts them."""
        for _ in range(self._at_once):
            carry_on = copy_context().run
            threading.Thread(target=carry_on, args=(self._take,), daemon=True).start()

    def end(self) -> None:
        """Have the threads end when they have attended to what was given."""
        for _ in range(self._at_once):
            self._given.put(None)

    def has(self, study: Study) -> bool:
        """True if a thread works on the study, or is about to."""
        return study.hash in self._busy

    def give(self, studies: Iterable[Study], stopping: threading.Event) -> None:
        """Queue each of these as soon as a thread is free, until `stopping`."""
        for study in studies:
            if self._thread_is_free(stopping):
                self._busy.add(study.hash)
                self._given.put(study)

    def _thread_is_free(self, stopping: threading.Event) -> bool:
        while not stopping.is_set():
            if self._free.acquire(timeout=LOOK_SECONDS):
                return True
        return False

    def _take(self) -> None:
        while (study := self._given.get()) is not None:
            self._attend(study)
            self._busy.discard(study.hash)
            self._free.release()
