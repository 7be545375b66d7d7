"""How long a link waits, and how much may be under way unread."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Deadlines in seconds, the window in bytes. Both ends of a link must agree on the window.

    `deadline` bounds every wait for the peer within the protocol, `connect` the wait for a
    connection, `farewell` the wait of a party that finished early (the helper runs ahead) for the
    others to finish. `window` bounds what the helper deals ahead to each proxy: it waits once more
    than so many bytes are sent and not yet acknowledged as consumed.
    """

    deadline: float = 30.0
    connect: float = 10.0
    farewell: float = 3600.0
    window: int = 16 << 20
