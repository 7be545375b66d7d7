"""An owner's list made ready to be sent, and what its owner is told before deciding to send it."""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.reports.study_tables import plan_lines
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Source
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study
from ppaurora.protocols.pipelines.histogram import LEFT_OUT

WITHDRAWN = "Withdrawn: {} have deleted your upload."
NOTHING_TO_WITHDRAW = "No server has an upload of yours: there was nothing to withdraw."


def ready(
    owner: Participant, source: Source, tell: Callable[[str], None], *, one_class: bool
) -> Prepared:
    """The list in its shares, checked; each sentence for its owner is told as it is known.

    A list of one class is refused unless `one_class` says that it is no mistake.
    """
    tell(f"reading {source.name} ({source.title}): {_told(source, owner.study)}")
    rows_read = owner.take(source)
    for note in rows_read.notes:
        tell(f"note: {note}")
    if not len(rows_read):
        raise DataError(
            f"{source.name} holds no rows, and an empty list cannot be uploaded",
            advice="Give a list with at least one sample; nothing was sent.",
        )
    if rows_read.one_class and not one_class:
        raise DataError(
            f"All labels of this list are of one class ({source.name})",
            advice="Check --label and the study's positive label; if it is right, add --one-class.",
        )
    prepared = owner.prepare(rows_read)
    for line in plan_lines(
        owner.study, owner.name, prepared.samples, prepared.at_servers, owner.keys
    ):
        tell(line)
    if prepared.folds:
        sizes = ", ".join(map(str, prepared.folds))
        tell(
            f"samples in each of {len(prepared.folds)} {_lists(owner.study)}, "
            f"which all parties will know: {sizes}"
        )
    if LEFT_OUT in owner.study.options.inputs and isinstance(rows_read, Labelled):
        tell(
            f"{rows_read.left_out} rows left out: the number goes along in two shares, and the "
            "result tells the sum over all owners"
        )
    return prepared


def withdrawal(owner: Participant) -> str:
    """A sentence on the withdrawal of the owner's upload, which is made here."""
    there = owner.withdraw()
    return WITHDRAWN.format(keepers(owner.study)) if there else NOTHING_TO_WITHDRAW


def keepers(study: Study) -> str:
    """The servers that keep parts of an upload, in words."""
    return "all three servers" if len(holders(study)) == len(Role) else "both proxies"


def _lists(study: Study) -> str:
    """The lists of an upload, in a word: folds or groups, or what rows hold."""
    if study.options.least_join:
        return "kinds of rows (scores, labels, both)"
    groups = study.options.groups
    return f"groups ({', '.join(groups)})" if groups else "folds"


def _told(source: Source, study: Study) -> str:
    """A sentence: the data that leave the place of the list, and the cost of reading it."""
    options = study.options
    if options.pipeline.counting_grid is not None:
        return source.counting
    why = "" if options.pipeline.sorts else "the study asks for sums of scores, so all are read; "
    return f"{why}{source.leaks}; {source.cost}"
