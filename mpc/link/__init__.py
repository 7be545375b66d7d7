"""Links: the only room that knows sockets. `Link` is what the rest of the runtime sees."""

from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import lazily

if TYPE_CHECKING:
    from ppaurora.mpc.link.counters import Counters, HopClock
    from ppaurora.mpc.link.endpoint import Endpoint, endpoints_of
    from ppaurora.mpc.link.frame import SESSION_BYTES, Kind
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

# who only asks a server, or reads a study, opens no links
__getattr__ = lazily(
    __name__,
    {
        "Counters": "ppaurora.mpc.link.counters",
        "Endpoint": "ppaurora.mpc.link.endpoint",
        "HopClock": "ppaurora.mpc.link.counters",
        "Kind": "ppaurora.mpc.link.frame",
        "Limits": "ppaurora.mpc.link.limits",
        "Link": "ppaurora.mpc.link.link",
        "MAX_BODY_BYTES": "ppaurora.mpc.link.link",
        "SESSION_BYTES": "ppaurora.mpc.link.frame",
        "endpoints_of": "ppaurora.mpc.link.endpoint",
        "memory_links": "ppaurora.mpc.link.in_memory",
        "open_links": "ppaurora.mpc.link.zeromq",
    },
)
