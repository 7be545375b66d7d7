"""`ppaurora init`: a key and a site.toml for somebody who begins, and what comes next."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.key_files import (
    create_identity,
    holds_private_key,
    public_of,
    public_path,
)
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.writing import site_text

if TYPE_CHECKING:
    from ppaurora.parties.study.study import Study

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
    """A task in a study."""

    owner = "owner"
    receiver = "receiver"
    server = "server"

    def one(self) -> str:
        """The task with its article."""
        return f"{'an' if self is Task.owner else 'a'} {self}"


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
    study, agreed_on = _study_beside(folder, study)
    key = _key_beside(folder, name, agreed_on)
    if not name and key is None and asking:
        name = Prompt.ask("Your name, as in file names", default="site", console=console)
    key = key or folder / f"{name or 'site'}.key"
    known = _part_of(key, agreed_on) if key.exists() else None
    if part is not None and known not in (None, part):
        raise ConfigurationError(
            f"{key} is the key of {known.one()} in {folder / study}, not of {part.one()}",
            advice=f"Leave out --as {part}, or name another --folder.",
        )
    part = known or part
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
    site = folder / "site.toml"
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
    if known is not None:
        console.print(f"In {folder / study} this is the key of {part.one()}")
    elif agreed_on is not None:
        console.print(f"{folder / study} is there, and this key is not in it yet")
    done = (known is not None, agreed_on is not None)
    for step, is_done in zip_longest(NEXT[part], done):
        if not is_done:
            console.print(step.format(public=public_path(key), study=folder / study, site=site))


def _study_beside(folder: Path, name: str) -> tuple[str, Study | None]:
    """The study file in the folder, by the name given or as the only one there, and its study."""
    from ppaurora.parties.study.study import Study

    studies = {}
    for path in (folder / name,) if (folder / name).exists() else sorted(folder.glob("*.toml")):
        with contextlib.suppress(AuroraError):
            studies[path.name] = Study.load(path)
    return next(iter(studies.items())) if len(studies) == 1 else (name, None)


def _key_beside(folder: Path, name: str, study: Study | None) -> Path | None:
    """The private key that lies in the folder: of this name, in the study, or the only one."""
    if name and (folder / f"{name}.key").exists():
        return folder / f"{name}.key"
    keys = [path for path in sorted(folder.glob("*.key")) if holds_private_key(path)]
    if len(keys) > 1:
        in_study = [path for path in keys if _part_of(path, study) is not None]
        if len(in_study) != 1:
            raise ConfigurationError(
                f"Several private keys lie in {folder}: {', '.join(path.name for path in keys)}",
                advice=f"Say which: `ppaurora init {keys[0].stem}`; or name another --folder.",
            )
        keys = in_study
    return keys[0] if keys else None


def _part_of(key: Path, study: Study | None) -> Task | None:
    """The task in the study of the key in this file; None if it is not in it."""
    from ppaurora.parties.study.keys_in_force import KeysInForce

    if study is None:
        return None
    public = public_of(key)
    if KeysInForce().role_of(study, public) is not None:
        return Task.server
    entry = study.participant_of(public)
    return None if entry is None else Task.owner if entry.uploads else Task.receiver


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
