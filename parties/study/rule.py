"""The study's rule: when the computation may start, and with which uploads."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.parties.requests.messages import Holding
from ppaurora.parties.study.study import Study

__all__ = ["common_roster", "too_few", "waits_for"]


def common_roster(mine: Sequence[Holding], theirs: Sequence[Holding]) -> tuple[Holding, ...]:
    """The uploads that both proxies hold; what only one of them holds never counts."""
    both = set(theirs)
    return tuple(sorted((one for one in mine if one in both), key=lambda one: one.owner))


def too_few(study: Study, owners: int, samples: int) -> str:
    """Which least number is not reached; empty when all are."""
    rule = study.rule
    if owners < rule.least_owners:
        return f"{owners} of at least {rule.least_owners} owners have uploaded"
    if samples < rule.least_samples:
        return f"{samples} of at least {rule.least_samples} samples are there"
    return ""


def waits_for(study: Study, roster: Sequence[Holding], asked: bool) -> str:
    """What the computation waits for; empty when it may start."""
    missing = too_few(study, len(roster), sum(one.samples for one in roster))
    if missing or asked:
        return missing
    if study.rule.start == "request":
        return "somebody has to ask for it: `ppaurora compute`"
    absent = len(study.owners) - len(roster)
    if absent:
        return f"{absent} of {len(study.owners)} owners have not uploaded yet"
    return ""
