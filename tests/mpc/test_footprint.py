"""Memory: at most 300 MiB a party at a million elements, the interpreter and numpy included."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppaurora.mpc import Role, primitives
from ppaurora.mpc.cost import Primitive
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link.free_ports import free_ports
from tests.mpc.million import CALLS

ELEMENTS = 1_000_000
CEILING_MIB = 300
ROOT = Path(__file__).parents[2]


def peaks_of_all(elements: int) -> dict[Role, dict[str, float]]:
    """Three processes over ZeroMQ with CURVE; each one's peak after each primitive."""
    identities = {role: Identity.generate() for role in Role}
    pairs = [(role, peer) for role in Role for peer in role.others if role < peer]
    ports = dict(zip(map(frozenset, pairs), free_ports(len(pairs)), strict=True))
    with ExitStack() as stack:
        processes = {}
        for role, identity in identities.items():
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.mpc.million"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            processes[role] = stack.enter_context(process)
            stack.callback(process.kill)
            assert process.stdin is not None
            json.dump(
                {
                    "role": role,
                    "elements": elements,
                    "private": identity.private_bytes().hex(),
                    "publics": {int(peer): identities[peer].public.hex() for peer in role.others},
                    "ports": {int(peer): ports[frozenset((role, peer))] for peer in role.others},
                },
                process.stdin,
            )
            process.stdin.close()
            process.stdin = None
        texts = {role: process.communicate(timeout=100) for role, process in processes.items()}
    assert [process.returncode for process in processes.values()] == [0, 0, 0], texts
    return {role: json.loads(out) for role, (out, _) in texts.items()}


def test_every_primitive_is_measured() -> None:
    names = {
        name for name in primitives.__all__ if isinstance(getattr(primitives, name), Primitive)
    }
    assert names == set(CALLS)


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_million_elements_need_at_most_300_mib_a_party() -> None:
    for role, peaks in peaks_of_all(ELEMENTS).items():
        assert max(peaks.values()) <= CEILING_MIB, (role, peaks)
