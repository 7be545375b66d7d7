"""Readiness of a site for a study: its files, its key, the servers, their clocks, its list.

Every check is made, whatever the others found, and says what to do where something is wrong.
"""

from __future__ import annotations

import os
import platform
import stat
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TypeVar

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.build import build
from ppaurora.parties.errors import (
    ConfigurationError,
    DiskCode,
    DiskFault,
    StudyDiffers,
    Unreachable,
)
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import Passphrase, asked
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Site
from ppaurora.parties.sources.source import Source
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.releases import release_at
from ppaurora.parties.study.study import Study

CLOCK_SECONDS = 120.0

Made = TypeVar("Made")


class Verdict(StrEnum):
    """Outcome of one check."""

    FINE = "fine"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, how it ended, what was seen; the error, if it is wrong."""

    about: str
    verdict: Verdict
    seen: str
    error: AuroraError | None = None


Findings = Generator[Finding, None, Made | None]


def checkup(
    site_path: Path,
    study_path: Path | None = None,
    source: Source | None = None,
    passphrase: Passphrase = asked,
) -> Iterator[Finding]:
    """All findings of a site, in an order in which they can be mended; `source` is its list."""
    versions = f"ppaurora {build()}, Python {platform.python_version()}"
    yield Finding("version", Verdict.FINE, versions)
    site = yield from _tried("site file", partial(Site.load, site_path), lambda _: str(site_path))
    if site is None:
        return
    if site_path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        error = ConfigurationError(
            f"{site_path} can be changed by others", advice=f"Run `chmod 600 {site_path}`."
        )
        yield Finding("permissions", Verdict.WRONG, str(error), error)
    identity = yield from _tried(
        "key", partial(own_identity, site, passphrase), lambda own: fingerprint(own.public)
    )
    ring = yield from _tried(
        "keys", partial(Keyring, site.keys), lambda one: one.in_force().statements.described
    )
    keys = ring.in_force() if ring is not None else KeysInForce(day=day_at(time.time()))
    for path in (study_path,) if study_path else site.studies:
        study = yield from _tried(
            f"study {path.name}", partial(Study.load, path), lambda read: f"hash {read.hash.hex()}"
        )
        if identity is not None and study is not None:
            yield from _of_study(site, identity, release_at(study, time.time()), source, keys)


def _of_study(
    site: Site, identity: Identity, study: Study, source: Source | None, keys: KeysInForce
) -> Iterator[Finding]:
    """Your part in the study, the servers as they answer, and the list."""
    who = partial(Participant, identity, study, site.policy, site.participant_state, keys=keys)
    own = yield from _tried("your part", who, lambda one: f"you are {one.name} in {study.id}")
    if own is None:
        return
    for warning in own.member.key_warnings:
        yield Finding("key", Verdict.NOTE, warning)
    listen_port = site.server.listen[1] if site.server.listen is not None else 0
    for line in firewall_lines(study, own.role, listen_port):
        yield Finding("firewall", Verdict.FINE, line)
    folders = [site.results, site.participant_state] if own.role is None else [site.server.state]
    for folder in folders:
        yield from _writable(folder)
    with own:
        if own.role is None:
            yield from _tried(
                "policy", partial(check_study, site.policy, study), lambda _: "allows this study"
            )
        for name, told in own.status().items():
            yield from _server(name, told)
        if source is not None:
            table = yield from _tried(
                "list",
                partial(own.take, source),
                lambda read: f"{source.name}: {len(read)} samples",
            )
            if table is not None:
                yield from _tried(
                    "list in study", partial(own.prepare, table), lambda _: "may be sent"
                )


def _server(name: str, told: Status) -> Iterator[Finding]:
    """Check that a server answers, has the same version, and a clock that agrees with ours."""
    if told.state is State.NOT_ANSWERING:
        error = Unreachable(told.detail)
        yield Finding(name, Verdict.WRONG, told.detail, error)
        return
    yield Finding(name, Verdict.FINE, told.sentence)
    if told.software and told.software != build():
        differing = StudyDiffers(
            f"{name} runs ppaurora {told.software}, this is {build()}",
            advice="Agree on one build; the three servers must have the same.",
        )
        yield Finding(f"{name}, version", Verdict.NOTE, str(differing))
    apart = abs((datetime.now(UTC) - told.at).total_seconds()) if told.at else 0.0
    if apart > CLOCK_SECONDS:
        yield Finding(
            f"{name}, clock",
            Verdict.NOTE,
            f"differs from this one by {apart:.0f} s. Have both set by a time server: what is old "
            "is deleted by the servers' clocks.",
        )
    if told.last_problem:
        yield Finding(f"{name}, last problem", Verdict.NOTE, told.last_problem)


def _writable(folder: Path) -> Iterator[Finding]:
    """Check that files can be made in a folder, or the folder itself where it is to be."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        yield Finding("folder", Verdict.FINE, f"{folder} can be written")
        return
    error = DiskFault(
        f"{folder} cannot be written",
        code=DiskCode.UNWRITABLE,
        advice=f"Make {there} a folder that is yours to write.",
    )
    yield Finding("folder", Verdict.WRONG, str(error), error)


def _tried(about: str, make: Callable[[], Made], seen: Callable[[Made], str]) -> Findings[Made]:
    """Return what `make` returns, after a finding that says whether it could."""
    try:
        made = make()
    except AuroraError as error:
        yield Finding(about, Verdict.WRONG, str(error), error)
        return None
    yield Finding(about, Verdict.FINE, seen(made))
    return made


def firewall_lines(study: Study, role: Role | None, listen_port: int = 0) -> list[str]:
    """A line for each rule: what comes in from whom, what goes out to whom; all of it is TCP.

    `role` is the server, or None for an owner or a receiver, to whom nobody connects. A server that
    does not listen at the port of its address says at which in `listen_port`.
    """
    if role is None:
        return [f"out to {one.role}: {one.address}" for one in study.servers]
    own = study.server(role)
    port = f"port {listen_port or own.port}"
    if listen_port not in (0, own.port):
        port += f", which others reach as {own.address}"
    first, second = role.others
    lines = [f"in from owners, receivers, {first} and {second}: {port}"]
    for peer in role.others:
        if peer > role:
            ports = (own.link_port(peer, slot) for slot in range(len(own.slots)))
            lines.append(f"in from {peer} ({study.server(peer).host}): {_ports(ports)}, for links")
    for peer in role.others:
        other = study.server(peer)
        line = f"out to {peer}: {other.address}"
        if peer < role:
            ports = (other.link_port(role, slot) for slot in range(len(other.slots)))
            line += f", and its {_ports(ports)}, for links"
        lines.append(line)
    return lines


def _ports(ports: Iterable[int]) -> str:
    numbers = [str(one) for one in sorted(ports)]
    return f"port{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
