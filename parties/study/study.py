"""`study.toml`: what is computed, by whom, for whom. Public, and the same file for all parties."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.column import Extras
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.study import reading
from ppaurora.parties.study.canonical import Content, canonical_text, content_hash, content_of
from ppaurora.parties.study.parts import (
    About,
    ParticipantEntry,
    Rule,
    Scores,
    ServerEntry,
    content_of_options,
)
from ppaurora.parties.study.schedule import LONGEST_NAME, Schedule
from ppaurora.parties.study.toml_table import TomlTable
from ppaurora.protocols.evaluate import check_bounds
from ppaurora.protocols.option import OptionSet
from ppaurora.protocols.options import Options

MOST_LETTERS_OF_AGREEMENT = reading.MOST_LETTERS_OF_NAME - LONGEST_NAME - 1

__all__ = ["About", "ParticipantEntry", "Rule", "Scores", "ServerEntry", "Study"]


@dataclass(frozen=True, slots=True)
class Study:
    """One study, as all its parties agreed on it.

    `options` is what the protocols need to know, code and direction of the scores among it, though
    study.toml writes them under [scores], beside how the lists are to be read. `extra` are the
    columns of the lists beside score and label, in the order of the pipeline's. `follows` is
    the hash of the version to which this one adds owners, in hexadecimal digits; empty in a first
    version.

    A study with a schedule is an agreement: it is never computed itself, and each of its releases
    is a study like any other, with its own hash, uploads and result. All parties make the release
    of a `period` from the agreement; nobody signs or hands out another file.

    `folder` holds the files that `simulate(..., folder=folder)` leaves:

    >>> study = Study.load(folder / "study.toml")
    >>> study.options.metrics, [owner.name for owner in study.owners]
    (('auroc',), ['owner-1', 'owner-2'])
    """

    id: str
    title: str
    options: Options
    scores: Scores
    rule: Rule
    servers: tuple[ServerEntry, ...]
    participants: tuple[ParticipantEntry, ...]
    extra: Extras = ()
    follows: str = ""
    about: About = field(default_factory=About)
    schedule: Schedule = field(default_factory=Schedule)
    period: str = ""
    _hashed: list[bytes] = field(default_factory=list, init=False, repr=False, compare=False)
    """The hash, once it has been asked for: a server asks hundreds of times in each study."""

    @classmethod
    def load(cls, path: Path) -> Study:
        """The study written in the file at `path`, checked in full."""
        return cls._read(TomlTable.load(path))

    @classmethod
    def parse(cls, text: str, file: str) -> Study:
        """The study written in `text`, which is or will be the file named `file`."""
        return cls._read(TomlTable.parse(text, file))

    @classmethod
    def restore(cls, text: bytes, file: str) -> Study:
        """The study whose canonical text this is, which lies in the file named `file`."""
        return cls._read(TomlTable(content_of(text), "", file))

    @classmethod
    def _read(cls, top: TomlTable) -> Study:
        """Every table read strictly, then what must hold between them."""
        reading.check_format(top)
        about, options, scores, extra, rule, schedule = reading.read_options(top)
        study = cls(
            id=reading.read_name(top, "id"),
            title=top.take("title", str, ""),
            options=options,
            scores=scores,
            rule=rule,
            servers=reading.read_servers(top),
            participants=reading.read_participants(top),
            extra=extra,
            follows=reading.read_follows(top),
            about=about,
            schedule=schedule,
            period=reading.read_period(top),
        )
        top.finish()
        _check(study, top)
        return study

    @property
    def hash(self) -> bytes:
        """SHA-256 of the canonical form: equal if and only if every option is equal."""
        if not self._hashed:
            self._hashed.append(content_hash(self.content()))
        return self._hashed[0]

    def canonical(self) -> bytes:
        """The one JSON text that stands for this study."""
        return canonical_text(self.content())

    def content(self) -> Content:
        """The study as plain nested tables, laid out as study.toml is."""
        follows = {"follows": self.follows} if self.follows else {}
        period = {"period": self.period} if self.period else {}
        return {
            "format": reading.FORMAT,
            "id": self.id,
            "title": self.title,
            **follows,
            **period,
            **self.chosen,
            "servers": {str(server.role): server.content() for server in self.servers},
            "participants": [participant.content() for participant in self.participants],
        }

    @property
    def declared(self) -> tuple[OptionSet, ...]:
        """The options of all kinds."""
        return (self.about, self.scores, self.options, *self.extra, self.rule, self.schedule)

    @property
    def chosen(self) -> dict[str, Content]:
        """The options that have a meaning in this study, as plain tables."""
        return content_of_options(self.declared)

    @property
    def scheduled(self) -> bool:
        """True for an agreement, of which only the releases are computed."""
        return bool(self.schedule.every) and not self.period

    def release(self, period: str) -> Study:
        """The release of this period, of which there is one in the schedule.

        It differs from the agreement in its id and its period, and so in its hash: what is
        uploaded for one release is nothing to another one.
        """
        assert self.scheduled
        assert self.schedule.holds(period)
        return replace(self, id=f"{self.id}.{period}", period=period)

    @property
    def agreement(self) -> Study:
        """The study file that all parties agreed on: of a release the one it is a release of."""
        if not self.period:
            return self
        return replace(self, id=self.id.removesuffix(f".{self.period}"), period="")

    @property
    def releases(self) -> tuple[Study, ...]:
        """All releases of an agreement, in order, whether or not they have opened."""
        if not self.scheduled:
            return ()
        return tuple(self.release(period.name) for period in self.schedule.periods)

    @property
    def least_sizes(self) -> list[int]:
        """Few samples, as unevenly spread as the rule allows, to foresee what a result tells.

        They are the sizes of lists: those of one upload are of equal size.
        """
        rule = self.rule
        owners = rule.least_owners if rule.start == "request" else len(self.owners)
        samples = max(rule.least_samples, owners * rule.least_list)
        sizes, left = [], samples
        for others in range(owners - 1, -1, -1):
            # the largest part that leaves each of the others a list of the least length
            part = min(left - others * rule.least_list, int(rule.most_share * samples))
            sizes.append(max(part, -(-left // (others + 1))))
            left -= sizes[-1]
        lists = self.options.pipeline.lists_each
        return [(size + place) // lists for size in sizes for place in range(lists)]

    @property
    def least_groups(self) -> list[tuple[str, list[int]]]:
        """Each group with the fewest samples that it may have: the most of them of one owner.

        Of joined rows nobody knows how many are in a group: those of a group are as those of all.
        """
        if self.options.least_join:
            sizes = self.options.pipeline.owners(self.least_sizes)
            return [(group, sizes) for group in self.options.groups]
        least = next((one.least for one in self.extra if isinstance(one, GroupBy)), 0)
        most = int(self.rule.most_share * least)
        return [(group, [most, least - most]) for group in self.options.groups]

    @property
    def owners(self) -> tuple[ParticipantEntry, ...]:
        """The participants that upload a list."""
        return tuple(participant for participant in self.participants if participant.uploads)

    @property
    def receivers(self) -> tuple[ParticipantEntry, ...]:
        """The participants that receive the result."""
        return tuple(participant for participant in self.participants if participant.receives)

    def server(self, role: Role) -> ServerEntry:
        """The server of this role."""
        return self.servers[role]

    def address_of(self, server: str) -> str:
        """The address of the server with this name, such as P1; nothing if there is none."""
        return next((one.address for one in self.servers if str(one.role) == server), "")

    @property
    def slots(self) -> int:
        """The slots for the study's one session, beside those of other studies."""
        return min(len(self.server(role).slots) for role in (Role.P0, Role.P1))

    def holder_of(self, exchange: bytes) -> PublicKey | None:
        """The whole public key of the one whose connection shows the key `exchange`, if any."""
        return next((public for public in self.publics if public.exchange == exchange), None)

    @property
    def publics(self) -> tuple[PublicKey, ...]:
        """The public keys of all servers and participants."""
        servers, participants = self.servers, self.participants
        return (
            *(server.public for server in servers),
            *(participant.public for participant in participants),
        )

    def role_of(self, public: PublicKey) -> Role | None:
        """The server whose key this is, if any."""
        return next((server.role for server in self.servers if server.public == public), None)

    def participant_of(self, public: PublicKey) -> ParticipantEntry | None:
        """The participant whose key this is, if any."""
        return next(
            (participant for participant in self.participants if participant.public == public), None
        )

    def knows(self, public: PublicKey) -> bool:
        """Return whether this is the key of a server or of a participant."""
        return self.role_of(public) is not None or self.participant_of(public) is not None


def _check_sizes(study: Study, top: TomlTable) -> None:
    """The rule must allow some sizes, and the decimals must be right for them.

    Without a limit of samples, they must be right for the fewest that the rule allows.
    """
    rule = study.rule
    least = max(rule.least_samples, rule.least_owners * rule.least_list)
    if rule.most_share * len(study.owners) < 1:
        raise top.fault(
            "rule.most_share",
            f"is {rule.most_share:g}, but among {len(study.owners)} owners somebody has more",
            "Raise it, or have more owners.",
        )
    if rule.most_samples and rule.most_samples < least:
        raise top.fault("rule.most_samples", f"is less than the {least} samples that are needed")
    try:
        check_bounds(study.options, [rule.most_samples or least])
    except BoundExceeded as error:
        raise top.fault("metrics.decimals", f"do not fit: {error.what}", error.advice) from None


def _check_schedule(study: Study, top: TomlTable) -> None:
    """A release must be one of its schedule's, and its id that of the agreement with the period."""
    if study.period and (
        not study.schedule.holds(study.period)
        or not study.id.endswith(f".{study.period}")
        or study.id == f".{study.period}"
    ):
        raise top.fault(
            "period",
            "names no release of this file",
            "Leave it out: every program makes the releases from the agreement by itself.",
        )
    if study.scheduled and len(study.id) > MOST_LETTERS_OF_AGREEMENT:
        raise top.fault(
            "id",
            f"has more than {MOST_LETTERS_OF_AGREEMENT} letters, beside which the name of a "
            "release finds no room",
        )
    if study.schedule.every and study.follows:
        raise top.fault(
            "follows",
            "is of a study with a schedule, to which no owners are added",
            "Agree on a new study, with a new id, from the next period on.",
        )


def _check_names(study: Study, top: TomlTable) -> None:
    """Check that no name stands twice; an owner is not named again as a receiver."""
    uploads: dict[str, bool] = {}
    for one in study.participants:
        if one.name not in uploads:
            uploads[one.name] = one.uploads
        elif uploads[one.name] != one.uploads:
            raise top.fault(
                "participants",
                f"names {one.name} as an owner and again as a receiver",
                f"Leave out the receiver {one.name}: an owner receives the result as well, where "
                "its own entry says receives = true, as it does unless told otherwise.",
            )
        else:
            raise top.fault("participants", f"holds one name twice, {one.name}")


def _check(study: Study, top: TomlTable) -> None:
    """Check the conditions between the tables of a study."""
    _check_names(study, top)
    halves = {half for public in study.publics for half in (public.exchange, public.signing)}
    if len(halves) != 2 * len(study.publics):
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
    most = study.options.pipeline.most_uploads
    if len(study.owners) > most:
        raise top.fault(
            "participants",
            f"has {len(study.owners)} that upload, and numbers of {most} can be added",
            "Ask for statistics of counts, for fewer groups, or let owners join their lists.",
        )
    for one in study.options.asked:
        if len(study.owners) < one.fewest_owners:
            raise top.fault(
                "metrics.names",
                f"asks for {one.text}, which is of at least {one.fewest_owners} owners, but only "
                f"{len(study.owners)} participants upload",
                "Leave it out, or have more owners.",
            )
    _check_sizes(study, top)
    _check_schedule(study, top)
    if not study.receivers:
        raise top.fault("participants", "names nobody who receives the result")
    for host in {server.host for server in study.servers}:
        ports = [
            port
            for server in study.servers
            if server.host == host
            for port in (server.port, *server.link_ports)
        ]
        if len(set(ports)) != len(ports):
            raise top.fault("servers", f"use one port of {host} twice")
