"""One of three measured processes: opens its links, shakes hands, runs one job, tells its figures.

Reads its plan as JSON from standard input; writes lines of JSON: the phase it has begun, and at the
end its figures.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ppaurora.bench.measure import jobs
from ppaurora.bench.networks.cable import die_with_parent
from ppaurora.bench.networks.networks import ServerNetwork
from ppaurora.bench.networks.shaper import shaped
from ppaurora.mpc.handshake import Handshake, Terms, shake_hands
from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Limits, Link, endpoints_of, open_links
from ppaurora.mpc.party import Party, Phase
from ppaurora.mpc.primitives.carry import fill_session_tables
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.session import Links, open_session
from ppaurora.mpc.streams import gcm_is_quicker


def tell(line: dict[str, Any]) -> None:
    """One line of JSON for the process that started this one."""
    print(json.dumps(line), flush=True)


def cpu_seconds() -> float:
    """User and system time of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_bytes() -> int:
    """The largest resident size so far."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def opened_links(
    plan: dict[str, Any], role: Role, identity: Identity, publics: dict[Role, PublicKey]
) -> dict[Role, Link]:
    """The links of the plan."""
    endpoints = endpoints_of(
        role,
        hosts=dict(zip(Role, plan["addresses"], strict=True)),
        ports=dict(zip(PAIRS, plan["ports"], strict=True)),
        publics=publics,
    )
    limits = Limits(deadline=plan["deadline"], connect=plan["connect"])
    links = open_links(
        role,
        identity,
        endpoints,
        bytes.fromhex(plan["session"]),
        limits=limits.on_network(**plan["conditions"]),
        bulk=not plan["shaped"],
        insecure_plain=plan["plain"],
    )
    return shaped(links, ServerNetwork(**plan["shaped"])) if plan["shaped"] else links


def counted(party: Party) -> dict[str, int]:
    """The bytes that this party sent, by their kind, and the longest chain of messages."""
    counters = [link.counters for link in party.links.values()]
    return {
        "payload_bytes": sum(counter.bytes_sent for counter in counters),
        "header_bytes": sum(counter.header_bytes_sent for counter in counters),
        "control_bytes": sum(counter.control_bytes_sent for counter in counters),
        "frames": sum(counter.frames_sent for counter in counters),
        "hops": party.hops,
    }


def on_phase(name: str, phase: Phase | None) -> None:
    """Tell which phase begins."""
    if phase is None:
        tell({"phase": name})


def take_part(plan: dict[str, Any]) -> dict[str, Any]:
    """The whole session of this role; its figures."""
    role = Role(plan["role"])
    identity = Identity.from_private(bytes.fromhex(plan["private"]))
    publics = {
        peer: PublicKey.from_bytes(bytes.fromhex(plan["publics"][peer])) for peer in role.others
    }
    jobs.get_ready(plan["job"])
    fill_session_tables()
    gcm_is_quicker()
    gc.freeze()  # all three as a server does at its start
    terms = Terms(bytes(32), bytes.fromhex(plan["session"]))
    committed = jobs.committed(role, plan["job"])
    start: list[float] = []

    def agree(links: Links) -> Handshake:
        agreed = shake_hands(role, identity, links, publics, terms)
        start.extend((time.monotonic(), cpu_seconds()))
        return agreed if committed is None else committed.keys(links, agreed)

    with open_session(
        role,
        connect=lambda: opened_links(plan, role, identity, publics),
        agree=agree,
        lasting_key=os.urandom(32),
        on_phase=on_phase,
    ) as party:
        answer = jobs.run(party, plan["job"])
        if committed is not None:
            committed.confirm()
        ended = time.monotonic()
    began, cpu = start
    return {
        "began": began,
        "ended": ended,
        "cpu_seconds": cpu_seconds() - cpu,
        "peak_bytes": peak_bytes(),
        **counted(party),
        "phases": [asdict(phase) for phase in party.phases],
        "answer": answer,
    }


def main() -> None:
    """Take part in the session that standard input describes."""
    die_with_parent()
    tell({"figures": take_part(json.load(sys.stdin))})


if __name__ == "__main__":
    main()
