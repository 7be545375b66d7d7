"""The same primitives over every transport and on threads: one session, one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ppaurora.mpc import Party, Role, Shared
from ppaurora.mpc.link import Link, memory_links
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import compare_exchange, multiply
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.mpc.words import BLOCK
from tests.mpc.cases import comparable, expected
from tests.mpc.every_case import EVERY_CASE, opened, shares_of
from tests.mpc.link.loopback import lane_links, zeromq_links

Links = dict[Role, dict[Role, Link]]


def links_over(transport: str) -> Links:
    """All three parties' links over one transport."""
    if transport == "memory":
        return memory_links()
    if transport == "lane":
        return lane_links(opened_later_at=Role.P1)
    return zeromq_links(insecure_plain=transport == "plain")


THREADS = {Role.P0: 2, Role.P1: 3, Role.HELPER: 2}


# bodies beyond 64 KiB are handed to ZeroMQ without a copy: none may change after it is sent
MANY = 9001


@pytest.mark.parametrize(
    ("transport", "n"),
    [
        ("memory", 65),
        pytest.param("plain", 65, marks=pytest.mark.zeromq),
        pytest.param("curve", 65, marks=[pytest.mark.zeromq, pytest.mark.weekly]),
        pytest.param("lane", 65, marks=pytest.mark.zeromq),
        pytest.param("curve", MANY, marks=pytest.mark.zeromq),
        pytest.param("lane", MANY, marks=[pytest.mark.zeromq, pytest.mark.weekly]),
    ],
)
def test_every_primitive_in_one_session(transport: str, n: int) -> None:
    rng = np.random.default_rng(n)
    drawn = [case.draw(rng, min(n, case.most)) for case in EVERY_CASE]

    def sent(party: Party) -> int:
        return sum(link.counters.bytes_sent for link in party.links.values())

    def program(party: Party, *vectors: Shared) -> list[tuple[Any, int]]:
        results, start = [], 0
        for case, inputs in zip(EVERY_CASE, drawn, strict=True):
            before, stop = sent(party), start + len(inputs)
            result = case.call(party, *vectors[start:stop])
            results.append((result, sent(party) - before))
            start = stop
        return results

    shares = [shares_of(vector) for inputs in drawn for vector in inputs]
    at = run_local(program, *shares, links=links_over(transport), threads=THREADS)
    for case, inputs, p0, p1, helper in zip(EVERY_CASE, drawn, *at, strict=True):
        results = [opened(a, b) for a, b in zip(p0[0], p1[0], strict=True)]
        plain = expected(case, [vector.tolist() for vector in inputs])
        assert comparable(case, results) == plain, case
        assert p0[1] + p1[1] + helper[1] == case.cost.payload(min(n, case.most)), case


@pytest.mark.slow
@pytest.mark.zeromq
def test_many_blocks_over_encrypted_links_and_on_threads() -> None:
    """The primitives that everything large is made of, with more than one block each."""
    rng = np.random.default_rng(5)
    x, y = (rng.integers(0, 1 << 62, BLOCK + 1, np.uint64) for _ in range(2))

    def program(party: Party, x: Shared, y: Shared) -> list[Shared]:
        return [*compare_exchange(party, x, y), multiply(party, x, y)]

    at = run_local(program, share(x), share(y), links=zeromq_links(), threads=THREADS)
    *exchanged, product = (reconstruct(a.words, b.words) for a, b in zip(at[0], at[1], strict=True))
    assert np.array_equal(np.sort(exchanged, axis=0), np.sort([x, y], axis=0))
    assert np.array_equal(product, x * y)
