"""`ppaurora statistics`: what can be asked for, and how."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ppaurora.parties.commands.options import Format, FormatOption
from ppaurora.parties.reports.console import out, table_of
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.parameters import hint, parameter, parameters
from ppaurora.protocols.statistics.registry import AnyStatistic, statistics


def statistics_command(
    name: Annotated[str, typer.Argument(help="One statistic, to see its parameters.")] = "",
    format: FormatOption = Format.table,
) -> None:
    """List the analyses and the statistics: name, meaning, and by which others know them."""
    known = statistics()
    if name and name not in known:
        raise OptionRefused("NAME", f'is "{name}", no statistic', advice=hint(name, known).strip())
    chosen = [known[name]] if name else list(known.values())
    if format is Format.json:
        out().print_json(json.dumps([described(one) for one in chosen]))
        return
    if not name:
        asked = table_of("analysis", "question", "beside scores and labels it needs")
        for analysis in analyses().values():
            asked.add_row(analysis.name, analysis.title, analysis.needs or "nothing")
        out().print(asked)
    table = table_of("name", "releases", "what it is", "known as")
    for one in chosen:
        table.add_row(one.usage(), str(one.kind), one.title, one.known_as)
    out().print(table)
    for one in chosen if name else ():
        for key, field in parameters(one).items():
            kind = parameter(field)
            out().print(f"  {key}: {kind.accepts}; {kind.help}")
        out().print(f"  undefined where {one.undefined}")


def described(one: type[AnyStatistic]) -> dict[str, object]:
    """A statistic for programs."""
    return {
        "name": one.name,
        "aliases": list(one.aliases),
        "usage": one.usage(),
        "kind": str(one.kind),
        "title": one.title,
        "known_as": one.known_as,
        "undefined": one.undefined,
        "parameters": {
            key: {"accepts": parameter(field).accepts, "help": parameter(field).help}
            for key, field in parameters(one).items()
        },
    }
