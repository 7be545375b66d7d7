#!/usr/bin/env python3
"""The steps of P0 as a table, made from the rules by which the leader goes.

.venv/bin/python docs/steps.py           print the part of docs/ARCHITECTURE.md that is made
.venv/bin/python docs/steps.py --write   put it into the page
"""

from __future__ import annotations

import sys
from pathlib import Path

from ppaurora.parties.server.computing.next_step import ENDING, RULES

PAGE = Path(__file__).resolve().parent / "ARCHITECTURE.md"
BEGIN, END = "<!-- made by docs/steps.py -->", "<!-- end of what docs/steps.py makes -->"


def table() -> str:
    """The rules in their order: the first whose condition holds names the step."""
    lines = ["| the first of these that holds | P0's next step | the visit |", "|---|---|---|"]
    lines += [
        f"| {rule.condition} | {rule.step} | {'ends' if rule.step in ENDING else 'goes on'} |"
        for rule in RULES
    ]
    return "\n".join(lines)


def written(page: str) -> str:
    """The page with the table renewed."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE} has lost the two comments around the table of steps")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(table())
