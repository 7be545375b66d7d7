"""`study.toml`: what is computed, by whom, for whom. Shared by all, the same for all, public.

Its hash is SHA-256 over one canonical form of everything in it, so it does not change with
comments or the order of keys, and does change with any single option.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.key_files import parse_public, public_text
from ppaurora.parties.study.toml_table import Table
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.encoding import CODES, DIRECTIONS
from ppaurora.protocols.options import Options

__all__ = ["ParticipantEntry", "Rule", "Scores", "ServerEntry", "Study"]

FORMAT = 1
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
STARTS = ("complete", "request")


@dataclass(frozen=True, slots=True)
class Scores:
    """How scores and labels are to be read."""

    code: str = "unit"
    direction: str = "higher"
    positive: str = "1"
    negative: str = "0"


@dataclass(frozen=True, slots=True)
class Rule:
    """When the computation may start, and how long servers keep what they hold."""

    least_owners: int = 2
    least_samples: int = 100
    start: str = "complete"
    keep_days: float = 30.0


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One of the three servers: its key, its address for requests, its ports for computing."""

    role: Role
    operator: str
    public: bytes
    host: str
    port: int
    link_ports: tuple[int, ...]

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def link_port(self, peer: Role) -> int:
        """The port on which this server waits for `peer`: the lower role waits."""
        return self.link_ports[peer - self.role - 1]


@dataclass(frozen=True, slots=True)
class ParticipantEntry:
    """Somebody who uploads a list, receives the result, or both."""

    name: str
    public: bytes
    uploads: bool = True
    receives: bool = True


@dataclass(frozen=True, slots=True)
class Study:
    """One study, as all its parties agreed on it."""

    id: str
    title: str
    scores: Scores
    metrics: tuple[str, ...]
    decimals: int
    merge: str
    delta: int
    ties: str
    rule: Rule
    servers: tuple[ServerEntry, ...]
    participants: tuple[ParticipantEntry, ...]

    @classmethod
    def load(cls, path: Path) -> Study:
        """The study written in the file at `path`, checked in full."""
        return _read(Table.load(path))

    @classmethod
    def parse(cls, text: str, file: str) -> Study:
        """The study written in `text`, which is or will be the file named `file`."""
        return _read(Table.parse(text, file))

    @property
    def hash(self) -> bytes:
        """SHA-256 of the canonical form: equal exactly when every option is equal."""
        return hashlib.sha256(b"ppaurora study 1\n" + self.canonical()).digest()

    def canonical(self) -> bytes:
        """The one JSON text that stands for this study."""
        text = json.dumps(self.content(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return text.encode("ascii")

    def content(self) -> dict[str, Any]:
        """The study as plain nested tables, just as a study.toml holds them."""
        return {
            "format": FORMAT,
            "id": self.id,
            "title": self.title,
            "scores": {
                "code": self.scores.code,
                "direction": self.scores.direction,
                "positive": self.scores.positive,
                "negative": self.scores.negative,
            },
            "metrics": {"names": list(self.metrics), "decimals": self.decimals},
            "protocol": {"merge": self.merge, "delta": self.delta, "ties": self.ties},
            "rule": {
                "least_owners": self.rule.least_owners,
                "least_samples": self.rule.least_samples,
                "start": self.rule.start,
                "keep_days": self.rule.keep_days,
            },
            "servers": {
                str(server.role): {
                    "operator": server.operator,
                    "public_key": public_text(server.public),
                    "address": server.address,
                    "link_ports": list(server.link_ports),
                }
                for server in self.servers
            },
            "participants": [
                {
                    "name": one.name,
                    "public_key": public_text(one.public),
                    "uploads": one.uploads,
                    "receives": one.receives,
                }
                for one in self.participants
            ],
        }

    @property
    def options(self) -> Options:
        """What the protocols need to know."""
        return Options(
            metrics=self.metrics,
            decimals=self.decimals,
            merge=self.merge,
            delta=self.delta,
            ties=self.ties,
            code=self.scores.code,
        )

    @property
    def least_sizes(self) -> list[int]:
        """The smallest lists with which it may be computed, to foresee what a result tells."""
        owners, samples = self.rule.least_owners, self.rule.least_samples
        return [-(-samples // owners)] * owners

    @property
    def owners(self) -> tuple[ParticipantEntry, ...]:
        return tuple(one for one in self.participants if one.uploads)

    @property
    def receivers(self) -> tuple[ParticipantEntry, ...]:
        return tuple(one for one in self.participants if one.receives)

    def server(self, role: Role) -> ServerEntry:
        return self.servers[role]

    def role_of(self, public: bytes) -> Role | None:
        """The server whose key this is, if any."""
        return next((one.role for one in self.servers if one.public == public), None)

    def participant_of(self, public: bytes) -> ParticipantEntry | None:
        """The participant whose key this is, if any."""
        return next((one for one in self.participants if one.public == public), None)

    def knows(self, public: bytes) -> bool:
        return self.role_of(public) is not None or self.participant_of(public) is not None


def differences(mine: dict[str, Any], theirs: dict[str, Any], place: str = "") -> list[str]:
    """The full names of the options in which two studies' contents differ."""
    names: list[str] = []
    for key in sorted({*mine, *theirs}):
        path = f"{place}.{key}" if place else key
        a, b = mine.get(key), theirs.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            names += differences(a, b, path)
        elif a != b:
            names.append(path)
    return names


def split_address(text: str) -> tuple[str, int] | None:
    """The parts of "host:port" or "[ipv6]:port", or None where the text is something else."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or "/" in host:
        return None
    return host, int(port)


def _read(top: Table) -> Study:
    if top.take("format", int) != FORMAT:
        raise top.fault("format", f"must be {FORMAT}: this program reads no other version")
    study = Study(
        id=_name(top, "id"),
        title=top.take("title", str, ""),
        scores=_read_scores(top.table("scores", optional=True)),
        rule=_read_rule(top.table("rule", optional=True)),
        servers=_read_servers(top.table("servers")),
        participants=tuple(_read_participant(one) for one in top.tables("participants")),
        **_read_metrics(top.table("metrics")),
        **_read_protocol(top.table("protocol", optional=True)),
    )
    top.finish()
    _check(study, top)
    return study


def _name(table: Table, key: str) -> str:
    name = table.take(key, str)
    if not NAME.fullmatch(name):
        raise table.fault(
            key, "must be a short name", "Use small letters, digits, dots, dashes: at most 64."
        )
    return name


def _choice(table: Table, key: str, allowed: tuple[str, ...], default: str) -> str:
    value = table.take(key, str, default)
    if value not in allowed:
        listing = " or ".join(f'"{one}"' for one in allowed)
        raise table.fault(key, f"must be {listing}")
    return value


def _read_scores(table: Table) -> Scores:
    usual = Scores()
    scores = Scores(
        code=_choice(table, "code", tuple(CODES), usual.code),
        direction=_choice(table, "direction", DIRECTIONS, usual.direction),
        positive=table.take("positive", str, usual.positive).strip(),
        negative=table.take("negative", str, usual.negative).strip(),
    )
    table.finish()
    if not scores.positive or not scores.negative or scores.positive == scores.negative:
        raise table.fault("positive", "and scores.negative must be two different words")
    return scores


def _read_rule(table: Table) -> Rule:
    usual = Rule()
    rule = Rule(
        least_owners=table.take("least_owners", int, usual.least_owners),
        least_samples=table.take("least_samples", int, usual.least_samples),
        start=_choice(table, "start", STARTS, usual.start),
        keep_days=table.take("keep_days", float, usual.keep_days),
    )
    table.finish()
    if rule.least_owners < 1 or rule.least_samples < 1:
        raise table.fault("least_owners", "and rule.least_samples must be at least 1")
    if not 0 < rule.keep_days <= 3650:
        raise table.fault("keep_days", "must be more than 0 and at most 3650")
    return rule


def _read_metrics(table: Table) -> dict[str, Any]:
    found = {
        "metrics": tuple(table.take_list("names", str)),
        "decimals": table.take("decimals", int, 4),
    }
    table.finish()
    return found


def _read_protocol(table: Table) -> dict[str, Any]:
    found = {
        "merge": table.take("merge", str, "network"),
        "delta": table.take("delta", int, 1),
        "ties": table.take("ties", str, "compare"),
    }
    table.finish()
    return found


def _read_servers(table: Table) -> tuple[ServerEntry, ...]:
    servers = tuple(_read_server(table.table(str(role)), role) for role in Role)
    table.finish()
    return servers


def _read_server(table: Table, role: Role) -> ServerEntry:
    address = split_address(table.take("address", str))
    if address is None:
        raise table.fault("address", 'must read "host:port"', 'For example "p0.example.org:7100".')
    ports = tuple(table.take_list("link_ports", int, () if role is Role.HELPER else None))
    expected = Role.HELPER - role
    if len(ports) != expected or any(not 0 < port < 65536 for port in ports):
        raise table.fault("link_ports", f"must list {expected} ports", _PORT_ADVICE[role])
    server = ServerEntry(
        role=role,
        operator=table.take("operator", str, str(role)),
        public=_public_key(table),
        host=address[0],
        port=address[1],
        link_ports=ports,
    )
    table.finish()
    return server


_PORT_ADVICE = {
    Role.P0: "P0 waits for P1 on the first and for the helper on the second.",
    Role.P1: "P1 waits for the helper on it.",
    Role.HELPER: "The helper waits for nobody: leave link_ports out.",
}


def _read_participant(table: Table) -> ParticipantEntry:
    one = ParticipantEntry(
        name=_name(table, "name"),
        public=_public_key(table),
        uploads=table.take("uploads", bool, True),
        receives=table.take("receives", bool, True),
    )
    table.finish()
    return one


def _public_key(table: Table) -> bytes:
    text = table.take("public_key", str)
    try:
        return parse_public(text)
    except KeyFault as fault:
        raise table.fault("public_key", f"is not a key: {fault.what}", fault.advice) from None


def _check(study: Study, top: Table) -> None:
    """What must hold between the tables of a study."""
    if len({one.name for one in study.participants}) != len(study.participants):
        raise top.fault("participants", "holds one name twice")
    publics = [one.public for one in study.servers]
    publics += [one.public for one in study.participants]
    if len(set(publics)) != len(publics):
        raise top.fault(
            "participants",
            "and servers hold one public key twice",
            "Every server and every participant needs a key of its own: `ppaurora keys new`.",
        )
    if len(study.owners) < study.rule.least_owners:
        raise top.fault(
            "rule.least_owners",
            f"is {study.rule.least_owners}, but only {len(study.owners)} participants upload",
        )
    if not study.receivers:
        raise top.fault("participants", "names nobody who receives the result")
    for host in {one.host for one in study.servers}:
        ports = [
            port
            for one in study.servers
            if one.host == host
            for port in (one.port, *one.link_ports)
        ]
        if len(set(ports)) != len(ports):
            raise top.fault("servers", f"use one port of {host} twice")
    try:
        _ = study.options
    except OptionRefused as error:
        raise top.fault(
            "metrics or protocol", f"cannot be used: {error.what}", error.advice
        ) from None
