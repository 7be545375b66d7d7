"""`ppaurora init`: a key and a site.toml for somebody who begins, and what comes next."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.key_files import create_identity, public_of, public_path
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.writing import site_text

NEXT = {
    "owner": (
        "Pass {public} to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora doctor --site {site}`, and `ppaurora outsource FILE --site {site}`.",
    ),
    "receiver": (
        "Pass {public} to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora doctor --site {site}`, and `ppaurora result --site {site} --wait 600`.",
    ),
    "server": (
        "Pass {public} and this machine's host:port to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora server {site}`.",
    ),
}


class Task(StrEnum):
    """What somebody does in a study."""

    owner = "owner"
    receiver = "receiver"
    server = "server"


def init(
    name: Annotated[
        str, typer.Argument(help="Yours or your institution's; the key is called NAME.key.")
    ] = "",
    part: Annotated[Task | None, typer.Option("--as", help="What you do in the study.")] = None,
    folder: Annotated[Path, typer.Option(help="Where the files go.")] = Path(),
    study: Annotated[str, typer.Option(help="What the study's file is or will be.")] = "study.toml",
    least_own_samples: Annotated[
        int | None, typer.Option(help="An owner: send no list shorter than this.", min=1)
    ] = None,
    least_other_owners: Annotated[
        int | None, typer.Option(help="An owner: join no study with fewer other owners.", min=0)
    ] = None,
) -> None:
    """Make a key and a site.toml, asking for what is not given; nothing that exists is touched.

    Without a terminal nothing is asked, and what is not given is the usual.
    """
    from rich.prompt import IntPrompt, Prompt

    asking = sys.stdin.isatty()
    console = err()
    if not name and asking:
        name = Prompt.ask("Your name, as in file names", default="site", console=console)
    if part is None and asking:
        part = Task(Prompt.ask("What you do", choices=list(Task), default="owner", console=console))
    part = part or Task.owner
    if part is Task.owner and asking:
        if least_own_samples is None:
            text = "The shortest list that you would send"
            least_own_samples = IntPrompt.ask(text, default=50, console=console)
        if least_other_owners is None:
            text = "The fewest other owners that you would join"
            least_other_owners = IntPrompt.ask(text, default=2, console=console)
    key, site = folder / f"{name or 'site'}.key", folder / "site.toml"
    if key.exists():
        public = public_of(key)
        console.print(f"{key} exists already, and is kept")
    else:
        public = create_identity(key).public
        console.print(f"Made {key}, for you alone, and {public_path(key)}, to be passed on")
    if site.exists():
        console.print(f"{site} exists already, and is kept")
    else:
        more = _settings(part, least_own_samples or 50, least_other_owners)
        site.write_text(site_text(key.name, [study], more), encoding="utf-8")
        console.print(f"Made {site}")
    out().print(public_text(public))
    out().print(fingerprint(public))
    for step in NEXT[part]:
        console.print(step.format(public=public_path(key), study=folder / study, site=site))


def _settings(part: Task, least_own_samples: int, least_other_owners: int | None) -> str:
    """The table of a site file that is for this part, with a comment on each line."""
    others = 2 if least_other_owners is None else least_other_owners
    if part is Task.owner:
        return (
            "\n[policy]  # what breaks it is refused here, before anything is sent\n"
            f"least_own_samples = {least_own_samples}  # no shorter list is sent\n"
            f"least_other_owners = {others}  # no study with fewer other owners\n"
        )
    if part is Task.server:
        return (
            "\n[server]\n"
            'state = "state"  # where uploads are kept; encrypt this disk\n'
            '# listen = "0.0.0.0:7100"  # if it is not to listen at the study\'s address\n'
        )
    return ""
