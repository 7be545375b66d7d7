"""`ppaurora status`: how a study stands, in words, in JSON and as an exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from ppaurora.mpc.role import Role
from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.commands.options import SITE, Format, FormatOption, SiteOption, StudyOption
from ppaurora.parties.reports.console import err, out

if TYPE_CHECKING:
    from ppaurora.parties.requests.status import Status


def status(
    site: SiteOption = SITE, study: StudyOption = None, format: FormatOption = Format.table
) -> None:
    """Ask all three servers how the study stands; the exit code tells, too.

    Of an upload at a server that does not answer, nothing is known. Who has yet to upload is named.

    0: the result is there, or was fetched. 10: not yet. 5: a server does not answer, or tells of
    trouble.
    """
    from ppaurora.parties.participant.participant import Participant
    from ppaurora.parties.reports.study_status import show_status

    with Participant.of(site, study) as participant:
        answers = participant.status()
        for warning in participant.member.key_warnings:
            err().print(f"warning: {warning}")
    if format is Format.json:
        out().print_json(json.dumps({name: status.plain() for name, status in answers.items()}))
    else:
        show_status(answers, participant.study)
    raise typer.Exit(_exit_code(list(answers.values())))


def _exit_code(answers: Sequence[Status]) -> ExitCode:
    """The study's status as an exit code."""
    from ppaurora.parties.requests.status import State

    states = [one.state for one in answers]
    if {State.NOT_ANSWERING, State.STOPPED} & {*states} or any(one.last_problem for one in answers):
        return ExitCode.PEER
    proxies = states[: Role.HELPER]
    return (
        ExitCode.DONE
        if all(state in (State.COMPUTED, State.OVER) for state in proxies)
        else ExitCode.NOT_YET
    )
