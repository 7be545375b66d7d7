"""The primitives as the benchmark calls them cost what they declare."""

from __future__ import annotations

import pytest

from ppaurora.bench.measure import jobs, primitives
from ppaurora.bench.measure.calls import CALLS
from ppaurora.mpc.local import run_local


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("n", [1, 65])
def test_measured_cost_is_the_declared_cost(name: str, n: int) -> None:
    key = {"call": name, "n": n, "channel": "memory"}
    job = {"job": "calls", "call": name, "n": n, "repetitions": 3}
    answers = run_local(lambda party: jobs.run(party, job))
    figures = primitives.summary(key, answers, shared_process=True)
    assert figures["bytes"] == figures["declared_bytes"]
    assert figures["hops"] == figures["declared_hops"]


def test_longer_calls_are_repeated_less_often() -> None:
    lengths = (1, 15_000, 30_000, 1_000_000, 10_000_000)
    assert [primitives.repetitions_of(n) for n in lengths] == [200, 200, 100, 3, 3]
