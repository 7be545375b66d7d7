"""docs/MESSAGES.md quotes what the program says, and every quoted message is held by a test."""

from __future__ import annotations

import re

from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.requests.status import State
from tests.docs.tree import page, texts

PAGE = page("docs/MESSAGES.md")
COMMAND = re.compile(r"ppaurora |--|pip ")


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    part = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_every_exit_code_is_told() -> None:
    assert [int(cells[0]) for cells in rows("Exit codes")] == sorted(ExitCode)


def test_every_state_is_told() -> None:
    assert [cells[0].strip("`") for cells in rows("The states of a study")] == list(State)


def test_every_message_is_held_by_a_test() -> None:
    held = "".join(
        text for name, text in texts() if name.startswith("tests/") and name.endswith(".py")
    )
    said = [cells[2] for cells in rows("Messages, and what they replaced")]
    quoted = [one for cell in said for one in re.findall(r"`([^`]+)`", cell)]
    assert len(quoted) > 25
    assert [one for one in quoted if one not in held and not COMMAND.match(one)] == []
