"""The cost of outsourcing for an owner: seconds, CPU and memory of each stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from rich.table import Table

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.report import Figures, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import Hosts
from ppaurora.bench.sources.measuring import MEGABYTE, answer
from ppaurora.bench.sources.owner_task import STAGES, Outsourcing, as_json
from ppaurora.bench.sources.rows import select
from ppaurora.bench.studies import many
from ppaurora.bench.studies.many import OWNERS
from ppaurora.mpc.role import Role
from ppaurora.protocols.options import Options

FORMATS = {"csv": "FORMAT csv, HEADER", "parquet": "FORMAT parquet"}
TASK = "ppaurora.bench.sources.owner_task"


class OwnerSite:
    """An owner whose servers run, and the files with its lists, made when first asked for."""

    def __init__(self, folder: Path, hosts: Hosts) -> None:
        self._folder = folder
        self._hosts = hosts

    @property
    def network(self) -> dict[str, str]:
        """The network between the servers, and between this owner and P1, in the terms of a row."""
        return {"network": self._hosts.network.name, "means": str(self._hosts.means)}

    @property
    def entrance(self) -> tuple[str, ...]:
        """The start of a command line at the owner's host, which is that of P0."""
        return self._hosts.entrances[Role.P0]

    def task(self, form: str, rows: int) -> Outsourcing:
        """The owner outsources so many rows from a file of this format."""
        path = self._folder / f"{rows}.{form}"
        if not path.exists():
            with duckdb.connect(":memory:") as connection:
                query = select(f"range({rows}) AS numbered(i)")
                connection.execute(f"COPY ({query}) TO '{path}' ({FORMATS[form]})")
        return Outsourcing(str(self._folder / f"{OWNERS[0]}.toml"), str(path))


@contextmanager
def laid_out(hosts: Hosts) -> Iterator[OwnerSite]:
    """Three servers of a study that waits to be started, which nobody does."""
    with TemporaryDirectory(prefix="ppaurora-owner-") as name:
        folder = Path(name)
        many.laid_out(folder, hosts, studies=1, sessions=1, options=Options())
        with many.running(folder, hosts):
            yield OwnerSite(folder, hosts)


def rows_to_measure(formats: Sequence[str], numbers: Sequence[int], site: OwnerSite) -> list[Row]:
    """A list of each number of rows in each format."""
    for form in formats:
        if form not in FORMATS:
            raise LayoutRefused(
                f'"{form}" is no format that an owner is measured with',
                advice=f"Formats are: {', '.join(FORMATS)}.",
            )
    return [
        Row(
            {"format": form, "rows": rows, **site.network},
            f"{form}, {rows} rows",
            1 + rows * 1e-6,
            _measure(site, form, rows),
        )
        for rows in numbers
        for form in formats
    ]


def _measure(site: OwnerSite, form: str, rows: int) -> Callable[[Callable[[str], None]], Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("laying out")
        task = site.task(form, rows)
        on_phase("measuring")
        failed = f"The owner did not outsource {rows} rows of {form}"
        return answer(TASK, as_json(task), failed, entrance=site.entrance)

    return measure


def table(report: Report) -> Table:
    """A line for each stage."""
    shown = Table(title="Outsourcing: what each stage takes an owner")
    shown.add_column("format")
    shown.add_column("rows", justify="right")
    shown.add_column("network")
    shown.add_column("stage")
    for name in ("s", "range", "CPU s", "MB/s", "peak MB", "load"):
        shown.add_column(name, justify="right")
    shown.add_column("stored")
    for key, runs in report:
        for place, stage in enumerate(STAGES):
            of_stage: list[dict[str, Any]] = [run["stages"][place] for run in runs]
            low, high = spread(of_stage, "seconds")
            seconds = typical(of_stage, "seconds")
            shown.add_row(
                key["format"],
                f"{key['rows']:,}",
                _network_of(key),
                stage,
                f"{seconds:.2f}",
                f"{low:.2f}-{high:.2f}",
                f"{typical(of_stage, 'cpu_seconds'):.2f}",
                f"{of_stage[0]['bytes'] / seconds / MEGABYTE:.0f}",
                f"{typical(of_stage, 'peak_bytes') / MEGABYTE:.0f}",
                load_of(runs),
                "right" if all(run["correct"] for run in runs) else "WRONG",
            )
    return shown


def _network_of(key: Mapping[str, Any]) -> str:
    """The network between owner and servers; reports from before it was chosen do not name it."""
    return f"{key['network']} ({key['means']})" if "network" in key else "unknown"
