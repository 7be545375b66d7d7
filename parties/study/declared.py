"""The declared options of a study, table by table as study.toml has them."""

from __future__ import annotations

from collections.abc import Iterable

from ppaurora.parties.study.canonical import Content, Value
from ppaurora.parties.study.parts import FoldBy, Rule, Scores
from ppaurora.protocols.option import Option, OptionSet
from ppaurora.protocols.options import Options

__all__ = ["OPTION_SETS", "TABLES", "chosen_by_table", "content_of_options"]

OPTION_SETS: tuple[type[OptionSet], ...] = (Scores, Options, FoldBy, Rule)
TABLES = tuple(dict.fromkeys(one.table for kind in OPTION_SETS for one in kind.options().values()))
"""The tables in which options stand, in the order of the file."""


def chosen_by_table(parts: Iterable[OptionSet]) -> dict[str, list[tuple[Option, Value]]]:
    """The options that have a meaning, with their values, table by table."""
    chosen = [pair for part in parts for pair in part.chosen]
    tables = {name: [pair for pair in chosen if pair[0].table == name] for name in TABLES}
    return {name: pairs for name, pairs in tables.items() if pairs}


def content_of_options(parts: Iterable[OptionSet]) -> dict[str, Content]:
    """The same as plain nested tables."""
    return {
        table: {one.key: value for one, value in chosen}
        for table, chosen in chosen_by_table(parts).items()
    }
