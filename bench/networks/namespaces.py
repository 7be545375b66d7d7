"""Three hosts on one machine: network namespaces joined by a bridge, or by a cable in user space.

Every namespace carries the number and the start time of the process that made it. It is removed at
the end, on an error and on a signal; what a killed process left behind is swept by the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from ppaurora.bench.errors import MeansRefused
from ppaurora.bench.processes import environment
from ppaurora.mpc.role import Role
from ppaurora.parties.simulation.processes import module_command

PREFIX = "ppaurora"
# The range that RFC 2544 sets aside for benchmarks.
ADDRESSES = {role: f"198.18.0.{role + 1}" for role in Role}
QUEUE_PACKETS = 100_000
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def _ip(*arguments: str, tool: str = "ip") -> str:
    try:
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MeansRefused(
            f"the command {tool} is not installed", advice="Install the package iproute2."
        ) from None
    if done.returncode != 0:
        raise MeansRefused(f"{tool}: {done.stderr.strip()}")
    return done.stdout


def _start_time(pid: int) -> str | None:
    """The start of the process, in the kernel's ticks; None if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()[19]


def _existing() -> Iterator[tuple[str, int, str]]:
    """Every namespace of this kind: name, and the process and start time it carries."""
    for line in _ip("netns", "list").splitlines():
        name = line.split()[0]
        prefix, *rest = name.split("-")
        if prefix == PREFIX and len(rest) == 3 and rest[0].isdigit():
            yield name, int(rest[0]), rest[1]


def sweep() -> list[str]:
    """Remove what processes that are gone left behind; their names."""
    stale = [name for name, pid, started in _existing() if _start_time(pid) != started]
    for name in stale:
        with contextlib.suppress(MeansRefused):  # another benchmark may sweep it as well
            _ip("netns", "delete", name)
    return stale


class Namespaces:
    """The hosts of one process; a context manager whose end removes them."""

    def __init__(self) -> None:
        self._stem = f"{PREFIX}-{os.getpid()}-{_start_time(os.getpid())}"
        self._made: list[str] = []
        self._cable: subprocess.Popen[str] | None = None
        self._handlers: dict[int, object] = {}
        self.addresses = dict(ADDRESSES)
        self.entrances: dict[Role, tuple[str, ...]] = {
            role: ("ip", "netns", "exec", self.name(str(role))) for role in Role
        }

    def name(self, host: str) -> str:
        return f"{self._stem}-{host}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def make(self, host: str) -> str:
        """A namespace with its own loopback."""
        name = self.name(host)
        _ip("netns", "add", name)
        self._made.append(name)
        _ip("-n", name, "link", "set", "lo", "up")
        return name

    def join_by_bridge(self, delay: float, bandwidth: float | None) -> None:
        """veth pairs to a bridge; each port delays what it forwards, each host paces what it sends.

        The delay is on the bridge's side, where a packet no longer counts against the sender's
        socket: otherwise TCP would throttle itself.
        """
        bridge = self.make("bridge")
        _ip("-n", bridge, "link", "add", "br0", "type", "bridge")
        _ip("-n", bridge, "link", "set", "br0", "up")
        for role in Role:
            host, port = self.make(str(role)), f"port{int(role)}"
            _ip("-n", host, "link", "add", "eth0", "type", "veth", "peer", port, "netns", bridge)
            _ip("-n", bridge, "link", "set", port, "master", "br0", "up")
            _ip("-n", host, "addr", "add", f"{ADDRESSES[role]}/24", "dev", "eth0")
            _ip("-n", host, "link", "set", "eth0", "up")
            self._delay(bridge, port, f"delay {delay * 1e6:.0f}us")
            if bandwidth is not None:
                self._delay(host, "eth0", f"rate {bandwidth:.0f}bit")

    def _delay(self, namespace: str, device: str, what: str) -> None:
        netem = ["netem", *what.split(), "limit", str(QUEUE_PACKETS)]
        _ip("-n", namespace, "qdisc", "add", "dev", device, "root", *netem, tool="tc")

    def join_by_cable(self, delay: float, bandwidth: float | None) -> None:
        """TUN devices, and a process that carries packets between them."""
        hosts = {self.make(str(role)): ADDRESSES[role] for role in Role}
        plan = json.dumps({"hosts": hosts, "delay": delay, "bandwidth": bandwidth})
        self._cable = subprocess.Popen(
            [*module_command("ppaurora.bench.networks.cable"), plan],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._cable.stdout is not None
        assert self._cable.stderr is not None
        if self._cable.stdout.readline() != "ready\n":
            complaint = self._cable.stderr.read().strip().splitlines() or ["no reason given"]
            raise MeansRefused(f"the cable could not be laid: {complaint[-1]}")

    def remove(self) -> None:
        """Remove everything; harmless when repeated."""
        if self._cable is not None:
            self._cable.kill()
            self._cable.communicate()
            self._cable = None
        while self._made:
            with contextlib.suppress(MeansRefused):
                _ip("netns", "delete", self._made.pop())
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._handlers.clear()

    def heed_signals(self) -> None:
        """Let a signal that ends this process pass through the removal; restored afterwards."""
        with contextlib.suppress(ValueError):  # only the main thread may set handlers
            for number in ENDING_SIGNALS:
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._handlers[number] = signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def lay(delay: float, bandwidth: float | None, *, by_netem: bool) -> Namespaces:
    """Three joined hosts, or `MeansRefused` with nothing left behind."""
    sweep()
    layout = Namespaces()
    layout.heed_signals()
    try:
        if by_netem:
            layout.join_by_bridge(delay, bandwidth)
        else:
            layout.join_by_cable(delay, bandwidth)
    except BaseException:
        layout.remove()
        raise
    return layout
