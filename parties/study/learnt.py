"""The ledger of a study before there are lists, and what a schedule adds to that of one release."""

from __future__ import annotations

from dataclasses import replace

from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import Ledger, ledger

EACH_RELEASE = (
    "of each of at most {releases} releases, one a {every}: who has uploaded how many samples, and "
    "when"
)
RECEIVERS = (
    "the same numbers of at most {releases} releases, one a {every}: how they change, and by the "
    "difference of two releases something about the samples of either one"
)
NOT_NEARLY = (
    "the program of each owner refuses a list of which fewer than {rows} from one that it sent "
    "for another release; what differs in more rows is not hidden by that, nor what one owner "
    "sends for another one"
)
ALL_TOGETHER = "all releases together: {privacy}"
DEVIATION_EACH = (
    "; of a schedule this is said of each release by itself, so whoever is in the lists of several "
    "releases is told of in each"
)


def study_ledger(study: Study) -> Ledger:
    """The statement for as few samples as the study's rule allows."""
    return with_schedule(study, ledger(study.options, study.least_sizes))


def with_schedule(study: Study, learnt: Ledger) -> Ledger:
    """The statement for one release, with what all releases of the schedule tell together."""
    schedule = study.schedule
    if not schedule.every:
        return learnt
    releases, every = schedule.releases, schedule.every
    sizes = EACH_RELEASE.format(releases=releases, every=every)
    told = [RECEIVERS.format(releases=releases, every=every)]
    if (privacy := study.options.privacy) is not None:
        told.append(ALL_TOGETHER.format(privacy=schedule.all_together(privacy)))
    least = study.options.least_cell
    rows = f"{least} rows differ" if least > 1 else "1 row differs"
    return replace(
        learnt,
        deviation=learnt.deviation + DEVIATION_EACH,
        learns=replace(
            learnt.learns,
            P0=(*learnt.learns.P0, sizes),
            P1=(*learnt.learns.P1, sizes),
            helper=(*learnt.learns.helper, sizes),
            receivers=(*learnt.learns.receivers, *told),
        ),
        warnings=(*learnt.warnings, NOT_NEARLY.format(rows=rows)),
    )
