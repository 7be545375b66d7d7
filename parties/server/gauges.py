"""What goes up and down at a server, and that any onlooker may know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppaurora.parties.server.descriptors import free_descriptors
from ppaurora.parties.server.health import Health

__all__ = ["Gauge", "gauges"]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number that is read when it is asked for."""

    name: str
    what: str
    read: Callable[[], float]


def gauges(
    health: Health,
    studies: Callable[[], int],
    key_days: Callable[[], float],
    stopped: Callable[[], int],
) -> tuple[Gauge, ...]:
    """The gauges of one server; `stopped` counts the studies that wait for their operators."""
    return (
        Gauge("ppaurora_ready", "1 if /readyz is well, else 0.", lambda: not health.obstacle()),
        Gauge("ppaurora_studies", "Studies that are served.", studies),
        Gauge("ppaurora_key_days_left", "Days for which this server's key is good.", key_days),
        Gauge(
            "ppaurora_studies_stopped",
            "Studies that differing runs have stopped, until their operators restart them.",
            stopped,
        ),
        Gauge(
            "ppaurora_free_descriptors",
            "Files and connections that may still be opened.",
            free_descriptors,
        ),
        Gauge(
            "ppaurora_state_free_bytes",
            "Bytes free where the state folder is.",
            lambda: health.free_bytes,
        ),
    )
