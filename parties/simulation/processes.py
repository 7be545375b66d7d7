"""Starting the three servers as processes of this machine, and ending them again."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import ppaurora
from ppaurora.parties.errors import ConfigurationError

__all__ = ["await_start", "command", "environment", "module_command", "servers"]

STOP_SECONDS = 5.0
START_SECONDS = 20.0


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs `module` with this very Python."""
    return [sys.executable, "-m", module, *arguments]


def command(*arguments: str) -> list[str]:
    """The command line that runs `ppaurora` with this very Python."""
    return module_command("ppaurora", *arguments)


def environment() -> dict[str, str]:
    """The environment in which a process finds this very package, installed or not."""
    home = str(Path(ppaurora.__file__).parent.parent)
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@contextlib.contextmanager
def servers(
    sites: Sequence[Path],
    logs: Path | None = None,
    entrances: Sequence[Sequence[str]] | None = None,
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """One server process for each site file, all running when the block begins.

    Each is started by the command of its entrance, if there are any: that of another host.
    """
    with contextlib.ExitStack() as stack:
        running = []
        for site, entrance in zip(sites, entrances or [()] * len(sites), strict=True):
            where = None
            if logs is not None:
                where = stack.enter_context((logs / f"{site.stem}.log").open("ab"))
            process = subprocess.Popen(
                [*entrance, *command("server", str(site))], stderr=where, env=environment()
            )
            running.append(process)
            stack.callback(_stop, process)
        yield running


def await_start(process: subprocess.Popen[bytes], log: Path, start: int = 0) -> None:
    """Wait until the server's log, from the byte `start` on, says that it serves."""
    until = time.monotonic() + START_SECONDS
    while b'"server starts"' not in (written := log.read_bytes()[start:]):
        if process.poll() is not None or time.monotonic() > until:
            lines = written.decode("utf-8", "replace").splitlines() or ["it gave no reason"]
            raise ConfigurationError(
                f"A server did not start: {lines[-1]}",
                advice="Correct that and try again.",
            )
        time.sleep(0.02)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
