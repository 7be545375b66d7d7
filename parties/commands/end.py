"""`ppaurora study end`: delete what a study has left at one site, and never take it up again."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import PublicKey
from ppaurora.parties.commands.consent import ask_before
from ppaurora.parties.commands.options import SITE, SiteOption
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.posix import user_number
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import Endings
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study

ANSWER_SECONDS = 60.0
"""A running server looks once a second, but may be busy with a large request."""
POLL_SECONDS = 0.1
AT_A_SERVER = (
    "This deletes all that this server keeps of the study: shares, records, results that nobody "
    "has fetched yet. Its audit log stays. The other servers keep theirs until their operators "
    "end it, too."
)
AT_AN_OWNER = (
    "This deletes all that this site keeps of the study: that it was accepted, and the secret of "
    "an upload. What was spent of a privacy budget stays spent. What the servers have of your list "
    "stays there: to take it back, run `ppaurora outsource --withdraw` first."
)


def end(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    site: SiteOption = SITE,
    break_off: Annotated[
        bool,
        typer.Option(
            "--break-off", help="Also while the study is computed: the computation is broken off."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
) -> None:
    """Delete what a study has left at this site: for a server's operator, or for an owner.

    It is never served here again, and nothing is sent for it; whoever asks this server is told that
    its operator has ended the study. Each site ends it for itself.
    """
    study, own = Study.load(file), Site.load(site)
    identity, keys = own_identity(own, asked), Keyring(own.keys).in_force()
    keys.check_own(study, identity.public)
    server = keys.role_of(study, identity.public)
    err().print(f"Study {study.id}, {study.hash.hex()}")
    err().print(AT_AN_OWNER if server is None else AT_A_SERVER)
    if not yes:
        ask_before("end", "this study", "deleted")
    if server is None:
        _end_at_participant(own, study, keys.named(study, identity.public))
    else:
        _end_at_server(own, study, break_off=break_off)
    out().print(f"Ended: {study.hash.hex()}")


def _end_at_participant(own: Site, study: Study, named: PublicKey) -> None:
    from ppaurora.parties.participant.upload_secret import UploadSecret

    Endings(own.participant_state).add(study)
    UploadSecret.of(own.participant_state, study, named).forget()
    Acceptances.of(own, server=False).forget(study.hash)


def _end_at_server(own: Site, study: Study, *, break_off: bool) -> None:
    """End the study here if no server runs on the state, else have the running one do it."""
    from ppaurora.parties.server.keeping.ended_studies import EndedStudies
    from ppaurora.parties.server.keeping.store import Store

    state, endings = own.server.state, Endings(own.server.state)
    if not state.exists():
        endings.add(study)
        return
    fault: ConfigurationError | None = None
    if state.stat().st_uid == user_number():
        try:
            store = Store(state, secrets=own.server.secrets, encrypt=own.server.encrypt)
        except ConfigurationError as error:
            fault = error
        else:
            with contextlib.closing(store):
                EndedStudies(store, Acceptances.of(own, server=True)).end(study)
            return
    endings.ask(study, break_off=break_off)
    until = time.monotonic() + ANSWER_SECONDS
    while endings.waits(study) and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    if endings.give_up(study):
        raise fault or ConfigurationError(
            f"No server that runs on {state} has answered in {ANSWER_SECONDS:g} s, so nothing was "
            "ended",
            advice="Start it, or run this as the user whose state it is while the server is down.",
        )
    if why := endings.why_not_ended(study):
        raise PolicyRefusal(why)
