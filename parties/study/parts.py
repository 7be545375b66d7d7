"""What a study is made of besides its options: scores, rule, servers, participants."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.address import address_text
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.study.canonical import Content
from ppaurora.parties.study.public_keys import (
    public_text,
)
from ppaurora.protocols.lists.folds import TEXT, FoldRule

__all__ = ["FoldBy", "ParticipantEntry", "Rule", "Scores", "ServerEntry"]


@dataclass(frozen=True, slots=True)
class Scores:
    """The two labels as the lists write them.

    `against` is the column of the second scores, in a study that compares two; empty in others.
    """

    positive: str = "1"
    negative: str = "0"
    against: str = ""


@dataclass(frozen=True, slots=True)
class FoldBy:
    """By what records come into folds; how many folds there are is an option of the protocols.

    `column` holds the identifiers and `form` is how they are written. `key` is the commitment to
    the key that the owners share, or there are public `cuts` instead. A fold of fewer than `least`
    samples in all keeps the study from being computed.
    """

    column: str
    form: str = TEXT
    key: str = ""
    cuts: tuple[str, ...] = ()
    least: int = 10

    def content(self, count: int) -> Content:
        """So many folds as a plain table."""
        by: Content = {"cuts": list(self.cuts)} if self.cuts else {"key": self.key}
        return {
            "count": count,
            "by": self.column,
            "form": self.form,
            "least": self.least,
            **by,
        }

    def rule(self, count: int) -> FoldRule:
        """How records come into so many folds."""
        return FoldRule(count, self.form, self.cuts)


@dataclass(frozen=True, slots=True)
class Rule:
    """When the computation may start, and how long servers keep what they hold.

    A list shorter than `least_list`, or one with more than `most_share` of all samples, would make
    a result tell of few patients. `most_samples` are the most in all, 0 for no limit.
    """

    least_owners: int = 3
    least_samples: int = 100
    start: str = "complete"
    keep_days: float = 30.0
    least_list: int = 20
    most_share: float = 0.8
    most_samples: int = 0

    def content(self) -> Content:
        """The rule as a plain table."""
        return {
            "least_owners": self.least_owners,
            "least_samples": self.least_samples,
            "start": self.start,
            "keep_days": self.keep_days,
            "least_list": self.least_list,
            "most_share": self.most_share,
            "most_samples": self.most_samples,
        }


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One of the three servers: its key, its address for requests, its ports for computing.

    Each session that may run beside others has link ports of its own: those of the first session
    are listed first, then those of the second.
    """

    role: Role
    operator: str
    public: PublicKey
    host: str
    port: int
    link_ports: tuple[int, ...]

    @property
    def address(self) -> str:
        """Where it answers requests, as study.toml writes it."""
        return address_text(self.host, self.port)

    @property
    def slots(self) -> tuple[tuple[int, ...], ...]:
        """The link ports of each session that may run at once; the helper has no ports."""
        each = Role.HELPER - self.role
        return tuple(zip(*(self.link_ports[place::each] for place in range(each)), strict=True))

    def link_port(self, peer: Role, slot: int = 0) -> int:
        """The port on which this server waits for `peer` in that slot: the lower role waits."""
        return self.slots[slot][peer - self.role - 1]

    def content(self) -> Content:
        """The server as a plain table."""
        return {
            "operator": self.operator,
            "public_key": public_text(self.public),
            "address": self.address,
            "link_ports": list(self.link_ports),
        }


@dataclass(frozen=True, slots=True)
class ParticipantEntry:
    """Somebody who uploads a list, receives the result, or both."""

    name: str
    public: PublicKey
    uploads: bool = True
    receives: bool = True

    def content(self) -> Content:
        """The participant as a plain table."""
        return {
            "name": self.name,
            "public_key": public_text(self.public),
            "uploads": self.uploads,
            "receives": self.receives,
        }
