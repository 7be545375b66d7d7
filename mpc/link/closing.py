"""The two ways in which a party leaves its links: in good order, or giving up and saying why."""

from __future__ import annotations

from collections.abc import Mapping

from ppaurora.mpc.errors import (
    AuroraError,
    LocalProtocolError,
    PeerAborted,
    PeerError,
    RemoteProtocolError,
)
from ppaurora.mpc.link.link import Link
from ppaurora.mpc.role import Role


def finish(links: Mapping[Role, Link]) -> None:
    """Part from all peers in good order: say every goodbye before waiting for any, then close.

    If each waited for one peer first, three parties could wait for each other in a circle.
    """
    for link in links.values():
        link.say_goodbye()
    for link in links.values():
        link.finish()


def give_up(links: Mapping[Role, Link], error: BaseException) -> None:
    """Tell every peer that this party gives up, why, and who gave up first; close; never raises."""
    for link in links.values():
        if isinstance(error, PeerAborted) and error.culprit is not None:
            link.abort(error.reason, error.culprit)
        else:
            link.abort(_reason(error))
    for link in links.values():
        link.close()


def _reason(error: BaseException) -> str:
    """What the peers are told: the words of the runtime's own errors, of others only their name.

    The words of an error about an owner's data may hold a row number, which the peers must not see.
    """
    if isinstance(error, LocalProtocolError | RemoteProtocolError | PeerError):
        return error.what
    if isinstance(error, AuroraError):
        return type(error).__name__
    return f"an unexpected {type(error).__name__}"
