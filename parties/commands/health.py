"""`ppaurora health`: ask the server of this machine how it is, for probes that run a command."""

from __future__ import annotations

from typing import Annotated

import typer

from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.commands.options import SITE, SiteOption
from ppaurora.parties.requests.local_pages import asked
from ppaurora.parties.site.health_address import health_address_in

PATIENCE_SECONDS = 3.0


def health(
    site: SiteOption = SITE,
    ready: Annotated[
        bool, typer.Option("--ready", help="Ask whether it is of use, not only whether it works.")
    ] = False,
) -> None:
    """Ask this machine's server how it is, at [server] health in site.toml.

    0: it is well. 1: it does not answer, or says what is wrong.
    """
    page = asked(health_address_in(site), "/readyz" if ready else "/healthz", PATIENCE_SECONDS)
    typer.echo("the server does not answer" if page is None else page.text.strip())
    if page is None or page.status != 200:
        raise typer.Exit(ExitCode.UNWELL)
