"""The audit log: one line for each stranger who was turned away at a port.

Each line carries the stranger's address beside its text, so that whoever limits how many are
written can count by address.
"""

from __future__ import annotations

import logging

__all__ = ["AUDIT", "stranger", "stranger_of"]

AUDIT = logging.getLogger("ppaurora.audit")


def stranger(address: str) -> dict[str, object]:
    """The address as it goes with a line: `AUDIT.warning(..., extra=stranger(address))`."""
    return {"stranger": address}


def stranger_of(record: logging.LogRecord) -> str:
    """The address that goes with this line, or nothing."""
    return str(getattr(record, "stranger", ""))
