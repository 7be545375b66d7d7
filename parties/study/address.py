"""Addresses as people write them into study and site files."""

from __future__ import annotations

__all__ = ["split_address"]


def split_address(text: str) -> tuple[str, int] | None:
    """The parts of "host:port" or "[ipv6]:port", or None where the text is something else."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or "/" in host:
        return None
    return host, int(port)
