"""Names of statistics for readers: as a results section writes them."""

from __future__ import annotations

from collections.abc import Mapping

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
    >>> label("auroc_groups@male@female")
    'Difference of AUROCs between groups, male less female'
    """
    of, *groups = name.split(SIGN)
    if groups:
        return f"{label(of, value)}, {' less '.join(groups)}"
    one = known(name)
    if one is None:
        return name
    short = one.short or one.title.partition(",")[0]
    told = [part for part in name.partition(":")[2].split(",") if part]
    if isinstance(value, Interval):
        # limits without a level are no confidence limits
        told = [confidence(name) or BOUNDS, *told]
    told = [part for part in told if part.partition("=")[0] not in IN_THE_TABLE]
    told = [part for part in told if part]
    return f"{short[0].upper()}{short[1:]}" + (f" ({', '.join(told)})" if told else "")


def once(values: Mapping[str, Released]) -> dict[str, Released]:
    """The values, of a statistic in all samples and in groups only that of all samples.

    Of one that compares groups the first pair's, under the name without groups.

    >>> one = Interval("0.5", "0.4", "0.6")
    >>> [*once({"auroc": one, "auroc@a": one, "auroc_groups@b@a": one})]
    ['auroc', 'auroc_groups']
    """
    found: dict[str, Released] = {}
    for name, value in values.items():
        of, *groups = name.split(SIGN)
        if len(groups) != 1:
            found.setdefault(of, value)
    return found


def confidence(name: str) -> str | None:
    """The level of the limits that a text asks for, as it stands beside them.

    >>> confidence("auroc_ci"), confidence("ppv:at=0.5")
    ('95% CI', None)
    """
    level = getattr(known(name), "level", None)
    return None if level is None else f"{float(100 * level):g}% CI"


def heading(column: str) -> str:
    """A column of a released table, by its name for people.

    >>> heading("fpr"), heading("net_benefit"), heading("ppv (95% CI)")
    ('False positive rate', 'Net benefit', 'Positive predictive value (95% CI)')
    """
    name, sign, beside = column.partition(" (")
    plain = name.replace("_", " ")
    return (HEADINGS.get(name) or plain[:1].upper() + plain[1:]) + sign + beside
