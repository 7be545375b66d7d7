"""One measurement in a process of its own: an engine counts, or gives the list.

The process measures itself: seconds from the call to its answer, and the most memory that it held
until then. What a server of its own holds is not in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ppaurora.bench.measure.party import peak_bytes
from ppaurora.bench.sources.own_spark import own_spark
from ppaurora.bench.sources.rows import counted_by_numpy, select
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.parquet_files import ParquetFiles
from ppaurora.parties.sources.postgres import Postgres
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import source_of
from ppaurora.parties.sources.source import Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins

GIVES = ("counts", "list")
CORES = 2


@dataclass(frozen=True, slots=True)
class Measurement:
    """A task to measure: an engine, whether it counts, the rows; `place` is where they lie."""

    engine: str
    give: str
    rows: int
    bins: int
    place: str = ""


def table_name(rows: int) -> str:
    """The table of so many rows in PostgreSQL."""
    return f"rows_{rows}"


@contextlib.contextmanager
def _plain(source: Any) -> Iterator[Source]:
    yield source_of(source)


@contextlib.contextmanager
def _spark(task: Measurement) -> Iterator[Source]:
    with own_spark(CORES) as session:
        yield source_of(session.read.parquet(task.place))


def _frame(package: str) -> Callable[[Measurement], AbstractContextManager[Source]]:
    return lambda task: _plain(import_module(package).read_parquet(task.place))


def _generated(task: Measurement) -> AbstractContextManager[Source]:
    return _plain(Query(select(f"range({task.rows}) AS numbered(i)")))


def _postgres(task: Measurement) -> AbstractContextManager[Source]:
    return _plain(Postgres(task.place, f"SELECT score, label FROM {table_name(task.rows)}"))


ENGINES: dict[str, Callable[[Measurement], AbstractContextManager[Source]]] = {
    "DuckDB, generating": _generated,
    "DuckDB, Parquet": lambda task: _plain(ParquetFiles(Path(task.place))),
    "pandas frame": _frame("pandas"),
    "polars frame": _frame("polars"),
    "PostgreSQL": _postgres,
    "Spark, Parquet": _spark,
}


def done(task: Measurement) -> dict[str, Any]:
    """The figures of a task."""
    grid = Bins(task.bins)
    with ENGINES[task.engine](task) as source:
        before = peak_bytes()
        began, cpu = time.perf_counter(), time.process_time()
        found: Labelled | Counted = (
            source.count(Scores(), grid) if task.give == "counts" else source.read(Scores())
        )
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        peak = peak_bytes()
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_bytes": peak,
        "peak_before_bytes": before,
        "counts": digest(found if isinstance(found, Counted) else Counted.of(found, grid)),
    }


def digest(counted: Counted) -> str:
    """By which counts are compared."""
    data = counted.positives.tobytes() + counted.negatives.tobytes()
    return hashlib.sha256(data).hexdigest()


def expected(task: Measurement) -> dict[str, Any]:
    """The expected counts, by NumPy alone."""
    return {"counts": digest(counted_by_numpy(task.rows, Bins(task.bins)))}


def main() -> None:
    """Read a task as JSON, print its figures as JSON; without an engine, what is expected."""
    task = Measurement(**json.loads(sys.stdin.read()))
    print(json.dumps(done(task) if task.engine else expected(task)))


def as_json(task: Measurement) -> str:
    """The task as `main` reads it."""
    return json.dumps(asdict(task))


if __name__ == "__main__":
    main()
