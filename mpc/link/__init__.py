"""Links: the only room that knows sockets. `Link` is what the rest of the runtime sees."""

from mpc.link.base import MAX_BODY_BYTES, Link
from mpc.link.counters import Counters, HopClock
from mpc.link.farewell import finish, give_up, tell
from mpc.link.frame import SESSION_BYTES, Kind
from mpc.link.limits import Limits
from mpc.link.memory import memory_links
from mpc.link.zeromq_opening import Endpoint, open_links

__all__ = [
    "MAX_BODY_BYTES",
    "SESSION_BYTES",
    "Counters",
    "Endpoint",
    "HopClock",
    "Kind",
    "Limits",
    "Link",
    "finish",
    "give_up",
    "memory_links",
    "open_links",
    "tell",
]
