"""CURVE sockets as both ends of a request need them: keys, size limit, timeouts, addresses.

Without ZeroMQ's heartbeats: a client that reads no answers and hangs up would end the server with
them (libzmq 4.3.5), and a line that is busy with one long message would look dead.
"""

from __future__ import annotations

import zmq
from zmq.utils import z85

from ppaurora.mpc.address import address_text
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link.client_connection import HANDSHAKE_SECONDS
from ppaurora.parties.requests.wire import MAX_MESSAGE_BYTES

CURVE_OVERHEAD = 64


def curve_socket(
    context: zmq.Context[zmq.Socket[bytes]], kind: int, identity: Identity
) -> zmq.Socket[bytes]:
    """A socket that encrypts and proves `identity`; the other side's key is still to be set."""
    created = context.socket(kind)
    created.linger = 0
    created.curve_publickey = z85.encode(identity.public.exchange)
    created.curve_secretkey = z85.encode(identity.exchange_private_bytes())
    created.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES + CURVE_OVERHEAD)
    created.setsockopt(zmq.HANDSHAKE_IVL, int(1000 * HANDSHAKE_SECONDS))
    return created


def tcp_address(host: str, port: int) -> str:
    """The place as ZeroMQ writes it."""
    return f"tcp://{address_text(host, port)}"
