"""Every transport behind one fixture: `open_links_of_all(limits)` gives the links of all roles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from mpc.keys import Identity
from mpc.link import Endpoint, Limits, Link, memory_links, open_links
from mpc.role import Role

SESSION = b"session of tests"
PATIENT = Limits(deadline=5.0, connect=10.0)
Links = dict[Role, dict[Role, Link]]
Opener = Callable[..., Links]


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


@pytest.fixture(
    params=[
        "memory",
        pytest.param("plain", marks=pytest.mark.zeromq),
        pytest.param("curve", marks=pytest.mark.zeromq),
    ]
)
def open_all(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens all links over one transport after the other, and closes them after the test."""
    opened: list[Links] = []

    def opener(limits: Limits = PATIENT) -> Links:
        if request.param == "memory":
            links = memory_links(SESSION, limits)
        else:
            links = zeromq_links(limits, insecure_plain=request.param == "plain")
        opened.append(links)
        return links

    yield opener
    for links in opened:
        for of_one in links.values():
            for link in of_one.values():
                link.close()
