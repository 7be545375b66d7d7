"""Make and show keys. A private key stays in its file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import PublicKey, fingerprint, link_fingerprint, spelt
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.key_files import (
    create_identity,
    load_identity,
    public_of,
    read_public,
    set_passphrase,
)
from ppaurora.parties.site.passphrase import Passphrase, asked, chosen, from_file
from ppaurora.parties.study.key_days import day_at, nears_its_end, valid_until
from ppaurora.parties.study.public_keys import public_text

app = typer.Typer(no_args_is_help=True, help=__doc__)

ValidOption = Annotated[
    str, typer.Option(help="For how long it is to be used: 2y, 18m, 90d, or the last day.")
]
LockOption = Annotated[
    bool, typer.Option("--passphrase", help="Lock the key with a passphrase, which is asked for.")
]
LockFileOption = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help="Lock it with the one line of this private file."),
]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="Where to put the private key.")],
    passphrase: LockOption = False,
    passphrase_file: LockFileOption = None,
    valid: ValidOption = "",
) -> None:
    """Make a key pair: FILE for you alone, FILE.pub to pass on."""
    day = valid_until(valid, day_at(time.time())) if valid else None
    lock = _new_passphrase(file, passphrase, passphrase_file)
    _show(create_identity(file, day, lock).public)
    err().print(f"Pass {file}.pub on to the study's author; keep {file} to yourself.")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A private key file, or a .pub file.")],
    spell: Annotated[
        bool, typer.Option("--spell", help="Also in words, to be read out over the telephone.")
    ] = False,
) -> None:
    """Print the public key and its fingerprint, to be compared by telephone."""
    _show(read_public(str(file)) if file.suffix == ".pub" else public_of(file), spell=spell)


@app.command()
def passphrase(
    file: Annotated[Path, typer.Argument(help="A private key file.")],
    remove: Annotated[bool, typer.Option("--remove", help="Keep the key unlocked.")] = False,
    passphrase_file: LockFileOption = None,
    old_passphrase_file: Annotated[
        Path | None, typer.Option(help="The file of the passphrase that it has now.")
    ] = None,
) -> None:
    """Lock a key with a passphrase, or with another one, or with none; the key stays the same."""
    if remove and passphrase_file is not None:
        raise ConfigurationError(
            "A passphrase is to be taken off and set at once", advice="Give one of the two options."
        )
    identity = load_identity(file, _old_passphrase(old_passphrase_file))
    lock = "" if remove else _new_passphrase(file, True, passphrase_file)
    set_passphrase(file, identity, lock)
    err().print(f"{file} is {'locked with the new passphrase' if lock else 'not locked'}.")


def _old_passphrase(file: Path | None) -> Passphrase:
    return asked if file is None else from_file(file)


def _new_passphrase(key: Path, wanted: bool, file: Path | None) -> str:
    """The passphrase of a new key; empty where none is wanted."""
    if file is not None:
        return from_file(file, new=True)(key)
    return chosen(key) if wanted else ""


def _show(public: PublicKey, *, spell: bool = False) -> None:
    console = out()
    console.print(public_text(public))
    console.print(fingerprint(public))
    for words in spelt(fingerprint(public)) if spell else ():
        console.print(words)
    if end := nears_its_end(public, day_at(time.time())):
        err().print(f"warning: this key {end}")
    elif public.good_until is not None:
        err().print(f"It is good until {public.good_until}.")
    err().print(
        f"A server that does not know this key logs {link_fingerprint(public.exchange)}: a "
        "connection shows one half of it only."
    )
