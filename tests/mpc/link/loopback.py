"""The links of three parties over real sockets, in one process."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, Limits, Link, open_links
from ppaurora.mpc.role import Role

SESSION = b"session of tests"
PATIENT = Limits(deadline=5.0, connect=10.0)
Links = dict[Role, dict[Role, Link]]


def zeromq_links(limits: Limits = PATIENT, *, insecure_plain: bool = False) -> Links:
    """All three parties' links over loopback, opened by three threads as three processes would."""
    identities = {role: Identity.generate() for role in Role}
    ports: dict[tuple[Role, Role], Future[int]] = {
        (role, peer): Future() for role in Role for peer in role.others if role < peer
    }

    def endpoint(role: Role, peer: Role) -> Endpoint:
        listen = role < peer
        port = 0 if listen else ports[peer, role].result(5)
        return Endpoint("127.0.0.1", port, identities[peer].public, listen)

    def open_one(role: Role) -> dict[Role, Link]:
        return open_links(
            role,
            identities[role],
            {peer: endpoint(role, peer) for peer in role.others},
            SESSION,
            limits=limits,
            on_bound=lambda peer, port: ports[role, peer].set_result(port),
            insecure_plain=insecure_plain,
        )

    with ThreadPoolExecutor(3) as pool:
        futures = {role: pool.submit(open_one, role) for role in Role}
        return {role: future.result() for role, future in futures.items()}
