"""The connections that a firewall has to let through for one who takes part in a study."""

from __future__ import annotations

from collections.abc import Iterable

from ppaurora.mpc.role import Role
from ppaurora.parties.study.study import Study

__all__ = ["firewall_lines"]


def firewall_lines(study: Study, role: Role | None, listen_port: int = 0) -> list[str]:
    """A line for each rule: what comes in from whom, what goes out to whom; all of it is TCP.

    `role` is the server, or None for an owner or a receiver, to whom nobody connects. A server that
    does not listen at the port of its address says at which in `listen_port`.
    """
    if role is None:
        return [f"out to {one.role}: {one.address}" for one in study.servers]
    own = study.server(role)
    port = f"port {listen_port or own.port}"
    if listen_port not in (0, own.port):
        port += f", which others reach as {own.address}"
    first, second = role.others
    lines = [f"in from owners, receivers, {first} and {second}: {port}"]
    for peer in role.others:
        if peer > role:
            ports = (own.link_port(peer, slot) for slot in range(len(own.slots)))
            lines.append(f"in from {peer} ({study.server(peer).host}): {_ports(ports)}, for links")
    for peer in role.others:
        other = study.server(peer)
        line = f"out to {peer}: {other.address}"
        if peer < role:
            ports = (other.link_port(role, slot) for slot in range(len(other.slots)))
            line += f", and its {_ports(ports)}, for links"
        lines.append(line)
    return lines


def _ports(ports: Iterable[int]) -> str:
    numbers = [str(one) for one in sorted(ports)]
    return f"port{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
