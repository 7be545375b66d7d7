"""`ppaurora study restart`: let one server go on with a study that it has stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.parties.commands.options import SITE, ReleaseOption, SiteOption
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.releases import release_meant
from ppaurora.parties.study.study import Study

RESTART_SECONDS = 20.0


def restart(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    site: SiteOption = SITE,
    release: ReleaseOption = "",
) -> None:
    """Let your server go on with a study that it has stopped.

    Runs that differ, or sessions that broke off while verdicts on lists were opened, stop a study.
    It is computed again when the operators of all servers that stopped it have done so. Talk to
    each other first: one of the servers, or an owner, may not have done what it should, and each
    stop may have told it something.
    """
    from ppaurora.parties.requests.client import ServerClient
    from ppaurora.parties.requests.messages import Done, RestartStudy

    study, own = release_meant(Study.load(file), release, time.time()), Site.load(site)
    identity, keys = own_identity(own), Keyring(own.keys).in_force()
    server = keys.role_of(study, identity.public)
    if server is None:
        raise ConfigurationError(
            f"{site} is not the site of one of the study's servers",
            advice="Only the operator of a server restarts a study there.",
        )
    with ServerClient(identity, study, server, keys) as client:
        client.ask(RestartStudy(), Done, patience=RESTART_SECONDS)
    err().print(
        f"{server} goes on with study {study.id}; it is computed again when all three servers do "
        "and the owners' lists are there. See `ppaurora status`."
    )
