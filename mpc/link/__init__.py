"""Links: the only room that knows sockets. `Link` is what the rest of the runtime sees."""

from ppaurora.mpc.link.endpoint import Endpoint, endpoints_of
from ppaurora.mpc.link.frame import SESSION_BYTES, Counters, HopClock, Kind
from ppaurora.mpc.link.in_memory import memory_links
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import MAX_BODY_BYTES, Link
from ppaurora.mpc.link.zeromq import open_links

__all__ = [
    "MAX_BODY_BYTES",
    "SESSION_BYTES",
    "Counters",
    "Endpoint",
    "HopClock",
    "Kind",
    "Limits",
    "Link",
    "endpoints_of",
    "memory_links",
    "open_links",
]
