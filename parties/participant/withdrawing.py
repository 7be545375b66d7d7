"""Withdrawing an upload at all servers, while another process may still be sending it.

An upload is announced to P0 first, and a withdrawal is asked of P0 last: what was begun before is
withdrawn, and what is begun afterwards is another upload, at every server. A server may be asked to
withdraw an upload that is yet to be announced to it. So each is told by name what the others had,
until all of them refuse the same.
"""

from __future__ import annotations

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused
from ppaurora.parties.participant.fetching import Ask
from ppaurora.parties.requests.messages import (
    MOST_WITHDRAWN,
    UPLOAD_BYTES,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study

__all__ = ["withdraw_everywhere"]

ROUNDS = 3
"""With the second all have told what they had, with the third all know that."""


def withdraw_everywhere(study: Study, ask: Ask) -> None:
    """Have every server delete what this owner uploaded, and refuse what is still sent of it."""
    known: dict[Role, set[bytes]] = {}
    names: set[bytes] = set()
    for server in ROUNDS * tuple(reversed(holders(study))):
        if known.get(server) == names:
            continue
        uploads = ask(server, Withdraw(tuple(sorted(names))), Withdrawn).uploads
        if len(uploads) > MOST_WITHDRAWN or any(len(one) != UPLOAD_BYTES for one in uploads):
            raise PeerRefused(
                f"{server} answers strangely: names of uploads that no server gives",
                advice="Compare the versions of ppaurora at both ends.",
            )
        names |= set(uploads)
        known[server] = set(names)
