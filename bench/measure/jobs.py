"""Jobs for a measured party: a whole computation, a primitive, a round trip.

A job comes as JSON, runs at all three roles over any links and answers with JSON.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ppaurora.bench.measure.calls import CALLS
from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, shared_at
from ppaurora.protocols.evaluate import evaluate, helpers_part
from ppaurora.protocols.lists.outsourcing import UploadForm, received
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions

Job = dict[str, Any]
Answer = dict[str, Any]


def get_ready(job: Job) -> None:
    """Prepare as a server does long before a session: the first `Options` find all statistics."""
    if "options" in job:
        options_of(job)


def committed(role: Role, job: Job) -> CommittedDealing | None:
    """The helper's commitment to its dealings, in one run of a covert evaluation."""
    if "options" not in job or not (options := options_of(job)).covert:
        return None
    lengths = [options.pipeline.words(size) for size in job["sizes"]]
    part = helpers_part(options, lengths, sizes=job["sizes"], check=job["check"])
    return CommittedDealing(role, part, options.dealings)


def run(party: Party, job: Job) -> Answer:
    """The job named in `job["job"]`."""
    return JOBS[job["job"]](party, job)


def run_evaluation(party: Party, job: Job) -> Answer:
    """The released words of every statistic; the lists are what the owners left for the role."""
    options, sizes = options_of(job), job["sizes"]
    with party.phase("upload"):
        forms = [options.pipeline.form(size) for size in sizes]
        uploads = uploaded(party, Path(job["uploads"]), forms)
    evaluation = evaluate(party, options, uploads, sizes=sizes, check=job["check"])
    return {
        "samples": evaluation.samples,
        "words": {
            text: None if party.is_helper else result.words.tolist()
            for text, result in evaluation.results.items()
        },
    }


def options_of(job: Job) -> Options:
    """The options of an evaluation."""
    told = job["options"]
    conditions = Conditions(**told["conditions"])
    return Options(**{**told, "metrics": tuple(told["metrics"]), "conditions": conditions})


def uploaded(party: Party, folder: Path, forms: list[UploadForm]) -> list[Shared]:
    """Each owner's upload as a shared vector, from the share that lies there for this role."""
    uploads = []
    for owner, form in enumerate(forms):
        data = None if party.is_helper else (folder / f"{owner}.{party.role}").read_bytes()
        uploads.append(received(party.role, data, form))
    return uploads


def run_calls(party: Party, job: Job) -> Answer:
    """One primitive again and again: for each repetition its wall time, CPU time and bytes.

    The hops are those of the first call: later ones begin while the helper is still under way.
    """
    call, n = CALLS[job["call"]], job["n"]
    inputs = [shared_at(party.role, values) for values in call.inputs(n)]
    before = party.hops
    call.run(party, *inputs)  # it also warms caches and connections
    hops = party.hops - before
    repetitions = []
    for _ in range(job["repetitions"]):
        then = _read(party)
        call.run(party, *inputs)
        repetitions.append([now - old for now, old in zip(_read(party), then, strict=True)])
    return {"hops": hops, "repetitions": repetitions}


def _read(party: Party) -> tuple[float, float, int]:
    payload = sum(link.counters.bytes_sent for link in party.links.values())
    return time.monotonic(), time.process_time(), payload


def run_round_trips(party: Party, job: Job) -> Answer:
    """The median round trip of a one-word frame between the proxies, in seconds."""
    seconds = []
    word = np.zeros(1, np.uint64)
    for _ in range(0 if party.is_helper else job["repetitions"]):
        began = time.perf_counter()
        if party.role is Role.P0:
            party.send(Role.P1, Kind.OPEN, word)
            party.receive(Role.P1, Kind.OPEN, 1)
        else:
            party.send(Role.P0, Kind.OPEN, party.receive(Role.P0, Kind.OPEN, 1))
        seconds.append(time.perf_counter() - began)
    return {"median": statistics.median(seconds) if seconds else None}


def run_transfer(party: Party, job: Job) -> Answer:
    """Bits a second from P0 to P1, in blocks of a mebibyte."""
    block = np.zeros(1 << 17, np.uint64)
    began = time.perf_counter()
    for _ in range(0 if party.is_helper else job["repetitions"]):
        if party.role is Role.P0:
            party.send(Role.P1, Kind.OPEN, block)
        else:
            party.receive(Role.P0, Kind.OPEN, block.size)
    if party.role is Role.P1:
        party.send(Role.P0, Kind.OPEN, block[:1])
    elif party.role is Role.P0:
        party.receive(Role.P1, Kind.OPEN, 1)
    seconds = time.perf_counter() - began
    return {"bits_per_second": 8 * block.nbytes * job["repetitions"] / seconds}


JOBS: dict[str, Callable[[Party, Job], Answer]] = {
    "evaluation": run_evaluation,
    "calls": run_calls,
    "round trips": run_round_trips,
    "transfer": run_transfer,
}
