"""The published schema of a result document, for those who read it by program."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.study.parts import OPTION_SETS, TABLES


def result_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) that every saved result keeps.

    >>> result_schema()["title"]
    'ppAURORA result, version 4'
    """
    text = (files("ppaurora.parties.reports") / "result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    options = schema["properties"]["options"]
    options["properties"] = {table: _table(table) for table in TABLES}
    options["required"] = [table for table in TABLES if table in _in_every_study()]
    return schema


def _table(name: str) -> dict[str, Any]:
    """The schema of one table of options; required are those that have a meaning in every study."""
    declared = {
        option.key: option
        for kind in OPTION_SETS
        for option in kind.options().values()
        if option.table == name
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key for key, one in declared.items() if one.everywhere],
        "properties": {key: one.schema for key, one in declared.items()},
    }


def _in_every_study() -> set[str]:
    """The tables with options that have a meaning in every study; other columns are in some."""
    return {
        option.table
        for kind in OPTION_SETS
        if not issubclass(kind, ExtraColumn)
        for option in kind.options().values()
        if option.everywhere
    }
