"""Reading the tables of a study.toml, strictly: nothing unknown, nothing of another type.

Each function takes its table out of the file's top table and returns the part of the study that is
written there; every fault names the file and the option.
"""

from __future__ import annotations

import re

from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.study.address import split_address
from ppaurora.parties.study.parts import (
    FoldBy,
    ParticipantEntry,
    Rule,
    Scores,
    ServerEntry,
)
from ppaurora.parties.study.public_keys import (
    parse_public,
)
from ppaurora.parties.study.toml_table import TomlTable
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.encoding import CODES, DIRECTIONS
from ppaurora.protocols.lists.folds import CUT_FORMS, FORMS, fits
from ppaurora.protocols.options import Options

__all__ = [
    "FORMAT",
    "check_format",
    "read_follows",
    "read_name",
    "read_options",
    "read_participants",
    "read_rule",
    "read_servers",
]

FORMAT = 1
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
HASH = re.compile(r"[0-9a-f]{64}")
STARTS = ("complete", "request")
MOST_SLOTS = 16
PORT_ADVICE = {
    Role.P0: "P0 waits for P1 on the first and for the helper on the second.",
    Role.P1: "P1 waits for the helper on it.",
    Role.HELPER: "The helper waits for nobody: leave link_ports out.",
}


def check_format(top: TomlTable) -> None:
    """Refuse a file of another version."""
    if top.take("format", int) != FORMAT:
        raise top.fault("format", f"must be {FORMAT}: this program reads no other version")


def read_name(table: TomlTable, key: str) -> str:
    """The short name at `key`, of a study or of a participant."""
    name = table.take(key, str)
    if not NAME.fullmatch(name):
        raise table.fault(
            key, "must be a short name", "Use small letters, digits, dots, dashes: at most 64."
        )
    return name


def read_follows(top: TomlTable) -> str:
    """The hash of the version that this one follows, empty if it is the first."""
    follows = top.take("follows", str, "")
    if follows and not HASH.fullmatch(follows):
        raise top.fault(
            "follows",
            "must be the 64 hexadecimal digits of a study's hash",
            "`ppaurora study check FILE` prints the hash of the version before.",
        )
    return follows


def read_options(top: TomlTable) -> tuple[Options, Scores, FoldBy | None]:
    """The options of the protocols, from four tables, and how the lists are to be read."""
    folds, fold_by = _read_folds(top)
    code, direction, scores = _read_scores(top.table("scores", optional=True))
    metrics, protocol = top.table("metrics"), top.table("protocol", optional=True)
    usual = Options()
    names = tuple(metrics.take_list("names", str))
    decimals = metrics.take("decimals", int, usual.decimals)
    metrics.finish()
    merge = protocol.take("merge", str, usual.merge)
    delta = protocol.take("delta", int, usual.delta)
    ties = protocol.take("ties", str, usual.ties)
    mode = protocol.take("mode", str, usual.mode)
    bins = protocol.take("bins", int, usual.bins)
    assurance = protocol.take("assurance", str, usual.assurance)
    dealings = protocol.take("dealings", int, usual.dealings)
    protocol.finish()
    try:
        options = Options(
            names, decimals, merge, delta, ties, code, mode, bins,
            folds=folds, assurance=assurance, dealings=dealings, direction=direction,
        )  # fmt: skip
    except OptionRefused as error:
        raise top.fault(
            "metrics or protocol", f"cannot be used: {error.what}", error.advice
        ) from None
    return options, scores, fold_by


def read_rule(top: TomlTable) -> Rule:
    """When the computation may start."""
    table = top.table("rule", optional=True)
    usual = Rule()
    rule = Rule(
        least_owners=table.take("least_owners", int, usual.least_owners),
        least_samples=table.take("least_samples", int, usual.least_samples),
        start=_choice(table, "start", STARTS, usual.start),
        keep_days=table.take("keep_days", float, usual.keep_days),
        least_list=table.take("least_list", int, usual.least_list),
        most_share=table.take("most_share", float, usual.most_share),
        most_samples=table.take("most_samples", int, usual.most_samples),
    )
    table.finish()
    for name in ("least_owners", "least_samples", "least_list"):
        if getattr(rule, name) < 1:
            raise table.fault(name, "must be at least 1")
    if not 0 < rule.most_share <= 1:
        raise table.fault("most_share", "must be more than 0 and at most 1")
    if rule.most_samples < 0:
        raise table.fault("most_samples", "must be a number of samples, or 0 for no limit")
    if not 0 < rule.keep_days <= 3650:
        raise table.fault("keep_days", "must be more than 0 and at most 3650")
    return rule


def read_servers(top: TomlTable) -> tuple[ServerEntry, ...]:
    """The three servers, in the order of their roles."""
    table = top.table("servers")
    servers = tuple(_read_server(table.table(str(role)), role) for role in Role)
    table.finish()
    return servers


def read_participants(top: TomlTable) -> tuple[ParticipantEntry, ...]:
    """Everybody who uploads or receives, in the order of the file."""
    return tuple(_read_participant(one) for one in top.tables("participants"))


def _choice(table: TomlTable, key: str, allowed: tuple[str, ...], default: str) -> str:
    value = table.take(key, str, default)
    if value not in allowed:
        listing = " or ".join(f'"{one}"' for one in allowed)
        raise table.fault(key, f"must be {listing}")
    return value


def _read_scores(table: TomlTable) -> tuple[str, str, Scores]:
    """Code and direction of the scores, and how the lists are to be read."""
    usual = Scores()
    code = _choice(table, "code", tuple(CODES), Options().code)
    direction = _choice(table, "direction", DIRECTIONS, Options().direction)
    scores = Scores(
        positive=table.take("positive", str, usual.positive).strip(),
        negative=table.take("negative", str, usual.negative).strip(),
        against=table.take("against", str, usual.against).strip(),
    )
    table.finish()
    if not scores.positive or not scores.negative or scores.positive == scores.negative:
        raise table.fault("positive", "and scores.negative must be two different words")
    return code, direction, scores


def _read_folds(top: TomlTable) -> tuple[int, FoldBy | None]:
    """How many folds there are, and by what; none where the table is missing."""
    table = top.table("folds", optional=True)
    count = table.take("count", int, 0)
    if not count:
        table.finish()
        return 0, None
    by = FoldBy(
        column=table.take("by", str).strip(),
        form=_choice(table, "form", tuple(FORMS), FoldBy("").form),
        key=table.take("key", str, ""),
        cuts=tuple(table.take_list("cuts", str, ())),
        least=table.take("least", int, FoldBy("").least),
    )
    table.finish()
    if not by.column:
        raise table.fault("by", "must name the column of the identifiers")
    if by.least < 0:
        raise table.fault("least", "must be a number of samples, or 0 for no limit")
    if bool(by.key) == bool(by.cuts):
        raise table.fault(
            "key",
            "or folds.cuts must be there, and not both",
            "Write the line that `ppaurora folds key` prints, or public cut points.",
        )
    if by.key and not HASH.fullmatch(by.key):
        raise table.fault(
            "key",
            "must be the 64 hexadecimal digits that stand for the owners' key",
            "Write the line that `ppaurora folds key` prints, never the key itself.",
        )
    if by.cuts and not fits(by.cuts, by.form, count):
        raise table.fault(
            "cuts",
            f"must be {count - 1} rising points, one fewer than folds, of the form "
            f"{' or '.join(CUT_FORMS)}",
        )
    return count, by


def _read_server(table: TomlTable, role: Role) -> ServerEntry:
    address = split_address(table.take("address", str))
    if address is None:
        raise table.fault("address", 'must read "host:port"', 'For example "p0.example.org:7100".')
    ports = tuple(table.take_list("link_ports", int, () if role is Role.HELPER else None))
    each = Role.HELPER - role
    wrong = len(ports) % each or not each <= len(ports) <= MOST_SLOTS * each if each else ports
    if wrong or any(not 0 < port < 65536 for port in ports):
        raise table.fault(
            "link_ports",
            f"must list {each} ports" + " for each session that may run at once" * bool(each),
            PORT_ADVICE[role],
        )
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


def _read_participant(table: TomlTable) -> ParticipantEntry:
    one = ParticipantEntry(
        name=read_name(table, "name"),
        public=_public_key(table),
        uploads=table.take("uploads", bool, True),
        receives=table.take("receives", bool, True),
    )
    table.finish()
    return one


def _public_key(table: TomlTable) -> PublicKey:
    text = table.take("public_key", str)
    try:
        return parse_public(text)
    except KeyFault as fault:
        raise table.fault("public_key", f"is not a key: {fault.what}", fault.advice) from None
