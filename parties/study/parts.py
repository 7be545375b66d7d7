"""The parts of a study: scores, folds, rule, servers, participants; and its declared options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ppaurora.mpc.address import address_text
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.column import column_kinds
from ppaurora.parties.study.canonical import Content, Value
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.schedule import Schedule
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.option import Option, OptionSet, option
from ppaurora.protocols.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores(OptionSet):
    """The two labels as the lists write them.

    >>> Scores(positive="sick", negative="well").positive
    'sick'
    """

    positive: str = option("1", "the label of the positive class", table="scores")
    negative: str = option("0", "the label of the negative class", table="scores")

    def check(self) -> None:
        """Refuse labels that no list could have."""
        for name in ("positive", "negative"):
            object.__setattr__(self, name, getattr(self, name).strip())
        if not self.positive or not self.negative or self.positive == self.negative:
            raise OptionRefused("positive", "and negative must be two different words")


def _said(name: str) -> Callable[[OptionSet], bool]:
    return lambda options: bool(getattr(options, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class About(OptionSet):
    """The subject of the study, in words for the reader of its report.

    >>> About(model="sepsis score, version 2").model
    'sepsis score, version 2'
    """

    author: str = option("", "who asks", table="about", applies=_said("author"))
    model: str = option(
        "", "the model whose scores these are", table="about", applies=_said("model")
    )
    population: str = option(
        "", "whose scores these are, and since when", table="about", applies=_said("population")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(OptionSet):
    """The conditions of a start of the computation, and the days for which servers keep data.

    A list shorter than `least_list`, or one with more than `most_share` of all samples, would make
    a result tell of few patients. `most_samples` are the most in all, 0 for no limit.
    """

    least_owners: int = option(3, "fewest owners to compute with", table="rule", least=1)
    least_samples: int = option(100, "fewest samples in all", table="rule", least=1)
    start: str = option(
        "complete",
        "when the computation starts",
        table="rule",
        choices=("complete", "request"),
        detail="complete: when all have uploaded; request: when somebody asks for it",
    )
    keep_days: float = option(
        30.0, "days after which servers delete what is left", table="rule", above=0, most=3650
    )
    least_list: int = option(20, "fewest samples of one owner", table="rule", least=1)
    most_share: float = option(
        0.8,
        "the largest part of all samples that one owner may have",
        table="rule",
        above=0,
        most=1,
    )
    most_samples: int = option(
        0,
        "most samples in all, for which the decimals must be right; 0: any",
        table="rule",
        least=0,
    )


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
        """The address of its request port, as study.toml writes it."""
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


OPTION_SETS: tuple[type[OptionSet], ...] = (
    About,
    Scores,
    Options,
    *column_kinds().values(),
    Rule,
    Schedule,
)
TABLES = tuple(dict.fromkeys(one.table for kind in OPTION_SETS for one in kind.options().values()))
"""The tables in which options stand, in the order of the file."""


def chosen_by_table(parts: Iterable[OptionSet]) -> dict[str, list[tuple[Option, Value]]]:
    """The options that have a meaning, with their values, table by table."""
    chosen = [pair for part in parts for pair in part.chosen]
    tables = {name: [pair for pair in chosen if pair[0].table == name] for name in TABLES}
    return {name: pairs for name, pairs in tables.items() if pairs}


def content_of_options(parts: Iterable[OptionSet]) -> dict[str, Content]:
    """The options as plain nested tables, as a study file has them."""
    return {
        table: {one.key: value for one, value in chosen}
        for table, chosen in chosen_by_table(parts).items()
    }
