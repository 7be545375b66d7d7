"""One owner's outsourcing in a process of its own: read, encode and split, send.

The process measures itself, stage by stage: seconds, CPU, and the most memory that it held.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from ppaurora.bench.measure.party import cpu_seconds, peak_bytes
from ppaurora.parties.participant.participant import Participant

STAGES = ("read", "encode, sort, split", "send")
CLEARED = "5"
"""The text that resets the peak memory of a process to its present one (Linux)."""

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Outsourcing:
    """A task to measure: the owner of `site` outsources the list in `file`."""

    site: str
    file: str


class Stages:
    """The figures of each stage so far."""

    def __init__(self) -> None:
        self.figures: list[dict[str, Any]] = []

    def measured(self, act: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """The result of `act`, which is of so many bytes."""
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text(CLEARED)
        began, cpu = time.perf_counter(), cpu_seconds()
        made = act()
        self.figures.append(
            {
                "stage": STAGES[len(self.figures)],
                "seconds": time.perf_counter() - began,
                "cpu_seconds": cpu_seconds() - cpu,
                "peak_bytes": peak_bytes(),
                "bytes": size(made),
            }
        )
        return made


def outsourced(task: Outsourcing) -> dict[str, Any]:
    """The figures of all stages, and whether both proxies hold as many samples as were sent."""
    stages, file = Stages(), Path(task.file)
    with Participant.of(Path(task.site)) as owner:
        held = peak_bytes()
        table = stages.measured(lambda: owner.take(file), lambda _: file.stat().st_size)
        prepared = stages.measured(lambda: owner.prepare(table), lambda made: made.size)
        stages.measured(lambda: owner.send(prepared), lambda _: prepared.size)
        told = owner.status()
        stored = [
            (upload.owner, upload.samples)
            for name in ("P0", "P1")
            for upload in told[name].uploads
            if upload.stored
        ]
        owner.withdraw()
    return {
        "stages": stages.figures,
        "peak_before_bytes": held,
        "correct": stored == [(owner.name, len(table))] * 2,
    }


def main() -> None:
    """Read a task as JSON, print its figures as JSON."""
    print(json.dumps(outsourced(Outsourcing(**json.loads(sys.stdin.read())))))


def as_json(task: Outsourcing) -> str:
    """The task as `main` reads it."""
    return json.dumps(asdict(task))


if __name__ == "__main__":
    main()
