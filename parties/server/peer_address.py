"""Where a peer is, for the log."""

from __future__ import annotations

from ppaurora.parties.study.study import Study

__all__ = ["peer_address"]


def peer_address(study: Study, name: str) -> str:
    """The address of the study's server with this name, such as P1; nothing if there is none."""
    return next((one.address for one in study.servers if str(one.role) == name), "")
