"""The items of two reporting guidelines that a report answers, with the answers.

TRIPOD+AI (Collins and others, BMJ 2024) is for prediction models, STARD-AI (Sounderajah and others,
Nature Medicine 2025) for diagnostic accuracy. An item is listed if a result says something about
it; all others are the authors' to answer. STARD-AI has numbers of its own for what it takes over
from STARD 2015 (Bossuyt and others, BMJ 2015); both are given.
"""

from __future__ import annotations

from ppaurora.parties.reports.curves import shape_of
from ppaurora.parties.reports.model import NOT_RELEASED, Paragraph, Section, Sheet
from ppaurora.parties.reports.names import label
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.section_owners import counted, left_out
from ppaurora.parties.reports.section_statistics import class_counts
from ppaurora.protocols.release.values import Interval, Table


def guidelines_section(saved: SavedResult) -> Section:
    """The items with what this report says to each."""
    lead = Paragraph(
        "These items can be answered from this report alone, in whole or in part. All other items "
        "are for the authors. Under STARD-AI, the number in brackets is that of the same item of "
        "STARD 2015."
    )
    columns = ("Item", "Asks for", "This report says")
    return Section(
        "guidelines",
        "TRIPOD+AI and STARD-AI",
        (
            lead,
            Sheet("tripod-ai", "Items of TRIPOD+AI", columns, _tripod(saved)),
            Sheet("stard-ai", "Items of STARD-AI", columns, _stard(saved)),
        ),
    )


def _tripod(saved: SavedResult) -> tuple[tuple[str, str, str], ...]:
    return (
        ("5a", "sources of data", _sources(saved)),
        ("6a", "number of centres", f"{len(counted(saved))} owners of lists"),
        ("7", "checks of data quality", _checks(saved)),
        ("10", "size of the study", f"{saved.samples} samples in all"),
        ("11", "missing data, data that were left out", _left_out(saved)),
        ("12d, 23b", "differences between centres", _apart()),
        ("12e", "measures and plots of performance", f"{_measures(saved)}; see Results"),
        ("15", "output of the model", _output(saved)),
        ("18e", "availability of the data", _data(saved)),
        ("18f", "availability of the code", _code(saved)),
        ("20a", "flow of participants; numbers with and without the outcome", _flow(saved)),
        ("21", "participants and outcome events in the analysis", _flow(saved)),
        ("23a", "performance with confidence intervals", _performance(saved)),
    )


def _stard(saved: SavedResult) -> tuple[tuple[str, str, str], ...]:
    return (
        ("9 (8)", "where participants were identified", _sources(saved)),
        ("11", "source of the data", _sources(saved)),
        ("15a (10a)", "index test", _output(saved)),
        ("18 (14)", "methods of estimating accuracy", f"{_measures(saved)}; see Results"),
        ("19, 20 (15, 16)", "indeterminate and missing results", _left_out(saved)),
        ("21 (17)", "variability of accuracy", _apart()),
        (
            "22 (18)",
            "sample size",
            f"{saved.samples} samples in all; the intended: {_least(saved)}",
        ),
        ("24 (19)", "flow of participants", _flow(saved)),
        ("30 (23)", "cross tabulation with the reference standard", _cross_table(saved)),
        ("31 (24)", "accuracy and its precision", _performance(saved)),
        ("37 (29)", "study protocol", f"study {saved.id}, hash {saved.hash}"),
        ("40a", "availability of data and code", f"{_data(saved)}; {_code(saved)}"),
        ("40b", "whether outputs can be audited", _auditable(saved)),
    )


def _sources(saved: SavedResult) -> str:
    return f"one list from each of {', '.join(counted(saved)) or 'no owner'}; see Owners"


def _checks(saved: SavedResult) -> str:
    refused = ", ".join(saved.refused) or "none"
    return f"each list was checked privately to be sound; refused: {refused}"


def _left_out(saved: SavedResult) -> str:
    owners = ", ".join([*saved.missing, *saved.refused]) or "none"
    rows = left_out(saved)
    told = (
        "rows without a score or a label were left out by their owner, or their list was refused "
        "before it was sent"
        if rows is None
        else f"rows without a score or a label that were left out: {rows}"
    )
    return f"owners not in the result: {owners}; {told}"


def _measures(saved: SavedResult) -> str:
    return ", ".join(label(name, value) for name, value in saved.values.items())


def _output(saved: SavedResult) -> str:
    higher = saved.option("scores", "direction")
    return f"a score; {higher} scores speak for the positive class"


def _data(saved: SavedResult) -> str:
    return "no score and no label left its owner but in two random shares; nothing to be had here"


def _code(saved: SavedResult) -> str:
    return f"ppaurora {saved.software}, Apache License 2.0"


def _apart() -> str:
    return f"{NOT_RELEASED}: all lists were computed together as one"


def _least(saved: SavedResult) -> str:
    return f"at least {saved.option('rule', 'least_samples')}"


def _auditable(saved: SavedResult) -> str:
    return (
        f"the result document holds all released numbers, under session {saved.session}; its "
        "SHA-256 stands in this report, which can be made again from it"
    )


def _flow(saved: SavedResult) -> str:
    counts = class_counts(saved)
    with_outcome = f"{counts[0]} and {counts[1]}" if counts else NOT_RELEASED
    return (
        f"{saved.samples} samples of {len(counted(saved))} owners; with and without the outcome: "
        f"{with_outcome}"
    )


def _performance(saved: SavedResult) -> str:
    with_limits = [
        label(name, one) for name, one in saved.values.items() if isinstance(one, Interval)
    ]
    curves = [
        label(name)
        for name, one in saved.values.items()
        if isinstance(one, Table) and shape_of(one)
    ]
    return (
        f"estimates: {_measures(saved)}; "
        f"intervals: {', '.join(with_limits) or NOT_RELEASED}; "
        f"curves: {', '.join(curves) or NOT_RELEASED}"
    )


def _cross_table(saved: SavedResult) -> str:
    tables = [
        name
        for name, one in saved.values.items()
        if isinstance(one, Table) and {"tp", "fp", "fn", "tn"} <= set(one.columns)
    ]
    return ", ".join(tables) or NOT_RELEASED
