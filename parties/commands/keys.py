"""Make and show keys. A private key stays in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import PublicKey, fingerprint, link_fingerprint
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.key_files import (
    create_identity,
    load_identity,
    read_public,
)
from ppaurora.parties.study.public_keys import (
    public_text,
)

app = typer.Typer(no_args_is_help=True, help=__doc__)


@app.command()
def new(file: Annotated[Path, typer.Argument(help="Where to put the private key.")]) -> None:
    """Make a key pair: FILE for you alone, FILE.pub to pass on."""
    identity = create_identity(file)
    _show(identity.public)
    err().print(f"Pass {file}.pub on to the study's author; keep {file} to yourself.")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A private key file, or a .pub file.")],
) -> None:
    """Print the public key and its fingerprint, to be compared by telephone."""
    public = read_public(str(file)) if file.suffix == ".pub" else load_identity(file).public
    _show(public)


def _show(public: PublicKey) -> None:
    console = out()
    console.print(public_text(public))
    console.print(fingerprint(public))
    err().print(
        f"A server that does not know this key logs {link_fingerprint(public.exchange)}: a "
        "connection shows one half of it only."
    )
