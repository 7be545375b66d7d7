"""What a session is held over, in one name: the study, the uploads, and what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgpack

from ppaurora.parties.study.holding import Holding
from ppaurora.parties.study.study import Study

__all__ = ["NO_SHARE", "occasion", "roster_digest"]

NO_SHARE = sha256(b"").digest()
"""The digest of a share that this server does not have."""


def roster_digest(roster: Sequence[Holding]) -> str:
    """One short name for exactly these uploads, in this order."""
    content = [[one.owner, one.upload, *one.sizes] for one in roster]
    return sha256(msgpack.packb(content)).hexdigest()


def occasion(study: Study, roster: Sequence[Holding], digests: Sequence[bytes]) -> bytes:
    """What a repeated session has in common with the first: the study and exactly these shares.

    A name of an upload is chosen by its owner, so the digests of this server's shares are in it as
    well.
    """
    return b"".join([study.hash, bytes.fromhex(roster_digest(roster)), *digests])
