"""The study's rule: when the computation may start, and with which uploads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ppaurora.parties.study.study import Study


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """One stored upload: whose it is, its name, its number of samples, and of each fold's."""

    owner: str
    upload: bytes
    samples: int
    folds: tuple[int, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its lists."""
        return self.folds or (self.samples,)


def common_roster(
    mine: Sequence[StoredUpload], *theirs: Sequence[StoredUpload]
) -> tuple[StoredUpload, ...]:
    """The uploads that every server holds; what one of them does not hold never counts."""
    everywhere = set(mine).intersection(*theirs)
    return tuple(sorted(everywhere, key=lambda one: one.owner))


def absent(study: Study, present: Iterable[str]) -> list[str]:
    """The owners of the study who are not among these, in the study's order."""
    there = set(present)
    return [owner.name for owner in study.owners if owner.name not in there]


def sizes_refused(study: Study, sizes: Mapping[str, int]) -> str:
    """The reason why lists of these sizes may not be computed; empty if they may.

    The last two rules are of dominance: a result over one long list and a short one would tell the
    owner of the long list about the short one.
    """
    rule, samples = study.rule, sum(sizes.values())
    if len(sizes) < rule.least_owners:
        return f"{len(sizes)} of at least {rule.least_owners} owners {_have(sizes)} uploaded"
    if samples < rule.least_samples:
        return f"{samples} of at least {rule.least_samples} samples are there"
    if rule.most_samples and samples > rule.most_samples:
        return f"{samples} samples are more than the study's most_samples, {rule.most_samples}"
    for owner, size in sizes.items():
        if size < rule.least_list:
            return f"the list of {owner} has {size} of at least {rule.least_list} samples"
    for owner, size in sizes.items():
        if size > rule.most_share * samples:
            return f"the list of {owner} has more than {rule.most_share:.0%} of all samples"
    return ""


def lists_refused(study: Study, roster: Sequence[StoredUpload]) -> str:
    """The reason why lists of these sizes may not be computed with; empty if they may."""
    lists = [one.folds for one in roster]
    asked = study.extra if roster else ()
    rule = study.rule
    reasons = (
        one.refuses(lists, study.options, rule.most_share, rule.least_owners) for one in asked
    )
    return next(filter(None, reasons), "")


def breaks_rule(study: Study, roster: Sequence[StoredUpload]) -> str:
    """The reason why no session over this roster may run, whoever asks; empty if one may.

    In a study that starts when all have uploaded nobody can be left out.
    """
    missing = absent(study, (one.owner for one in roster))
    if study.rule.start == "complete" and missing:
        return f"{len(missing)} of {len(study.owners)} owners {_have(missing)} not uploaded yet"
    sizes = {one.owner: one.samples for one in roster}
    return sizes_refused(study, sizes) or lists_refused(study, roster)


def waits_for(study: Study, roster: Sequence[StoredUpload], asked: bool) -> str:
    """The condition that the computation still waits for; empty if it may start."""
    why = breaks_rule(study, roster)
    if not why and study.rule.start == "request" and not asked:
        return "somebody has to ask for it: `ppaurora compute`"
    return why


def _have(owners: Collection[str]) -> str:
    return "has" if len(owners) == 1 else "have"
