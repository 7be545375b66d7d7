"""One measured run: three processes on three hosts, real links, one job, the figures of each."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.networks.networks import Hosts
from ppaurora.bench.processes import environment
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.parties.simulation.processes import module_command

DEADLINE_SECONDS = 3600.0
CONNECT_SECONDS = 60.0
FAREWELL_SECONDS = 5.0
POLL_SECONDS = 0.01
NOTICED = ("PeerAborted", "PeerLost", "PeerSilent")

OnPhase = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """The measurements of the three parties: by role, and put together."""

    parties: dict[Role, dict[str, Any]]

    @property
    def seconds(self) -> float:
        """From the first party's start to the last one's result."""
        began = min(figures["began"] for figures in self.parties.values())
        return float(max(figures["ended"] for figures in self.parties.values()) - began)

    @property
    def cpu_seconds(self) -> float:
        """Of the three processes together."""
        return float(sum(figures["cpu_seconds"] for figures in self.parties.values()))

    @property
    def hops(self) -> int:
        """The longest chain of messages up to a proxy's result."""
        return max(int(self.parties[role]["hops"]) for role in (Role.P0, Role.P1))

    def bytes_of(self, role: Role) -> int:
        """All that this party sent: payload, headers, control."""
        figures = self.parties[role]
        return int(figures["payload_bytes"] + figures["header_bytes"] + figures["control_bytes"])

    @property
    def total_bytes(self) -> int:
        return sum(self.bytes_of(role) for role in self.parties)

    def answer(self, role: Role) -> dict[str, Any]:
        """The answer of the job at `role`."""
        answer: dict[str, Any] = self.parties[role]["answer"]
        return answer

    def figures(self) -> dict[str, Any]:
        """The run as it stands in a report."""
        return {
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "bytes": self.total_bytes,
            "payload_bytes": sum(party["payload_bytes"] for party in self.parties.values()),
            "hops": self.hops,
            "peak_bytes": max(party["peak_bytes"] for party in self.parties.values()),
            "parties": {
                str(role): {
                    "bytes": self.bytes_of(role),
                    "cpu_seconds": figures["cpu_seconds"],
                    "peak_bytes": figures["peak_bytes"],
                }
                for role, figures in self.parties.items()
            },
            "phases": self.phases(),
        }

    def phases(self) -> list[dict[str, Any]]:
        """Per phase: wall time and hops of P0; CPU time and bytes sent of all three."""
        of = [self.parties[role]["phases"] for role in Role]
        return [
            {
                "name": same[0]["name"],
                "seconds": same[0]["seconds"],
                "hops": same[0]["hops"],
                "cpu_seconds": sum(one["cpu_seconds"] for one in same),
                "bytes": sum(one["bytes_sent"] for one in same),
            }
            for same in zip(*of, strict=True)
        ]


class Worker:
    """The process of one role; what it says is heard by a thread."""

    def __init__(self, role: Role, command: list[str], on_phase: OnPhase | None) -> None:
        self.role = role
        self.figures: dict[str, Any] | None = None
        self._on_phase = on_phase
        self._last_words = ""
        self.process = subprocess.Popen(
            command,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def begin(self, plan: dict[str, Any]) -> None:
        """Hand over the plan."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
            json.dump(plan, stdin)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "figures" in message:
                self.figures = message["figures"]
            elif self._on_phase is not None:
                self._on_phase(message["phase"])

    def succeeded(self, seconds: float) -> bool:
        """Return whether it came to its end; waits so long at most, and ends it otherwise."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.end()
        return self.process.returncode == 0 and self.figures is not None

    def complaint(self) -> str:
        """The last thing it said before it failed."""
        return self._last_words or f"ended with code {self.process.returncode}"

    @property
    def noticed(self) -> bool:
        """Return whether it failed only because another party did."""
        return any(error in self.complaint() for error in NOTICED)

    def end(self) -> None:
        """Make sure that it is gone, and keep its last words; harmless when repeated."""
        self.process.kill()
        self.process.wait()
        self._listener.join()
        assert self.process.stderr is not None
        if not self.process.stderr.closed:
            with self.process.stderr as stderr:
                self._last_words = (stderr.read().strip().splitlines() or [""])[-1]


def run(
    hosts: Hosts, job: dict[str, Any], *, plain: bool = False, on_phase: OnPhase | None = None
) -> MeasuredRun:
    """Start the three parties, let them do the job, gather what they measured.

    Keys are made for this run alone. `plain` turns the links' encryption off.
    """
    identities = {role: Identity.generate() for role in Role}
    common = {
        "session": os.urandom(SESSION_BYTES).hex(),
        "publics": [identities[role].public.to_bytes().hex() for role in Role],
        "addresses": [hosts.addresses[role] for role in Role],
        "ports": free_ports(len(PAIRS)),
        "plain": plain,
        "shaped": asdict(hosts.network) if hosts.shaped else None,
        "conditions": asdict(hosts.network.conditions),
        "deadline": DEADLINE_SECONDS,
        "connect": CONNECT_SECONDS,
        "job": job,
    }
    command = module_command("ppaurora.bench.measure.party")
    with ExitStack() as stack:
        workers = []
        for role in Role:
            heard = on_phase if role is Role.P0 else None
            workers.append(Worker(role, hosts.command(role, command), heard))
            stack.callback(workers[-1].end)
        for worker in workers:
            private = identities[worker.role].private_bytes().hex()
            worker.begin({"role": int(worker.role), "private": private, **common})
        return MeasuredRun(gathered(workers))


def gathered(workers: Sequence[Worker]) -> dict[Role, dict[str, Any]]:
    """Everybody's figures; when one party fails, the others get a moment to say why."""
    while all(worker.process.poll() is None for worker in workers):
        time.sleep(POLL_SECONDS)
    failed = any(worker.process.poll() for worker in workers)
    patience = FAREWELL_SECONDS if failed else DEADLINE_SECONDS
    losers = [worker for worker in workers if not worker.succeeded(patience)]
    if losers:
        culprit = min(losers, key=lambda worker: worker.noticed)
        raise RunFailed(f"{culprit.role} failed: {culprit.complaint()}")
    return {worker.role: worker.figures for worker in workers if worker.figures is not None}
