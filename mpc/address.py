"""A host and a port as one text, as people and ZeroMQ write them."""

from __future__ import annotations


def address_text(host: str, port: int | str) -> str:
    """The host and the port as one text; an IPv6 address stands in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split_address(text: str) -> tuple[str, int] | None:
    """The parts of "host:port" or "[ipv6]:port", or None where the text is something else."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or "/" in host:
        return None
    return host, int(port)
