"""Memory: at most 300 MiB a party at a million elements, the interpreter and numpy included."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from ppaurora.mpc import Role, primitives
from tests.mpc.million import CALLS
from tests.mpc.processes import start_all

ELEMENTS = 1_000_000
CEILING_MIB = 300


def peaks_of_all(elements: int) -> dict[Role, dict[str, float]]:
    """Each party's largest resident memory in MiB, after each primitive."""
    with ExitStack() as stack:
        processes = start_all("tests.mpc.million", stack, elements=elements)
        texts = {role: process.communicate(timeout=300) for role, process in processes.items()}
    assert [process.returncode for process in processes.values()] == [0, 0, 0], texts
    return {role: json.loads(out) for role, (out, _) in texts.items()}


def test_every_primitive_is_measured() -> None:
    names = {name for name in primitives.__all__ if hasattr(getattr(primitives, name), "cost")}
    assert names == {name.partition(",")[0] for name in CALLS}


@pytest.mark.soak
@pytest.mark.zeromq
def test_a_million_elements_need_at_most_300_mib_a_party() -> None:
    for role, peaks in peaks_of_all(ELEMENTS).items():
        assert max(peaks.values()) <= CEILING_MIB, (role, peaks)
