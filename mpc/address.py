"""A host and a port as one text, as people and ZeroMQ write them."""

from __future__ import annotations

__all__ = ["address_text"]


def address_text(host: str, port: int | str) -> str:
    """The host and the port as one text; an IPv6 address stands in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
