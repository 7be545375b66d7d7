"""`ppaurora plan`: a study before there is data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import typer

from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import Format, FormatOption, is_named
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.planning.sample_size import Expected
from ppaurora.parties.planning.study_plan import StudyPlan
from ppaurora.parties.reports.console import out, table_of
from ppaurora.parties.study.parts import Rule
from ppaurora.protocols.analyses.validation import Validation
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions

MICROSECONDS = {"us": 1, "ms": 1000, "s": 1_000_000}
MEGABITS = {"Mbit": 1, "Gbit": 1000}


@with_declared_options()
def plan(
    context: typer.Context,
    auroc: Annotated[float, typer.Option(help="The AUROC that is expected.")],
    prevalence: Annotated[float, typer.Option(help="The share of positives, such as 0.1.")],
    options: Options,
    width: Annotated[
        float | None, typer.Option(help="The full width of the AUROC's interval: how many samples?")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(help="The samples in all: which width?", min=2)
    ] = None,
    level: Annotated[float, typer.Option(help="The level of all intervals.")] = 0.95,
    sensitivity: Annotated[
        float, typer.Option(help="The one that is expected; 0.5 has the widest interval.")
    ] = 0.5,
    specificity: Annotated[
        float, typer.Option(help="The one that is expected; 0.5 has the widest interval.")
    ] = 0.5,
    owners: Annotated[
        int, typer.Option(help="The data owners, over whom the samples are spread evenly.", min=2)
    ] = 8,
    rtt: Annotated[
        str, typer.Option(help="The round trip between the servers, such as 200us or 10ms.")
    ] = "10ms",
    bandwidth: Annotated[
        str, typer.Option(help="What one server may send in a second: 100Mbit or 1Gbit.")
    ] = "1Gbit",
    format: FormatOption = Format.table,
) -> None:
    """Tell how many samples a study needs, what it costs and what it tells, before there is data.

    Nothing is read and nobody is asked. The study is of the analysis validation, unless another
    analysis or metrics are named.
    """
    expected = Expected(auroc, prevalence, level, sensitivity, specificity)
    if width is not None and samples is None:
        samples = expected.least_samples(width)
    elif samples is None or width is not None:
        raise ConfigurationError(
            "Either a width or a number of samples has to be given",
            advice="Say --width 0.1 to learn how many samples it needs, or --samples 2000 to learn "
            "the width.",
        )
    if not options.analysis and not is_named(context, "metric"):
        options = replace(options, analysis=Validation.name, metrics=())
    options = replace(options, conditions=_conditions(rtt, bandwidth))
    found = StudyPlan.of(expected, options, samples, owners)
    if format is Format.json:
        out().print_json(json.dumps(found.to_json()))
    else:
        _show(found, options, f"{rtt} and {bandwidth}/s")


def _conditions(rtt: str, bandwidth: str) -> Conditions:
    try:
        return Conditions(
            _whole(rtt, MICROSECONDS, "--rtt 10ms"),
            _whole(bandwidth, MEGABITS, "--bandwidth 1Gbit"),
        )
    except ValueError as error:
        raise ConfigurationError(
            f"{rtt} and {bandwidth} are no network: {error}",
            advice="A round trip takes 60s at most, and a server sends 1Mbit to 1000Gbit a second.",
        ) from None


def _whole(text: str, units: Mapping[str, int], like: str) -> int:
    """A number with one of these units, in the smallest, rounded."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([A-Za-z]+)", text)
    if found is None or found[2] not in units:
        raise ConfigurationError(
            f'"{text}" is no number with a unit out of {", ".join(units)}',
            advice=f"Say for example {like}.",
        )
    return round(float(found[1]) * units[found[2]])


def _show(plan: StudyPlan, options: Options, network: str) -> None:
    console, rule, usual = out(), plan.rule, Rule()
    each = " or ".join(map(str, sorted({*plan.sizes})))
    console.print(
        f"{plan.samples} samples ({plan.positives} positive) of {len(plan.sizes)} owners, "
        f"{each} of each"
    )
    table = table_of("number", "expected", f"width of its {100 * plan.level:g}% interval", "by")
    for one in plan.widths:
        table.add_row(one.number, f"{one.value:g}", f"{one.width:.3g}", one.by)
    console.print(table)
    sort = f"sort {plan.merge}" if plan.merge else "no sort"
    bound = "at least" if options.covert else "about"
    console.print(
        f"  cost        {sort}: {plan.hops} hops, {plan.payload / 1e6:.1f} MB in all, {bound} "
        f"{plan.seconds:.1f} s at {network}; up to about {plan.memory / 1e6:.0f} MB of memory a "
        "server"
    )
    for text in plan.told:
        console.print(f"  receivers   learn {text}")
    if plan.summary:
        console.print(f"  note        {plan.summary}")
    if rule.least_list < usual.least_list:
        console.print(
            f"  note        A list of fewer than {usual.least_list} samples tells of few patients."
        )
    console.print(
        f"  a study     `study new` with --least-owners {rule.least_owners} --least-samples "
        f"{rule.least_samples} --least-list {rule.least_list}"
    )
