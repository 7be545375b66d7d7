"""`ppaurora status`: how a study stands, in words, in JSON and as an exit code."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.mpc.role import Role
from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.commands.options import (
    ALL,
    SITE,
    Format,
    FormatOption,
    SiteOption,
    StudyOption,
)
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.study.releases import (
    next_opening,
    open_until,
    release_at,
    release_meant,
    releases_shown,
)
from ppaurora.parties.study.study import Study

if TYPE_CHECKING:
    from ppaurora.parties.requests.status import Status


def status(
    site: SiteOption = SITE,
    study: StudyOption = None,
    release: Annotated[
        str,
        typer.Option(
            metavar="PERIOD",
            help="Which release of a study with a schedule, such as 2026-03; else the open ones; "
            f"{ALL}: every one that has opened, after the calendar.",
        ),
    ] = "",
    format: FormatOption = Format.table,
) -> None:
    """Ask all three servers how the study stands; the exit code tells, too.

    Of an upload at a server that does not answer, nothing is known. Who has yet to upload is named.
    Of a study with a schedule, every release is shown that takes lists now, and when the next one
    opens; the JSON is then of each release by its period. The calendar says of each what this site
    has sent, and whether its result is saved.

    0: the result is there, or was fetched. 10: not yet. 5: a server does not answer, or tells of
    trouble.
    """
    from ppaurora.parties.participant.all_releases import calendar_of
    from ppaurora.parties.reports.study_status import show_sheet, show_status
    from ppaurora.parties.site.site import Site

    own = Site.load(site)
    agreed, now = Study.load(study or own.only_study), time.time()
    if release == ALL and agreed.scheduled:
        shown = [agreed.release(period.name) for period in agreed.schedule.opened_at(now)]
        if format is not Format.json:
            with Participant.of(site, study, release_at(agreed, now).period) as participant:
                show_sheet(calendar_of(participant, now, own.results))
    else:
        shown = [release_meant(agreed, release, now)] if release else [*releases_shown(agreed, now)]
    told: dict[str, dict[str, Status]] = {}
    for one in shown:
        with Participant.of(site, study, one.period) as participant:
            told[one.period] = participant.status()
            warnings = participant.member.key_warnings
        if format is not Format.json:
            if one.period:
                period = one.schedule.period(one.period)
                out().print(open_until(one, period, now))
            show_status(told[one.period], one)
    for warning in warnings if shown else ():
        err().print(f"warning: {warning}")
    if agreed.scheduled and format is not Format.json:
        out().print(next_opening(agreed, now))
    if format is Format.json:
        plain = {
            period: {name: status.plain() for name, status in answers.items()}
            for period, answers in told.items()
        }
        out().print_json(json.dumps(plain if agreed.scheduled else plain[""]))
    raise typer.Exit(_exit_code([one for answers in told.values() for one in answers.values()]))


def _exit_code(answers: Sequence[Status]) -> ExitCode:
    """The study's status as an exit code."""
    from ppaurora.parties.requests.status import State

    states = [one.state for one in answers]
    if {State.NOT_ANSWERING, State.STOPPED} & {*states} or any(one.last_problem for one in answers):
        return ExitCode.PEER
    proxies = [one.state for one in answers if one.server != str(Role.HELPER)]
    return (
        ExitCode.DONE
        if proxies and all(state in (State.COMPUTED, State.OVER) for state in proxies)
        else ExitCode.NOT_YET
    )
