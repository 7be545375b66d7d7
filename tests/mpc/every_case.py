"""Every case, what a run of it gives and moves, and the runs that several tests look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ppaurora.mpc.link import Link
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Moved, Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import NarrowShared, Shared, share
from ppaurora.mpc.wide_shares import WideShared, reconstruct_wide, share_wide
from ppaurora.mpc.words import Words
from tests.mpc.cases import CASES, Case, Integers, Vector, WideVector
from tests.mpc.narrow_cases import NARROW_CASES
from tests.mpc.statistics_cases import STATISTICS_CASES
from tests.mpc.wide_cases import WIDE_CASES

EVERY_CASE = [*CASES, *NARROW_CASES, *STATISTICS_CASES, *WIDE_CASES]


Result = Shared | NarrowShared | WideShared


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results and the traffic of one run of a case."""

    inputs: list[Integers]
    results: list[Integers]
    hops: int
    payload: int
    traces: list[list[Moved]]
    helper_received: int


def shares_of(vector: Vector | WideVector) -> tuple[Words, Words]:
    """Two shares: mod 2^256 of Python's integers, else mod 2^64."""
    return share_wide(list(vector)) if vector.dtype == np.object_ else share(vector)


def opened(x0: Result, x1: Result) -> Integers:
    """The representatives from 0 on that a result's shares make."""
    if isinstance(x0, WideShared):
        return reconstruct_wide(x0.words, x1.words)
    numbers: Integers = (x0.words + x1.words).tolist()
    return numbers


def run(
    case: Case,
    inputs: Sequence[Vector | WideVector],
    links: Mapping[Role, Mapping[Role, Link]] | None = None,
) -> Outcome:
    """Run a case on inputs, with everything that can be seen from outside."""

    def program(party: Party, *vectors: Shared) -> tuple[Any, ...]:
        results = case.call(party, *vectors)
        counters = [link.counters for link in party.links.values()]
        return (
            results,
            party.hops,
            sum(each.bytes_sent for each in counters),
            party.trace,
            sum(each.bytes_received for each in counters),
        )

    at = run_local(program, *map(shares_of, inputs), links=links, keep_trace=True)
    p0, p1, helper = (results for results, *_ in at)
    assert [len(x) for x in p0] == [len(x) for x in p1] == [len(x) for x in helper]
    return Outcome(
        inputs=[[int(value) for value in vector] for vector in inputs],
        results=[opened(x0, x1) for x0, x1 in zip(p0, p1, strict=True)],
        hops=max(hops for _, hops, *_ in at),
        payload=sum(payload for _, _, payload, *_ in at),
        traces=[trace for *_, trace, _ in at],
        helper_received=at[Role.HELPER][-1],
    )


@cache
def outcome(index: int, n: int) -> Outcome:
    """The one run on n drawn elements, or as many as make sense, that several tests look at."""
    case = EVERY_CASE[index]
    n = min(n, case.most)
    return run(case, case.draw(np.random.default_rng([index, n]), n))
