"""Structured logs: one JSON object a line on stderr, made of names, counts and times only.

Never a score, a label, a share or a key: callers pass plain public facts by name, and there is no
way to log an arbitrary object.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from datetime import UTC, datetime

__all__ = ["log", "log_unexpected"]

_lock = threading.Lock()


def log(event: str, **facts: str | int | float | bool) -> None:
    """Write `event` and its facts as one line."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": now, "event": event, **facts}, ensure_ascii=False)
    with _lock:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def log_unexpected(event: str, error: BaseException, **facts: str) -> None:
    """Log an error that nobody foresaw by its name; with PPAURORA_DEBUG also where it happened."""
    log(event, error=f"an unexpected {type(error).__name__}", **facts)
    if os.environ.get("PPAURORA_DEBUG"):
        traceback.print_exception(error)
