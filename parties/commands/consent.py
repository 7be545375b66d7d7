"""Asking a person before something is done that cannot be taken back."""

from __future__ import annotations

import sys

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.reports.console import err


def ask_before(doing: str, what: str, done: str) -> None:
    """Let a person decide; without one at a terminal only --yes will do.

    `ask_before("send", "this list", "sent")` asks whether to send it.
    """
    if not sys.stdin.isatty():
        raise PolicyRefusal(
            f"Nobody can be asked here whether to {doing} {what}, so nothing was {done}",
            advice=f"Add --yes to {doing} it without being asked.",
        )
    from rich.prompt import Confirm

    if not Confirm.ask(f"{doing.capitalize()} it?", console=err()):
        raise PolicyRefusal(f"You said no; nothing was {done}")
