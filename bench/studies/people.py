"""The owners of many studies, at P0's host: they upload, ask for everything, and wait for it all.

Run as a module with the folder that `many.laid_out` made; answers with one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ppaurora.bench.measure.data import synthetic
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study

PATIENCE_SECONDS = 600.0
BETWEEN_LOOKS = 0.1
"""Seconds between two questions for the server's health."""


def asked(folder: Path, studies: list[Path], rows: int, health: str) -> dict[str, Any]:
    """The seconds from the first `compute` until the last study's result was fetched."""
    names = [owner.name for owner in Study.load(studies[0]).owners]
    samples = synthetic((rows,) * len(names), seed=1, ties=True)
    for name, sample in zip(names, samples, strict=True):
        table = Labelled(sample.scores, sample.labels.astype("u1"))
        for study in studies:
            with Participant.of(folder / f"{name}.toml", study) as owner:
                owner.outsource(table)
    looks: list[float] = []
    with looked_after(health, looks):
        begun = time.monotonic()
        for study in studies:
            with Participant.of(folder / f"{names[0]}.toml", study) as owner:
                owner.compute()
        values = []
        for study in studies:
            with Participant.of(folder / f"{names[1]}.toml", study) as owner:
                result = owner.result(wait=PATIENCE_SECONDS)
            values.append({text: str(value) for text, value in result.values.items()})
        seconds = time.monotonic() - begun
    return {
        "seconds": seconds,
        "equal": all(value == values[0] for value in values),
        "values": values[0],
        "health_looks": len(looks),
        "health_median_seconds": statistics.median(looks),
        "health_most_seconds": max(looks),
    }


@contextmanager
def looked_after(health: str, looks: list[float]) -> Iterator[None]:
    """Ask for P0's health again and again meanwhile, and write down how long each answer took."""
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            begun = time.monotonic()
            with urllib.request.urlopen(f"http://{health}/healthz", timeout=10) as answer:
                answer.read()
            looks.append(time.monotonic() - begun)
            done.wait(BETWEEN_LOOKS)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()


def main() -> None:
    """What the command line asks for."""
    folder, rows, health = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    print(json.dumps(asked(folder, sorted(folder.glob("study-*.toml")), rows, health)))


if __name__ == "__main__":
    main()
