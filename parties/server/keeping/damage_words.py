"""Sentences about damage on a server's disk: what happened, and who does what about it."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.role import Role

LOST = (
    "this server's share of the result was damaged or lost on its disk, and the uploads are "
    "deleted: receivers keep what they have saved; a new study, with a new id, computes it anew"
)
RECOMPUTED = (
    "this server's share of the result was damaged on its disk and set aside; "
    "the study is computed again"
)
UNKNOWN_SHARE = (
    "a share was found whose record was lost on this server's disk, and was set aside; "
    "an owner whose upload is missing uploads again"
)
UNKNOWN_OWNER = (
    "the record of an upload was damaged on this server's disk and set aside; "
    "the owner whose upload is missing uploads again"
)
UNSOUND_LIST = "sent an unsound list; deleted"


def share_damaged(owner: str) -> str:
    """The note about an owner's damaged share."""
    what = f"{owner}: its share was damaged on this server's disk and set aside"
    return f"{what}; {owner} uploads again"


def record_damaged(table: str) -> str:
    """The note about any other damaged record."""
    return f"a record of this server ({table}) was damaged and set aside"


def damage_in_words(owners: Sequence[str], role: Role) -> str:
    """Owners whose shares were damaged at this server, and what they do; empty if none."""
    return "; ".join(
        f"{owner}: its share at {role} was damaged on the disk; {owner} uploads again"
        for owner in owners
    )
