"""`ppaurora study accept` and `diff`: agree to exactly this study, after seeing what it asks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.commands.consent import ask_before
from ppaurora.parties.commands.options import SITE, SiteOption
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.study_tables import show_study
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import changes, why_not_follows

BEFORE = "The version before, if this site has not taken part in it."


def accept(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    site: SiteOption = SITE,
    before: Annotated[Path | None, typer.Option(metavar="FILE", help=BEFORE)] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before accepting.")] = False,
) -> None:
    """Show what a study asks for, and accept its hash, as a server's operator or as an owner.

    A running server takes it up within seconds, once the file lies in a folder that its site.toml
    names under studies. An owner accepts a version that adds owners: what it has uploaded counts
    for that version then, without being sent again.
    """
    from ppaurora.parties.participant.agreement import Agreement

    agreement = Agreement.of(Site.load(site), Study.load(file), asked, before)
    participant = agreement.participant
    show_study(participant.study)
    if agreement.earlier is not None:
        _show_changes(agreement.earlier, participant.study)
    err().print(
        f"You are {participant.name}; this site's key: {fingerprint(participant.identity.public)}"
    )
    if not yes:
        ask_before("accept", "this study", "accepted")
    if told := agreement.accept():
        err().print(told)
    out().print(f"Accepted: {participant.study.hash.hex()}")


def diff(
    old: Annotated[Path, typer.Argument(help="A study file.")],
    new: Annotated[Path, typer.Argument(help="Another one.")],
) -> None:
    """Show what differs between two study files, option by option.

    For a file that follows the other one it is told whether it does nothing but add owners.
    """
    mine, theirs = Study.load(old), Study.load(new)
    if mine.hash == theirs.hash:
        out().print("Nothing differs.")
        return
    _show_changes(mine, theirs)
    reasons = why_not_follows(mine, theirs)
    if not reasons:
        out().print(f"{new} adds owners to {old}, and may follow it.")
        return
    out().print(f"{new} may not follow {old}:")
    for reason in reasons:
        out().print(f"  {reason}")


def _show_changes(old: Study, new: Study) -> None:
    for change in changes(old, new):
        out().print(change)
