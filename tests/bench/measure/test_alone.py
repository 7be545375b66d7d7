"""One party alone on frames that were kept: the same words, and the CPU time of each thread."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure import alone
from ppaurora.bench.measure.report import Report
from ppaurora.bench.measure.rows import measure_rows
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import shared_at
from ppaurora.mpc.words import BLOCK

LENGTH = 2 * BLOCK + 1


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("name", ["multiply", "shuffle"])
def test_a_party_alone_sends_what_it_sent_beside_the_others(name: str, role: Role) -> None:
    """In a shuffle the helper draws orders from its own key, too."""
    for threads in (1, 2):
        [figures] = alone.computed_alone(name, LENGTH, role, threads, 1)
        assert len(figures["workers"]) == threads - 1
        assert len(figures["writers"]) == 2
        assert figures["caller"] > 0
        in_blocks = name == "multiply" and threads > 1
        assert (figures["serial"] < figures["caller"]) == in_blocks


def test_other_words_than_beside_the_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    alone.kept("multiply", LENGTH, 1)
    monkeypatch.setattr(alone, "shared_at", lambda role, values: shared_at(role, values[::-1]))
    with pytest.raises(RunFailed, match="P0 alone sent P1 other words"):
        alone.computed_alone("multiply", LENGTH, Role.P0, 1, 1)


def test_a_report_compares_threads_party_by_party(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "REPETITIONS", 1)
    report = Report("threads")
    rows = list(alone.rows_to_measure(["multiply"], [LENGTH], [1, 2]))
    assert not measure_rows(report, rows, runs=1).failures
    assert [(key["party"], key["threads"]) for key, _ in report] == [
        (str(role), threads) for role in Role for threads in (1, 2)
    ]
    for _, [figures] in report:
        assert figures["longest_cpu_seconds"] <= figures["cpu_seconds"]
    assert len(alone.table(report).rows) == 6


def test_an_equal_share_or_a_busy_writer_is_what_free_cores_leave() -> None:
    def longest(caller: float, *workers: float, writer: float = 0.0, serial: float = 0.0) -> float:
        threads = {"caller": caller, "workers": [*workers], "writers": [writer]}
        figures = {"seconds": 1.0, "serial": serial, **threads}
        return float(alone.summary([figures])["longest_cpu_seconds"])

    assert longest(3.0) == 3.0
    assert longest(3.0, 0.0, serial=3.0) == 3.0
    assert longest(3.0, 1.0, serial=1.0) == 2.5
    assert longest(1.0, 2.0, 6.0) == 3.0
    assert longest(2.0, 2.0, writer=5.0) == 5.0


def test_no_more_blocks_are_computed_at_once_than_there_are_processors() -> None:
    running, most, changing = set[int](), 0, threading.Lock()

    def task(place: int) -> int:
        nonlocal most
        with changing:
            running.add(place)
            most = max(most, len(running))
        time.sleep(0.002)
        with changing:
            running.remove(place)
        return place

    pool = alone.OnCores(4, 2)
    try:
        assert list(pool.together(partial(task, place) for place in range(24))) == [*range(24)]
    finally:
        pool.close()
    assert most == 2


def test_a_block_that_fails_gives_its_turn_back() -> None:
    def task(place: int) -> int:
        return 1 // (place - 1)

    pool = alone.OnCores(3, 1)
    try:
        with pytest.raises(ZeroDivisionError):
            pool.together(partial(task, place) for place in range(3))
    finally:
        pool.close()
