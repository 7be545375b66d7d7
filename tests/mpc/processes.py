"""The three parties as processes, linked by ZeroMQ with CURVE: how they start and find each other.

Each reads what it must know (its role, its private key, the peers' public keys, the ports) as one
JSON object from its standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from ppaurora.mpc.handshake import Terms, shake_hands
from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.link import Limits, endpoints_of, open_links
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PAIRS, Role
from ppaurora.mpc.session import open_session

ROOT = Path(__file__).parents[2]
SESSION = b"session of tests"
Processes = dict[Role, subprocess.Popen[str]]


def start_all(module: str, stack: ExitStack, **more: Any) -> Processes:
    """A process of `module` for each role, told `more` as well; the stack ends them all."""
    identities = {role: Identity.generate() for role in Role}
    publics = [identity.public.to_bytes().hex() for identity in identities.values()]
    ports = free_ports(len(PAIRS))
    processes = {}
    for role, identity in identities.items():
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes[role] = stack.enter_context(process)
        stack.callback(process.kill)
        private = identity.private_bytes().hex()
        assert process.stdin is not None
        json.dump(
            {"role": role, "private": private, "publics": publics, "ports": ports, **more},
            process.stdin,
        )
        process.stdin.close()
        process.stdin = None
    return processes


def session_of(told: dict[str, Any], limits: Limits | None = None) -> AbstractContextManager[Party]:
    """The session of the process that was told this."""
    role = Role(told["role"])
    identity = Identity.from_private(bytes.fromhex(told["private"]))
    publics = {
        peer: PublicKey.from_bytes(bytes.fromhex(told["publics"][peer])) for peer in role.others
    }
    endpoints = endpoints_of(
        role,
        hosts=dict.fromkeys(Role, "127.0.0.1"),
        ports=dict(zip(PAIRS, told["ports"], strict=True)),
        publics=publics,
    )
    terms = Terms(bytes(32), SESSION)
    return open_session(
        role,
        connect=lambda: open_links(
            role, identity, endpoints, SESSION, limits=limits, bulk=told.get("bulk", False)
        ),
        agree=lambda links: shake_hands(role, identity, links, publics, terms),
        lasting_key=os.urandom(32),
    )
