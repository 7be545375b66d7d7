"""Servers of a test that are stopped every now and then, and go on (SIGSTOP, SIGCONT)."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ppaurora.mpc.role import Role
from tests.parties.world import World

SLICE_SECONDS = 0.05
"""For how long a server runs at once that has a quarter of a core."""


@contextmanager
def meanwhile(act: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do this in another thread for as long as the block lasts; it is told when that is over."""
    over = threading.Event()
    thread = threading.Thread(target=act, args=(over,))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def pauses(world: World, patience: float, seed: int) -> Iterator[None]:
    """Stop one server at a time, for up to three quarters of the patience, again and again."""
    dice = random.Random(seed)

    def act(over: threading.Event) -> None:
        while not over.wait(dice.uniform(0.2, 2.0)):
            role = dice.choice(list(Role))
            world.signal(role, signal.SIGSTOP)
            over.wait(dice.uniform(0.1, 0.75) * patience)
            world.signal(role, signal.SIGCONT)

    with meanwhile(act):
        yield


@contextmanager
def quarter_of_a_core(world: World) -> Iterator[None]:
    """Give each server a quarter of the time of one core, one after the other."""
    core = min(os.sched_getaffinity(0))
    for process in world.processes.values():
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            os.sched_setaffinity(int(thread), {core})

    def act(over: threading.Event) -> None:
        for role in Role:
            world.signal(role, signal.SIGSTOP)
        while not over.is_set():
            for role in Role:
                world.signal(role, signal.SIGCONT)
                over.wait(SLICE_SECONDS)
                world.signal(role, signal.SIGSTOP)
            over.wait(SLICE_SECONDS)
        for role in Role:
            world.signal(role, signal.SIGCONT)

    with meanwhile(act):
        yield
