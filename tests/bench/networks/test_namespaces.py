"""Hosts in network namespaces leave nothing behind, however the benchmark ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from ppaurora.bench.networks import namespaces
from ppaurora.bench.networks.networks import WAN, Means, laid
from ppaurora.bench.processes import environment

HOLD = """
import time
from ppaurora.bench.networks.networks import WAN, Means, laid
with laid(WAN, Means("{means}")):
    print("laid", flush=True)
    time.sleep(60)
"""


def of_process(pid: int) -> list[str]:
    """The namespaces that this process made."""
    return [name for name, of, _ in namespaces._existing() if of == pid]


def holder(means: Means) -> subprocess.Popen[str]:
    """A process that holds hosts until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(means=means)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "laid\n"
    return process


def test_hosts_are_removed_at_the_end_and_on_an_error(real: Means) -> None:
    with laid(WAN, real):
        assert of_process(os.getpid())
    assert not of_process(os.getpid())
    with pytest.raises(RuntimeError), laid(WAN, real):
        raise RuntimeError
    assert not of_process(os.getpid())


def test_a_terminated_benchmark_leaves_nothing_behind(real: Means) -> None:
    with holder(real) as process:
        assert of_process(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert not of_process(process.pid)


def test_what_a_killed_benchmark_leaves_is_swept_by_the_next(real: Means) -> None:
    with holder(real) as process, laid(WAN, real):
        assert of_process(process.pid), "another benchmark's hosts are left alone"
        process.kill()
        process.wait(30)
    with laid(WAN, real):
        assert not of_process(process.pid)
