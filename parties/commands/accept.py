"""`ppaurora study accept`: take part in exactly this study, after seeing what it asks for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.prompt import Confirm

from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.commands.options import SITE, SiteOption
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.study_tables import show_study
from ppaurora.parties.server.studies import check_own
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study


def accept(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    site: SiteOption = SITE,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before accepting.")] = False,
) -> None:
    """Show what a study asks for, and accept its hash for the server of your site.

    A running server takes it up within seconds, once the file lies in a folder that site.toml
    names under studies.
    """
    study, own = Study.load(file), Site.load(site)
    identity = own_identity(own)
    check_own(study, identity.public, file, Keyring(own.keys).in_force())
    show_study(study)
    err().print(f"This site's key: {fingerprint(identity.public)}")
    if not yes:
        _ask_before_accepting()
    Acceptances.of(own, server=True).add(study)
    out().print(f"Accepted: {study.hash.hex()}")


def _ask_before_accepting() -> None:
    """Let a person decide; without one at a terminal only --yes will do."""
    if not sys.stdin.isatty():
        raise PolicyRefusal(
            "Nobody can be asked here whether to accept this study, so it was not accepted",
            advice="Add --yes to accept it without being asked.",
        )
    if not Confirm.ask("Accept it?", console=err()):
        raise PolicyRefusal("You said no; nothing was accepted")
