"""The runs of a study: how often it is computed, and which server plays which role each time.

A semi-honest study has one run, with the roles that study.toml gives. A covert one has three, in
which the roles move on from server to server:

    run       1        2        3
    P0        P0       P1       helper
    P1        P1       helper   P0
    helper    helper   P0       P1

Owners share their lists afresh for each run, so a server holds one share for each run in which it
is a proxy, and these shares have nothing to do with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from ppaurora.mpc.committed import RUNS, role_in, server_of
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.study.parts import ServerEntry
from ppaurora.parties.study.study import Study

DOMAIN = b"ppAURORA run of a computation 1\0"


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run of a study; the first one has the number 0."""

    study: Study
    number: int = 0

    @property
    def title(self) -> str:
        """The run's number among the study's runs, in words."""
        return f"{self.number + 1} of {len(runs_of(self.study))}"

    def place(self, role: Role) -> Role:
        """The server, by its role in the study, that plays `role` in this run."""
        return Role(server_of(role, self.number))

    def server(self, role: Role) -> ServerEntry:
        """The study's entry of the server that plays `role` in this run."""
        return self.study.server(self.place(role))

    def role(self, server: Role) -> Role:
        """The role in this run of `server`, which is named by its role in the study."""
        return role_in(server, self.number)

    def session(self, computation: bytes) -> bytes:
        """The name of this run's session; the first run's is that of the whole computation."""
        if not self.number:
            return computation
        return sha256(DOMAIN + computation + bytes([self.number])).digest()[: len(computation)]


def runs_of(study: Study) -> tuple[StudyRun, ...]:
    """Every run of the study, in order."""
    return tuple(StudyRun(study, number) for number in range(RUNS if study.options.covert else 1))


def proxy_runs(study: Study, server: Role) -> tuple[StudyRun, ...]:
    """The runs in which `server` holds shares, in order."""
    return tuple(run for run in runs_of(study) if run.role(server) in PROXIES)


def holders(study: Study) -> tuple[Role, ...]:
    """The servers that hold shares, named by their roles in the study."""
    return tuple(server for server in Role if proxy_runs(study, server))
