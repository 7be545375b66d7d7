"""Many studies on three servers: all at once against one after the other."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.report import Figures, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import Hosts
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.simulation.processes import (
    await_start,
    environment,
    module_command,
    servers,
)
from ppaurora.parties.site.key_files import create_identity
from ppaurora.parties.study.study import ParticipantEntry, Rule, Scores, ServerEntry, Study
from ppaurora.parties.study.writing import site_text, study_text
from ppaurora.protocols.options import Options

OWNERS = ("ann", "ben", "cleo")


def rows_to_measure(
    studies: int, sessions: Sequence[int], rows: int, options: Options, hosts: Hosts
) -> Iterator[Row]:
    """So many studies with every number of sessions at once."""
    for at_once in sessions:
        key = {
            "studies": studies,
            "sessions": at_once,
            "rows": rows,
            "metrics": list(options.metrics),
            "merge": options.merge,
            "network": hosts.network.name,
            "means": str(hosts.means),
        }
        name = f"{studies} studies, {at_once} at once"
        yield Row(key, name, 1, _measure(studies, at_once, rows, options, hosts))


def _measure(
    studies: int, sessions: int, rows: int, options: Options, hosts: Hosts
) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        on_phase("servers")
        with tempfile.TemporaryDirectory(prefix="ppaurora-bench-") as name:
            folder = Path(name)
            health = laid_out(folder, hosts, studies, sessions, options)
            with running(folder, hosts):
                on_phase("studies")
                people = module_command(
                    "ppaurora.bench.studies.people", str(folder), str(rows), health
                )
                done = subprocess.run(
                    hosts.command(Role.P0, people),
                    env=environment(),
                    capture_output=True,
                    text=True,
                    check=False,
                )
            if done.returncode:
                raise RunFailed(f"the owners gave up: {done.stderr.strip().splitlines()[-1]}")
            figures: Figures = json.loads(done.stdout)
            return figures

    return measure


def laid_out(folder: Path, hosts: Hosts, studies: int, sessions: int, options: Options) -> str:
    """Write keys, studies and sites for these hosts; where P0 tells its health."""
    keys = {name: create_identity(folder / f"{name}.key") for name in (*map(str, Role), *OWNERS)}
    ports = iter(free_ports(4 + 3 * sessions))
    entries = tuple(
        ServerEntry(
            role,
            f"operator of {role}",
            keys[str(role)].public,
            hosts.addresses[role],
            next(ports),
            tuple(next(ports) for _ in range(sessions * (Role.HELPER - role))),
        )
        for role in Role
    )
    study = Study(
        id="study",
        title="One of many",
        options=options,
        scores=Scores(),
        rule=Rule(start="request"),
        servers=entries,
        participants=tuple(ParticipantEntry(name, keys[name].public) for name in OWNERS),
    )
    names = [f"study-{number:03}.toml" for number in range(studies)]
    for name in names:
        text = study_text(replace(study, id=name.removesuffix(".toml")))
        (folder / name).write_text(text, encoding="utf-8")
    health = f"127.0.0.1:{next(ports)}"
    for role in Role:
        more = f'[server]\nstate = "state-{role}"\nsessions = {sessions}\nthreads = 1\n'
        more += f'listen = "{entries[role].address}"\n'
        more += f'health = "{health}"\n' if role is Role.P0 else ""
        (folder / f"{role}.toml").write_text(site_text(f"{role}.key", names, more))
    for name in OWNERS:
        (folder / f"{name}.toml").write_text(site_text(f"{name}.key", names))
    return health


@contextmanager
def running(folder: Path, hosts: Hosts) -> Iterator[None]:
    """The three servers, each at its host."""
    sites = [folder / f"{role}.toml" for role in Role]
    with servers(sites, folder, [hosts.entrances[role] for role in Role]) as processes:
        for process, site in zip(processes, sites, strict=True):
            await_start(process, site.with_suffix(".log"))
        yield


def table(report: Report) -> Table:
    """A line for each number of sessions at once."""
    shown = Table(title="Many studies: from the first request until the last result is fetched")
    for name in ("studies", "at once", "network", "s", "range", "one by one / this"):
        shown.add_column(name, justify="right")
    for name in ("health, median ms", "health, most ms", "load", "values"):
        shown.add_column(name, justify="right")
    alone = {
        (key["studies"], key["network"]): typical(runs, "seconds")
        for key, runs in report
        if key["sessions"] == 1
    }
    for key, runs in sorted(report, key=lambda row: (row[0]["network"], row[0]["sessions"])):
        low, high = spread(runs, "seconds")
        before = alone.get((key["studies"], key["network"]))
        seconds = typical(runs, "seconds")
        shown.add_row(
            str(key["studies"]),
            str(key["sessions"]),
            key["network"],
            f"{seconds:.2f}",
            f"{low:.2f}-{high:.2f}",
            "" if before is None else f"{before / seconds:.2f}",
            f"{1e3 * typical(runs, 'health_median_seconds'):.1f}",
            f"{1e3 * max(run['health_most_seconds'] for run in runs):.1f}",
            load_of(runs),
            "equal" if all(run["equal"] for run in runs) else "DIFFERENT",
        )
    return shown
