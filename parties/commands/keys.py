"""Make, show, replace and revoke keys. A private key stays in its file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.keys import PublicKey, fingerprint, link_fingerprint, spelt
from ppaurora.parties.commands.group import group
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.private_file import write_public
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.fold_key import create_fold_key
from ppaurora.parties.site.key_files import (
    create_identity,
    is_locked,
    load_identity,
    public_of,
    read_public,
    set_passphrase,
)
from ppaurora.parties.site.passphrase import Passphrase, asked, chosen, from_file
from ppaurora.parties.site.private_line import create_private
from ppaurora.parties.study.key_days import day_at, nears_its_end, valid_until
from ppaurora.parties.study.key_statements import (
    KeyChange,
    Statement,
    changed,
    check_overlap,
    load_statement,
    revoked,
)
from ppaurora.parties.study.public_keys import public_text
from ppaurora.protocols.lists.folds import key_commitment

app = group(__doc__)

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

OldLockFileOption = Annotated[
    Path | None, typer.Option(help="The file of the passphrase that the key has now.")
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
def owners(
    file: Annotated[Path, typer.Argument(help="Where to put the key that the owners share.")],
) -> None:
    """Make the key that all owners share, for folds and joins; print what stands for it in a study.

    By it each owner assigns a person to the same fold, and gives it the same tag.
    """
    key = create_fold_key(file)
    out().print(key_commitment(key))
    err().print(
        f"Give {file} to the other owners, by a safe way, and to nobody else: no server may "
        "have it. The line above goes into the study (`study new --fold-key`, or --join-key)."
    )


@app.command()
def rotate(
    file: Annotated[Path, typer.Argument(help="The private key file whose key is to be replaced.")],
    to: Annotated[Path, typer.Argument(help="Where to put the new private key.")],
    overlap: Annotated[
        int, typer.Option(help="For so many days the old key is accepted, too.", min=0)
    ] = 30,
    passphrase: LockOption = False,
    passphrase_file: LockFileOption = None,
    old_passphrase_file: OldLockFileOption = None,
    valid: ValidOption = "",
) -> None:
    """Make a key that takes the place of another one, and TO.change.toml for the others.

    Everybody who has a study with the old key puts the change where [keys] changes in site.toml
    says. Then name the new key in your own site.toml. The studies stay as they are. The new key is
    locked with a passphrase if the old one is, and belongs to the same user where root makes it.
    """
    today = day_at(time.time())
    change = to.with_name(f"{to.name}.change.toml")
    if change.exists():
        raise ConfigurationError(
            f"{change} exists already and is left alone", advice="Choose another file name."
        )
    old = load_identity(file, _old_passphrase(old_passphrase_file))
    day = valid_until(valid, today) if valid else None
    lock = _new_passphrase(to, passphrase or is_locked(file), passphrase_file)
    check_overlap(overlap)
    statement = changed(old, create_identity(to, day, lock, like=file), today, overlap)
    write_public(change, statement.text.encode("ascii"), like=file)
    _show_statement(statement)
    err().print(
        f"Give {change} to everybody who has a study with the old key; they compare both "
        f"fingerprints with you by telephone. Once all have it, name {to} in your site.toml."
    )


@app.command()
def revoke(
    file: Annotated[Path, typer.Argument(help="The private key file.")],
    to: Annotated[
        Path | None, typer.Argument(help="Where to put it, if not in FILE.revoked.toml.")
    ] = None,
    old_passphrase_file: OldLockFileOption = None,
) -> None:
    """Write FILE.revoked.toml, which says that this key is not to be accepted any more.

    Make it when the key is made and keep it where no thief of the key finds it. It has no effect
    until it is given to others, and then nobody can take it back.
    """
    place = to or file.with_name(f"{file.name}.revoked.toml")
    statement = revoked(load_identity(file, _old_passphrase(old_passphrase_file)))
    text = statement.text.rstrip("\n")
    create_private(place, text, "It says the same: give that one.", like=file)
    _show_statement(statement)
    err().print(f"Keep {place} in a safe place; given to others, it ends the key for good.")


@app.command()
def show(
    file: Annotated[
        Path, typer.Argument(help="A private key file, a .pub file, a change or a revocation.")
    ],
    spell: Annotated[
        bool, typer.Option("--spell", help="Also in words, to be read out over the telephone.")
    ] = False,
) -> None:
    """Print the public key and its fingerprint, to be compared by telephone."""
    if file.suffix == ".toml":
        _show_statement(load_statement(file), spell=spell)
    else:
        _show(read_public(str(file)) if file.suffix == ".pub" else public_of(file), spell=spell)


@app.command()
def passphrase(
    file: Annotated[Path, typer.Argument(help="A private key file.")],
    remove: Annotated[bool, typer.Option("--remove", help="Keep the key unlocked.")] = False,
    passphrase_file: LockFileOption = None,
    old_passphrase_file: OldLockFileOption = None,
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


def _show_statement(statement: Statement, *, spell: bool = False) -> None:
    console = out()
    console.print(f"{statement.sentence}; every signature is right")
    shown = (
        [("old", statement.old), ("new", statement.new)]
        if isinstance(statement, KeyChange)
        else [("revoked", statement.key)]
    )
    for name, public in shown:
        console.print(f"{name}: {fingerprint(public)}")
        for words in spelt(fingerprint(public)) if spell else ():
            console.print(f"  {words}")


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
