"""The local address of a server's health page: `[server] health` in site.toml."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from ppaurora.mpc.address import split_address
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.toml_table import TomlTable

EXAMPLE = 'For example "127.0.0.1:9100"; no other machine is told.'


def health_address(server: TomlTable) -> tuple[str, int] | None:
    """The loopback address in the table `[server]`, or None where there is none.

    A name such as localhost is refused: what it stands for is decided elsewhere.
    """
    text = server.take("health", str, "")
    if not text:
        return None
    place = split_address(text)
    if place is None or not _is_loopback(place[0]):
        raise server.fault("health", "must be a loopback address with a port", EXAMPLE)
    return place


def health_address_in(site: Path) -> tuple[str, int]:
    """The address in a site file of which nothing else is read, so that probes start quickly."""
    top = TomlTable.load(site)
    place = health_address(top.table("server", optional=True))
    if place is None:
        raise ConfigurationError(
            f"{site} does not say where this server tells how it is",
            advice='Write [server] health = "127.0.0.1:9100" and restart the server.',
        )
    return place


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
