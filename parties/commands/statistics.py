"""`ppaurora statistics`: what can be asked for, and how."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import Annotated

import typer

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.options import Format, FormatOption
from ppaurora.parties.reports.console import out
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.statistics.parameters import parameter, parameters
from ppaurora.protocols.statistics.registry import AnyStatistic, kind_of, statistics
from ppaurora.protocols.statistics.statistic import Topic

WIDEST = 110
"""A terminal may be wider than lines are read."""


def statistics_command(
    name: Annotated[str, typer.Argument(help="One statistic, to see its parameters.")] = "",
    format: FormatOption = Format.table,
) -> None:
    """List the analyses and the statistics by the questions that they answer."""
    known = statistics()
    chosen = [kind_of(name)] if name else list(known.values())
    if format is Format.json:
        out().print_json(json.dumps([described(one) for one in chosen]))
        return
    if name:
        _show(chosen[0])
        return
    width = max(map(len, known)) + 2
    _tell_title("Analyses (--analysis NAME)")
    for analysis in analyses().values():
        _tell(analysis.name, analysis.title, width)
        if analysis.needs:
            _tell("", f"needs {analysis.needs}", width)
    for topic in Topic:
        _tell_title(f"{topic} (--metric NAME)")
        for one in chosen:
            if one.topic is topic:
                _tell(one.name, one.title, width)
    out().print(f"\n`{PROGRAM} statistics NAME` says what a statistic is, and its parameters.")


def _tell_title(title: str) -> None:
    out().print(f"\n{title}", style="bold", highlight=False)


def _tell(name: str, title: str, width: int) -> None:
    """A name, which is never broken, and beside it the title, in as many lines as it needs."""
    room = max(20, min(out().width, WIDEST) - width - 2)
    for line in wrap(title, room):
        out().print(f"  {name:<{width}}{line}", highlight=False, markup=False, overflow="ignore")
        name = ""


def _show(one: type[AnyStatistic]) -> None:
    for line in (one.usage(), *wrap(f"{one.title}.", out().width)):
        out().print(line, highlight=False, markup=False, soft_wrap=True)
    out().print(f"Known as {one.known_as}.", highlight=False, markup=False)
    out().print(f"Releases: {one.kind}. Undefined where {one.undefined}.", highlight=False)
    for key, field in parameters(one).items():
        kind = parameter(field)
        out().print(f"  {key}: {kind.accepts}; {kind.help}", highlight=False, markup=False)


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
