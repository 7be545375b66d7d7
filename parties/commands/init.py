"""`ppaurora init`: a key and a site.toml for somebody who begins, and what comes next."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.beginning import (
    USUAL_LEAST_OWNERS,
    USUAL_LEAST_SAMPLES,
    Beginning,
    Task,
)
from ppaurora.parties.site.key_files import public_path
from ppaurora.parties.study.public_keys import public_text


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

    A key that lies in the folder already is taken, whatever its name, and so is a study; what the
    key does in the study is then known. Without a terminal nothing is asked, and what is not given
    is the usual.
    """
    from rich.prompt import IntPrompt, Prompt

    asking = sys.stdin.isatty()
    console = err()
    beginning = Beginning.of(folder, name, study)
    if not name and beginning.key is None and asking:
        name = Prompt.ask("Your name, as in file names", default="site", console=console)
    key = beginning.key_named(name)
    known = beginning.task(key, part)
    part = known or part
    if part is None and asking:
        part = Task(Prompt.ask("What you do", choices=list(Task), default="owner", console=console))
    part = part or Task.owner
    if part is Task.owner and asking:
        if least_own_samples is None:
            text = "The shortest list that you would send"
            least_own_samples = IntPrompt.ask(text, default=USUAL_LEAST_SAMPLES, console=console)
        if least_other_owners is None:
            text = "The fewest other owners that you would join"
            least_other_owners = IntPrompt.ask(text, default=USUAL_LEAST_OWNERS, console=console)
    had_key, had_site = key.exists(), beginning.site.exists()
    others = USUAL_LEAST_OWNERS if least_other_owners is None else least_other_owners
    public = beginning.make(key, part, least_own_samples or USUAL_LEAST_SAMPLES, others)
    if had_key:
        console.print(f"{key} exists already, and is kept")
    else:
        console.print(f"Made {key}, for you alone, and {public_path(key)}, to be passed on")
    if had_site:
        console.print(f"{beginning.site} exists already, and is kept")
    else:
        console.print(f"Made {beginning.site}")
    out().print(public_text(public))
    out().print(fingerprint(public))
    if place := beginning.place_in_study(known):
        console.print(place)
    for step in beginning.steps(key, part, known):
        console.print(step)
