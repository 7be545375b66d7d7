#!/usr/bin/env python3
"""The steps of P0 and of an upload as tables, made from the rules by which they go.

.venv/bin/python docs/steps.py           print the parts of docs/ARCHITECTURE.md that are made
.venv/bin/python docs/steps.py --write   put them into the page
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ppaurora.parties.participant import upload_steps
from ppaurora.parties.server.computing import next_step

PAGE = Path(__file__).resolve().parent / "ARCHITECTURE.md"
END = "<!-- end of what docs/steps.py makes -->"


def table(rows: Sequence[tuple[str, str, bool]], step: str, what: str) -> str:
    """The rules in their order: the first whose condition holds names the step."""
    lines = [f"| the first of these that holds | {step} | {what} |", "|---|---|---|"]
    lines += [f"| {said} | {name} | {'ends' if end else 'goes on'} |" for said, name, end in rows]
    return "\n".join(lines)


def tables() -> dict[str, str]:
    """Each table by the comment in the page after which it stands."""
    leader = [(one.condition, one.step, one.step in next_step.ENDING) for one in next_step.RULES]
    upload = [
        (one.condition, one.step, one.step in upload_steps.ENDING) for one in upload_steps.RULES
    ]
    return {
        "<!-- the steps of P0, made by docs/steps.py -->": table(
            leader, "P0's next step", "the visit"
        ),
        "<!-- the steps of an upload, made by docs/steps.py -->": table(
            upload, "the owner's next step", "the upload"
        ),
    }


def written(page: str) -> str:
    """The page with the tables renewed."""
    for comment, content in tables().items():
        before, begin, rest = page.partition(comment)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SystemExit(f"{PAGE} has lost the two comments around a table: {comment}")
        page = f"{before}{comment}\n\n{content}\n\n{END}{after}"
    return page


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n\n".join(tables().values()))
