"""The limits of a link: its waits, the bytes that may be under way unread, and what is bulk."""

from __future__ import annotations

from dataclasses import dataclass, replace

COLD_ROUND_TRIPS = 14
"""A connection is worth its first round trips once so many full ones have been sent elsewhere."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Deadlines in seconds, sizes in bytes. Both ends of a link must agree on `window` and `bulk`.

    `deadline` bounds every wait for the peer within the protocol, `connect` the wait for a
    connection, `goodbye` the wait of a party that finished early (the helper runs ahead) for the
    others to finish. `window` bounds what the helper deals ahead to each proxy: it waits once more
    than so many bytes are sent and not yet acknowledged as consumed.

    Bodies of at least `bulk` bytes go over the bulk lane, where there is one, as soon as a party
    has sent `bulk_after` bytes: a new connection carries little in its first round trips, which a
    short computation would wait for (`on_network`). A party that has `unsent` bytes waiting there
    sends nothing more before the peer has taken some.
    """

    deadline: float = 30.0
    connect: float = 10.0
    goodbye: float = 3600.0
    window: int = 16 << 20
    bulk: int = 64 << 10
    bulk_after: int = 16 << 20
    unsent: int = 1 << 30

    def on_network(self, round_trip_us: int, megabits: int) -> Limits:
        """The limits where a bulk lane is worth its first round trips after fewer bytes.

        >>> [Limits().on_network(us, 1000).bulk_after for us in (0, 180, 10_000)]
        [0, 315000, 16777216]
        """
        after = COLD_ROUND_TRIPS * round_trip_us * megabits // 8
        return replace(self, bulk_after=min(self.bulk_after, after))
