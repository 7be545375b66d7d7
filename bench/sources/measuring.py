"""Engines beside each other: seconds and memory for counting, and for giving the list."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from rich.table import Table

from ppaurora.bench.errors import LayoutRefused, RunFailed
from ppaurora.bench.measure.evaluation import measured, shared
from ppaurora.bench.measure.report import Figures, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import Hosts
from ppaurora.bench.processes import environment
from ppaurora.bench.sources.own_postgres import OwnPostgres, own_postgres
from ppaurora.bench.sources.rows import counted_by_numpy, select
from ppaurora.bench.sources.task import ENGINES, GIVES, Measurement, as_json, table_name
from ppaurora.parties.simulation.processes import module_command
from ppaurora.protocols.grid.grid import Bins
from ppaurora.protocols.options import Options

DEADLINE_SECONDS = 3600.0
MEGABYTE = 1e6
SERVERS = "three servers"
OWNERS = 3
METRICS = ("auroc",)
USUAL = ";".join(f"{engine}:{give}:1e6" for engine in ENGINES for give in GIVES)


class RowPlaces:
    """The places of the rows of a size for each engine, made when they are first asked for."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._folder = Path(stack.enter_context(TemporaryDirectory(prefix="ppaurora-rows-")))
        self._postgres: OwnPostgres | None = None
        self._stored: set[int] = set()

    def of(self, engine: str, rows: int) -> str:
        """The file or address; a generating query needs none."""
        if engine == "PostgreSQL":
            return self._table(rows)
        return "" if "generating" in engine else self._file(rows)

    def _file(self, rows: int) -> str:
        path = self._folder / f"{rows}.parquet"
        if not path.exists():
            with duckdb.connect(":memory:") as connection:
                query = select(f"range({rows}) AS numbered(i)")
                connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        return str(path)

    def _table(self, rows: int) -> str:
        if self._postgres is None:
            self._postgres = self._stack.enter_context(own_postgres())
            os.environ["PGPASSWORD"] = self._postgres.password
        if rows not in self._stored:
            import adbc_driver_postgresql.dbapi as driver

            numbered = f"generate_series(0::bigint, {rows - 1}) AS numbered(i)"
            query = select(numbered, "DOUBLE PRECISION")
            with driver.connect(self._postgres.address) as there, there.cursor() as cursor:
                cursor.execute(f"CREATE TABLE {table_name(rows)} AS {query}")
                there.commit()
                self._stored.add(rows)
        return self._postgres.address


@contextmanager
def laid_out() -> Iterator[RowPlaces]:
    """RowPlaces for rows, gone afterwards."""
    with ExitStack() as stack:
        yield RowPlaces(stack)


def chosen(texts: Sequence[str]) -> list[tuple[str, str, int]]:
    """Engines, what they give, and rows, from texts such as `DuckDB, Parquet:counts:1e8`."""
    found = []
    for text in texts:
        engine, _, rest = text.partition(":")
        give, _, rows = rest.partition(":")
        if engine not in ENGINES or give not in GIVES or not _whole(rows):
            raise LayoutRefused(
                f'"{text}" names no engine, {" or ".join(GIVES)}, and rows',
                advice=f"Engines are: {'; '.join(ENGINES)}. For example PostgreSQL:counts:1e7.",
            )
        found.append((engine, give, int(float(rows))))
    return found


def rows_to_measure(
    asked: Sequence[tuple[str, str, int]], bins: int, places: RowPlaces
) -> Iterator[Row]:
    """Each engine as it was asked for."""
    for engine, give, rows in asked:
        key = {"engine": engine, "give": give, "rows": rows, "bins": bins}
        measure = _measure(engine, give, rows, bins, places)
        yield Row(key, f"{engine}, {give} of {rows}", 1 + rows * 1e-6, measure)


def servers_row(rows: int, bins: int, hosts: Hosts) -> Row:
    """The three servers' part, after several owners have counted so many rows in all."""
    options = Options(metrics=METRICS, resolution=f"bins:{bins}")
    key = {"engine": SERVERS, "give": hosts.network.name, "rows": rows, "bins": bins}

    def measure(on_phase: Callable[[str], None]) -> Figures:
        grid, each = Bins(bins), rows // OWNERS
        on_phase("counting")
        counts = [counted_by_numpy(each, grid, owner * each) for owner in range(OWNERS)]
        uploads = [grid.arranged(count.positives, count.negatives) for count in counts]
        with shared((each,) * OWNERS, options, lambda: uploads) as study:
            return measured(hosts, study, options, check=True, on_phase=on_phase)

    return Row(key, f"{SERVERS}, {rows} rows", 5 + rows * 1e-7, measure)


def _measure(
    engine: str, give: str, rows: int, bins: int, places: RowPlaces
) -> Callable[[Callable[[str], None]], Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("laying out")
        task = Measurement(engine, give, rows, bins, places.of(engine, rows))
        on_phase("measuring")
        figures = _answer(task)
        on_phase("checking")
        wanted = _answer(Measurement("", give, rows, bins))
        return {**figures, "correct": figures["counts"] == wanted["counts"]}

    return measure


def _answer(task: Measurement) -> dict[str, Any]:
    """The answer of a process of its own to a task."""
    failed = f"{task.engine} did not give its {task.give}"
    return answer("ppaurora.bench.sources.task", as_json(task), failed)


def answer(module: str, task: str, failed: str, *, entrance: Sequence[str] = ()) -> dict[str, Any]:
    """The answer of a process of its own that runs `module` to a task in JSON.

    `entrance` begins its command where it runs on another host.
    """
    ended = subprocess.run(
        [*entrance, *module_command(module)],
        input=task, env=environment(), capture_output=True, text=True, check=False,
        timeout=DEADLINE_SECONDS,
    )  # fmt: skip
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["no word"])[-1]
        raise RunFailed(f"{failed}: {last}")
    answered: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return answered


def _whole(text: str) -> bool:
    """Return whether a text is a number of rows, also as 1e8."""
    try:
        return float(text) >= 1 and float(text).is_integer()
    except ValueError:
        return False


def table(report: Report) -> Table:
    """A line for each engine."""
    shown = Table(title="Sources: seconds from the question to the counts or the list")
    for name in ("engine", "gives"):
        shown.add_column(name)
    for name in ("rows", "bins", "s", "range", "CPU s", "peak MB", "before", "MB sent", "load"):
        shown.add_column(name, justify="right")
    for name in ("counts", "value"):
        shown.add_column(name)
    for key, runs in report:
        low, high = spread(runs, "seconds")
        last = runs[-1]
        before = last.get("peak_before_bytes")
        sent = last.get("bytes")
        values = last.get("values", {})
        shown.add_row(
            key["engine"],
            key["give"],
            f"{key['rows']:,}",
            f"{key['bins']:,}",
            f"{typical(runs, 'seconds'):.2f}",
            f"{low:.2f}-{high:.2f}",
            f"{typical(runs, 'cpu_seconds'):.2f}",
            f"{typical(runs, 'peak_bytes') / MEGABYTE:.0f}",
            "" if before is None else f"{before / MEGABYTE:.0f}",
            "" if sent is None else f"{sent / MEGABYTE:.2f}",
            load_of(runs),
            "right" if all(run["correct"] for run in runs) else "WRONG",
            ", ".join(value["released"] for value in values.values()),
        )
    return shown
