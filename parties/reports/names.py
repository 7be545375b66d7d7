"""Names of statistics for readers: as a results section writes them."""

from __future__ import annotations

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.release.values import Interval, Released
from ppaurora.protocols.statistics.in_group import SIGN
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic

BOUNDS = "certified bounds"
IN_THE_TABLE = ("level", "at", "points", "bins", "k", "recall", "at_specificity", "at_sensitivity")
"""Parameters that the numbers themselves show."""
HEADINGS = {
    "fpr": "False positive rate",
    "tpr": "True positive rate",
    "tp": "True positives",
    "fp": "False positives",
    "fn": "False negatives",
    "tn": "True negatives",
    "ppv": "Positive predictive value",
    "npv": "Negative predictive value",
    "mcc": "Matthews correlation",
    "auroc": "AUROC",
}
"""Columns of tables whose names are abbreviations."""


def known(name: str) -> AnyStatistic | None:
    """The statistic that a text asks for; None if this version does not know it."""
    try:
        return statistic(name)
    except OptionRefused:
        return None


def label(name: str, value: Released | None = None) -> str:
    """The statistic's name for people; the text itself where this version does not know it.

    >>> label("auroc"), label("pauc:max_fpr=0.1")
    ('AUROC', 'Partial AUROC (max_fpr=0.1)')
    >>> label("auroc@female")
    'AUROC, female'
    """
    of, sign, group = name.partition(SIGN)
    if sign:
        return f"{label(of, value)}, {group}"
    one = known(name)
    if one is None:
        return name
    short = one.short or one.title.partition(",")[0]
    told = [part for part in name.partition(":")[2].split(",") if part]
    if isinstance(value, Interval):
        # limits without a level are no confidence limits
        told = [f"{float(100 * one.level):g}% CI" if hasattr(one, "level") else BOUNDS, *told]
    told = [part for part in told if part.partition("=")[0] not in IN_THE_TABLE]
    return f"{short[0].upper()}{short[1:]}" + (f" ({', '.join(told)})" if told else "")


def heading(column: str) -> str:
    """A column of a released table, by its name for people.

    >>> heading("fpr"), heading("net_benefit")
    ('False positive rate', 'Net benefit')
    """
    plain = column.replace("_", " ")
    return HEADINGS.get(column) or plain[:1].upper() + plain[1:]
