"""Reading the tables of a study.toml, strictly: nothing unknown, nothing of another type.

Each function takes its table out of the file's top table and returns the part of the study that is
written there; every fault names the file and the option.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from ppaurora.mpc.address import split_address
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.column import ExtraColumn, Extras, column_kinds, in_study
from ppaurora.parties.columns.keyed import HASH
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.study.parts import (
    TABLES,
    About,
    ParticipantEntry,
    Rule,
    Scores,
    ServerEntry,
)
from ppaurora.parties.study.public_keys import parse_public
from ppaurora.parties.study.schedule import Schedule
from ppaurora.parties.study.toml_table import TomlTable
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.option import Option, OptionSet
from ppaurora.protocols.options import Options

Kind = TypeVar("Kind", bound=OptionSet)

FORMAT = 1
MOST_LETTERS_OF_NAME = 64
NAME = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{MOST_LETTERS_OF_NAME - 1}}}")
MOST_SLOTS = 16
PORT_ADVICE = {
    Role.P0: "P0 waits for P1 on the first and for the helper on the second.",
    Role.P1: "P1 waits for the helper on it.",
    Role.HELPER: "The helper waits for nobody: leave link_ports out.",
}


def check_format(top: TomlTable) -> None:
    """Refuse a file of another version."""
    found = top.take("format", int)
    if found > FORMAT:
        what = f"is {found}, of a newer version of ppaurora; this one reads {FORMAT}"
        raise top.fault("format", what, "Install the version that the author of the study has.")
    if found != FORMAT:
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


def read_period(top: TomlTable) -> str:
    """The period of which this is the release; empty in every file that people write."""
    return top.take("period", str, "")


def read_options(top: TomlTable) -> tuple[About, Options, Scores, Extras, Rule, Schedule]:
    """The options of a study, from the tables in which they are declared to stand."""
    tables = {name: top.table(name, optional=name != "metrics") for name in TABLES}
    for table in tables.values():
        _refuse_older(table)
    options, scores = _read(Options, tables), _read(Scores, tables)
    about, rule = _read(About, tables), _read(Rule, tables)
    schedule = _read(Schedule, tables)
    declared = [_read(kind, tables) for kind in column_kinds().values()]
    for table in tables.values():
        table.finish()
    try:
        options.check_compared()
    except OptionRefused as error:
        raise _fault(Options, error, tables) from None
    for one in (kind.in_options(options) for kind in declared):
        try:
            one.check_study(options)
        except OptionRefused as error:
            raise _fault_of(type(one), error, tables) from None
    try:
        extra = in_study(declared, options)
    except OptionRefused as error:
        raise top.fault("columns", error.what.removeprefix("column "), error.advice) from None
    for one in extra:
        try:
            one.check_agreed()
        except OptionRefused as error:
            raise _fault_of(type(one), error, tables) from None
    return about, options, scores, extra, rule, schedule


def read_servers(top: TomlTable) -> tuple[ServerEntry, ...]:
    """The three servers, in the order of their roles."""
    table = top.table("servers")
    servers = tuple(_read_server(table.table(str(role)), role) for role in Role)
    table.finish()
    return servers


def read_participants(top: TomlTable) -> tuple[ParticipantEntry, ...]:
    """Everybody who uploads or receives, in the order of the file."""
    return tuple(_read_participant(table) for table in top.tables("participants"))


def _read(kind: type[Kind], tables: Mapping[str, TomlTable]) -> Kind:
    """Options of one kind; a fault names the file and the place."""
    try:
        return kind(
            **{name: _taken(tables[one.table], one) for name, one in kind.options().items()}
        )
    except OptionRefused as error:
        raise _fault(kind, error, tables) from None


def read_declared(kind: type[Kind], table: TomlTable) -> Kind:
    """Options of one kind that all stand in one table, which holds nothing else."""
    [name] = {one.table for one in kind.options().values()}
    _refuse_older(table)
    found = _read(kind, {name: table})
    table.finish()
    return found


OLDER = {
    ("scores", "code"): 'The range says which scores there may be: leave the line out for "unit", '
    'and write range = "any" for "real".',
    ("protocol", "mode"): "The resolution says whether scores are counted: leave the line out for "
    '"exact", and write resolution = "bins:4096" (or as many bins as you had) under [scores] for '
    '"grid".',
    ("protocol", "bins"): 'Write resolution = "bins:4096", or as many as you had, under [scores].',
    (
        "list",
        "against",
    ): 'Write columns = ["STUDY\'S NAME=YOUR NAME"]: the study names the columns of other '
    "scores, and this says what yours is called.",
}


def _refuse_older(table: TomlTable) -> None:
    """Refuse what older versions wrote, with the lines that take its place."""
    for (name, key), instead in OLDER.items():
        if table.place == name and table.holds(key):
            convert = "" if name == "list" else " `ppaurora study convert` writes a new file."
            raise table.fault(key, "is of an older version", f"{instead}{convert}")


def _taken(table: TomlTable, one: Option) -> object:
    """The value of an option in its table; one that may be a list or a word is read as it is."""
    if one.words:
        return table.take(one.key, object, one.default)
    if one.kind is tuple:
        return table.take_list(one.key, str, one.default)
    return table.take(one.key, one.kind, one.default)


def _fault(
    kind: type[OptionSet], error: OptionRefused, tables: Mapping[str, TomlTable]
) -> ConfigurationError:
    one = kind.options()[error.option]
    what = error.what.removeprefix(f"{error.option} ")
    return tables[one.table].fault(one.key, what, error.advice)


def _fault_of(
    kind: type[ExtraColumn], error: OptionRefused, tables: Mapping[str, TomlTable]
) -> ConfigurationError:
    one = kind.said(error)
    what = error.what.removeprefix(f"{error.option} ")
    return tables[one.table].fault(one.key, what, error.advice)


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
