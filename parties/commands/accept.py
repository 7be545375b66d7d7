"""`ppaurora study accept` and `diff`: agree to exactly this study, after seeing what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import fingerprint
from ppaurora.parties.commands.consent import ask_before
from ppaurora.parties.commands.options import SITE, SiteOption
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.study_tables import show_study
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import Endings
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import changes, check_only_adds_owners, why_not_follows

BEFORE = "The version before, if this site has not taken part in it."
COUNTS = "Your upload counts for this version now; it was not sent again."
TO_UPLOAD = "No upload of yours counts for this version yet: run `ppaurora outsource`."


def accept(
    file: Annotated[Path, typer.Argument(help="The study file.")],
    site: SiteOption = SITE,
    before: Annotated[Path | None, typer.Option(metavar="FILE", help=BEFORE)] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before accepting.")] = False,
) -> None:
    """Show what a study asks for, and accept its hash, as a server's operator or as an owner.

    A running server takes it up within seconds, once the file lies in a folder that its site.toml
    names under studies. An owner accepts a version that adds owners: what it has uploaded counts
    for that version then, without being sent again.
    """
    from ppaurora.parties.participant.participant import Participant

    own = Site.load(site)
    identity, keys = own_identity(own, asked), Keyring(own.keys).in_force()
    participant = Participant(
        identity, Study.load(file), own.policy, own.participant_state, own.fold_key, keys
    )
    study, is_server = participant.study, participant.role is not None
    accepted = Acceptances.of(own, server=is_server)
    Endings(accepted.state).check(study)
    show_study(study)
    earlier = _version_before(study, before, own, accepted) if study.follows else None
    if earlier is not None:
        check_only_adds_owners(earlier, study)
        _show_changes(earlier, study)
    err().print(f"You are {participant.name}; this site's key: {fingerprint(identity.public)}")
    if not yes:
        ask_before("accept", "this study", "accepted")
    if is_server:
        if earlier is not None:
            accepted.add(earlier)
        accepted.add(study)
    elif earlier is not None:
        with participant:
            counts = participant.accept(earlier)
        if participant.member.entry.uploads:
            err().print(COUNTS if counts else TO_UPLOAD)
    else:
        accepted.add(study)
    out().print(f"Accepted: {study.hash.hex()}")


def diff(
    old: Annotated[Path, typer.Argument(help="A study file.")],
    new: Annotated[Path, typer.Argument(help="Another one.")],
) -> None:
    """Show what differs between two study files, option by option.

    For a file that follows the other one it is told whether it does nothing but add owners.
    """
    mine, theirs = Study.load(old), Study.load(new)
    if mine.hash == theirs.hash:
        out().print("Nothing differs.")
        return
    _show_changes(mine, theirs)
    reasons = why_not_follows(mine, theirs)
    if not reasons:
        out().print(f"{new} adds owners to {old}, and may follow it.")
        return
    out().print(f"{new} may not follow {old}:")
    for reason in reasons:
        out().print(f"  {reason}")


def _show_changes(old: Study, new: Study) -> None:
    for change in changes(old, new):
        out().print(change)


def _version_before(study: Study, given: Path | None, own: Site, accepted: Acceptances) -> Study:
    """The version that this one follows, from wherever this site has it."""
    wanted = bytes.fromhex(study.follows)
    known = accepted.find(wanted)
    if known is not None:
        return known
    for path in (given,) if given else own.studies:
        for found in _loaded(path):
            if found.hash == wanted:
                return found
    raise ConfigurationError(
        f"The version that study {study.id} follows, {study.follows[:16]}, is not here to compare",
        advice="Give its file with --before FILE.",
    )


def _loaded(path: Path) -> Iterator[Study]:
    """The study in a file, if there is one that can be followed."""
    try:
        yield Study.load(path)
    except AuroraError:
        return
