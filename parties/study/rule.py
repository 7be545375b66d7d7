"""The study's rule: when the computation may start, and with which uploads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ppaurora.parties.study.stored_upload import StoredUpload
from ppaurora.parties.study.study import Study

__all__ = ["absent", "breaks_rule", "common_roster", "folds_refused", "sizes_refused", "waits_for"]


def common_roster(
    mine: Sequence[StoredUpload], *theirs: Sequence[StoredUpload]
) -> tuple[StoredUpload, ...]:
    """The uploads that every server holds; what one of them does not hold never counts."""
    everywhere = set(mine).intersection(*theirs)
    return tuple(sorted(everywhere, key=lambda one: one.owner))


def absent(study: Study, present: Iterable[str]) -> list[str]:
    """The owners of the study who are not among these, in the study's order."""
    there = set(present)
    return [one.name for one in study.owners if one.name not in there]


def sizes_refused(study: Study, sizes: Mapping[str, int]) -> str:
    """Why these owners' lists, by their numbers of samples, may not be computed; empty if they may.

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


def folds_refused(study: Study, roster: Sequence[StoredUpload]) -> str:
    """Why these lists may not be computed fold by fold; empty if they may, or there are no folds.

    In a fold of few samples each of them moves the mean over folds far.
    """
    by = study.fold_by
    if by is None or not roster:
        return ""
    for fold, sizes in enumerate(zip(*(one.folds for one in roster), strict=True)):
        if sum(sizes) < by.least:
            return f"fold {fold} has {sum(sizes)} of at least {by.least} samples"
    return ""


def breaks_rule(study: Study, roster: Sequence[StoredUpload]) -> str:
    """Why no session over this roster may run, whoever asks for it; empty when one may.

    In a study that starts when all have uploaded nobody can be left out.
    """
    missing = absent(study, (one.owner for one in roster))
    if study.rule.start == "complete" and missing:
        return f"{len(missing)} of {len(study.owners)} owners {_have(missing)} not uploaded yet"
    sizes = {one.owner: one.samples for one in roster}
    return sizes_refused(study, sizes) or folds_refused(study, roster)


def waits_for(study: Study, roster: Sequence[StoredUpload], asked: bool) -> str:
    """What the computation waits for; empty when it may start."""
    why = breaks_rule(study, roster)
    if not why and study.rule.start == "request" and not asked:
        return "somebody has to ask for it: `ppaurora compute`"
    return why


def _have(owners: Collection[str]) -> str:
    return "has" if len(owners) == 1 else "have"
