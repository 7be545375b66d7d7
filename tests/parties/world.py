"""A study with its three servers as real processes on this machine, for tests to be unkind to."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from jsonschema import Draft202012Validator

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.requests.status import Status
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.parties.simulation.processes import (
    await_start,
    check_lives,
    command,
    environment,
)
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.key_files import (
    create_identity,
)
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.reader import Labelled
from ppaurora.parties.study.study import ParticipantEntry, Rule, Scores, ServerEntry, Study
from ppaurora.parties.study.writing import site_text, study_text
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Released
from ppaurora.protocols.statistics.registry import statistics
from tests import forked
from tests.until import SECONDS, until

T = TypeVar("T")
RESULT_SCHEMA = Draft202012Validator(result_schema())
ANY_METRIC = Policy(metrics=tuple(statistics()))
"""A site that agrees to every metric, however short the lists are."""


def generated(samples: int, seed: int) -> Labelled:
    """A list with many ties and both classes."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(samples) < 0.4).astype(np.uint8)
    labels[:1], labels[1:2] = 0, 1
    return Labelled(np.round(rng.beta(2 + labels, 3), 2), labels)


def csv(table: Labelled) -> str:
    """The list as the text of a CSV file."""
    rows = zip(table.scores.tolist(), table.labels.tolist(), strict=True)
    return "score,label\n" + "".join(f"{score!r},{label}\n" for score, label in rows)


def pooled(study: Study, tables: Sequence[Labelled]) -> dict[str, Released]:
    """The result that the study must have."""
    uploads = [
        study.options.pipeline.upload(
            [
                encode(table.scores, table.labels, study.options.scale),
                *(
                    one.keys_in(table.extra, table.labels, study.options, b"")
                    for one in study.extra
                ),
            ]
        )
        for table in tables
    ]
    return pooled_values(study.options, uploads)


class World:
    """Keys, files and processes of one study; every wait in it is bounded."""

    def __init__(
        self,
        folder: Path,
        owners: Sequence[str] = ("ann", "ben", "cleo"),
        *,
        patience: float = 8.0,
        encrypt: bool = False,
        sessions: int = 1,
        servers_listen_at: str = "",
        change: Callable[[Study], Study] = lambda study: study,
    ) -> None:
        self.folder = folder
        self.patience = patience
        self.encrypt = encrypt
        self.sessions = sessions
        self.servers_listen_at = servers_listen_at
        names = [*map(str, Role), *owners]
        self.keys = {name: create_identity(folder / f"{name}.key") for name in names}
        ports = iter(free_ports(6))
        self.study = change(
            Study(
                id="trial",
                title="A trial",
                options=Options(metrics=("auroc", "average_precision")),
                scores=Scores(),
                rule=Rule(least_owners=2, least_samples=10, least_list=1, most_share=1.0),
                servers=tuple(
                    ServerEntry(
                        role,
                        f"operator {role}",
                        self.keys[str(role)].public,
                        "127.0.0.1",
                        next(ports),
                        tuple(next(ports) for _ in range(Role.HELPER - role)),
                    )
                    for role in Role
                ),
                participants=tuple(
                    ParticipantEntry(name, self.keys[name].public) for name in owners
                ),
            )
        )
        self.write_study("study.toml", self.study)
        for name in names:
            self.write_site(name)
        self.tables = {
            name: generated(40 + 10 * place, seed=place) for place, name in enumerate(owners)
        }
        for name, table in self.tables.items():
            (folder / f"{name}.csv").write_text(csv(table))
        self.processes: dict[Role, subprocess.Popen[bytes] | forked.Forked] = {}
        self.program: Callable[[Path], list[str]] | None = None
        """The command that runs a server of this site, where it is another than `ppaurora`'s."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for role in list(self.processes):
            self.kill(role)

    # -- files -------------------------------------------------------------------------------------

    def write_study(self, name: str, study: Study) -> Path:
        path = self.folder / name
        path.write_text(study_text(study), encoding="utf-8")
        return path

    def write_site(self, name: str, *, study: str = "study.toml", more: str = "") -> Path:
        server = f'\n[server]\nstate = "state-{name}"\npatience = {self.patience}\n'
        server += f"sessions = {self.sessions}\n"
        if self.servers_listen_at and name in map(str, Role):
            port = self.study.server(Role[name.upper()]).port
            server += f'listen = "{self.servers_listen_at}:{port}"\n'
        if self.encrypt:
            server += f'encrypt = true\nsecrets = "secrets-{name}"\n'
        rest = server if name in map(str, Role) else self._policy(more)
        text = site_text(f"{name}.key", [study], more + rest)
        self.site(name).write_text(text, encoding="utf-8")
        return self.site(name)

    def _policy(self, more: str) -> str:
        """The site's agreement to every metric: the lists here are short."""
        names = ", ".join(f'"{name}"' for name in ANY_METRIC.metrics)
        return f"\n[policy]\nmetrics = [{names}]\n" if "[policy]" not in more else ""

    def site(self, name: str | Role) -> Path:
        return self.folder / f"{name}.toml"

    def log(self, role: Role) -> str:
        return (self.folder / f"{role}.log").read_text(encoding="utf-8")

    def add_owner(self, name: str) -> Identity:
        """A key and a site for somebody who is not in the study."""
        self.keys[name] = create_identity(self.folder / f"{name}.key")
        self.write_site(name)
        return self.keys[name]

    def make_runs(self, count: int) -> list[Study]:
        """So many studies like this one, with ids of their own, for the same three servers."""
        (self.folder / "runs").mkdir()
        runs = [replace(self.study, id=f"run-{number}") for number in range(count)]
        for study in runs:
            self.write_study(f"runs/{study.id}.toml", study)
        for role in Role:
            self.write_site(str(role), study="runs/*.toml")
            self.accept(role, *runs)
        return runs

    def accept(self, role: Role, *studies: Study) -> None:
        """Accept a study as the server's operator does by `ppaurora study accept`."""
        accepted = Acceptances.of(Site.load(self.site(role)), server=True)
        for study in studies:
            accepted.add(study)

    # -- servers -----------------------------------------------------------------------------------

    def start(
        self,
        *roles: Role,
        before: Callable[[], None] | None = None,
        limits: Mapping[int, int] | None = None,
    ) -> None:
        """Start servers (all where none is named) and wait until they serve.

        `before` is called in a new interpreter; `limits` are those of a server's resources.
        """
        started = []
        for role in roles or tuple(Role):
            log = self.folder / f"{role}.log"
            started.append((role, log.stat().st_size if log.exists() else 0))
            with log.open("ab") as file:
                own = ("server", str(self.site(role)))
                if self.program or before:
                    self.processes[role] = subprocess.Popen(
                        self.program(self.site(role)) if self.program else command(*own),
                        stderr=file,
                        env=environment(),
                        preexec_fn=before,
                    )
                else:
                    self.processes[role] = forked.start(
                        own, stdout=1, stderr=file.fileno(), limits=limits
                    )
        for role, size in started:
            await_start(self.processes[role], self.folder / f"{role}.log", size)

    def kill(self, role: Role) -> None:
        """kill -9; nothing is tidied up."""
        process = self.processes.pop(role)
        process.kill()
        process.wait()

    def signal(self, role: Role, number: signal.Signals) -> None:
        os.kill(self.processes[role].pid, number)

    # -- people ------------------------------------------------------------------------------------

    def run(
        self, *arguments: str, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """One real command, run in the study's folder."""
        return forked.run(arguments, self.folder, more)

    def outsource(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The owner's own command, on its own file."""
        site = ("--site", f"{name}.toml")
        return self.run("outsource", f"{name}.csv", *site, "--yes", *arguments)

    @contextlib.contextmanager
    def owner(self, name: str) -> Iterator[Participant]:
        with Participant.of(self.site(name)) as owner:
            yield owner

    def upload(self, *names: str) -> None:
        """Upload the lists of these owners, of all where none is named, from this process."""
        for name in names or tuple(self.tables):
            with self.owner(name) as owner:
                owner.outsource(self.tables[name])

    def take_part(self, name: str, study: Study) -> Participant:
        """This participant in one of the runs."""
        return Participant(self.keys[name], study, ANY_METRIC, self.folder / "owners")

    def upload_patiently(self, study: Study, seconds: float) -> None:
        """Upload every list to one of the runs, whatever happens to its servers meanwhile."""

        def upload(name: str) -> None:
            with self.take_part(name, study) as owner:
                owner.outsource(self.tables[name])

        for name in self.tables:
            until_done(lambda name=name: upload(name), seconds)  # type: ignore[misc]

    def result(self, name: str, wait: float = SECONDS) -> dict[str, Released]:
        """The values as `name` puts them together."""
        with self.owner(name) as owner:
            result = owner.result(wait=wait)
        RESULT_SCHEMA.validate(result.content)
        return result.values

    def pooled(self, *names: str) -> dict[str, Released]:
        """The result that there must be over the lists of these owners, or of all."""
        return pooled(self.study, [self.tables[name] for name in names or tuple(self.tables)])

    def status(self, role: Role, name: str = "ann") -> Status:
        """The status of the study that this server gives `name`."""
        with self.owner(name) as owner:
            return owner.status()[str(role)]

    def await_log(self, role: Role, event: str, seconds: float = SECONDS) -> None:
        """Until the server's log holds this event; fails with its last lines if it has ended."""

        def logged() -> bool:
            there = json.dumps(event) in self.log(role)
            if not there and role in self.processes:
                check_lives(self.processes[role], self.folder / f"{role}.log")
            return there

        until(logged, seconds)

    def await_steps(self, role: Role, seconds: float = SECONDS) -> None:
        """Until the server is connected to both others and takes the first steps of a session."""

        def steps() -> bool:
            told = self.status(role).progress
            return told is not None and told.phase != "connect"

        until(steps, seconds)


def until_done(action: Callable[[], T], seconds: float) -> T:
    """Repeat an action whose servers come and go, until it is done."""
    end = time.monotonic() + seconds
    while True:
        try:
            return action()
        except AuroraError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def with_options(study: Study, **changes: object) -> Study:
    """The study, with these of its options changed."""
    return replace(study, options=replace(study.options, **changes))  # type: ignore[arg-type]


def on_request(study: Study) -> Study:
    """The study, starting only when somebody asks."""
    return replace(study, rule=replace(study.rule, start="request"))
