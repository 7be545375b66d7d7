"""Several commands of the program, one after another in one new interpreter.

Each interpreter imports the whole program, which takes a second of a processor. Where a test needs
one that is not forked, with other modules than this process has, its commands share one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.until import SECONDS

PROGRAM = """
import contextlib, io, json, sys
from ppaurora.parties.commands.main import main

commands, forks = json.loads(sys.argv[1])
if forks:
    from ppaurora.parties.simulation import processes
    from tests import forked

    processes.start_server = forked.start_server
ended = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            exec(command[1]) if command[0] == "-c" else main(command)
        except SystemExit as leaving:
            code = leaving.code or 0
    ended.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(ended))
"""


@dataclass(frozen=True)
class Ended:
    """A command that has ended, with what it wrote."""

    code: int
    out: str
    err: str


def run_in_one(
    commands: Sequence[Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
    *,
    forks: bool = False,
) -> list[Ended]:
    """Run these commands of `ppaurora`, or the Python of `-c TEXT`, in the folder.

    Servers that a command starts are forked if the program is one that `forks`.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([[list(one) for one in commands], forks])],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Ended(*one) for one in json.loads(done.stdout)]
