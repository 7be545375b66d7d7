"""Starting the three servers as processes of this machine, and ending them again."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import IO

import ppaurora
from ppaurora.parties.errors import ConfigurationError, LocalServerFailed
from ppaurora.parties.posix import check_servers_run_here

STOP_SECONDS = 60.0
START_SECONDS = "PPAURORA_START_SECONDS"
"""The variable of the environment that says how long a server may take to start."""
USUAL_START_SECONDS = 600.0
"""Far more than a busy machine needs; only a server that hangs meets it."""
TELL_SECONDS = 5.0
"""After so long somebody who waits is told for what, and again each time this has doubled."""
LAST_LINES, LAST_BYTES = 5, 4000


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs `module` with this very Python."""
    return [sys.executable, "-m", module, *arguments]


def command(*arguments: str) -> list[str]:
    """The command line that runs `ppaurora` with this very Python."""
    return module_command("ppaurora", *arguments)


def environment() -> dict[str, str]:
    """The environment in which a process finds this very package, installed or not."""
    home = str(Path(ppaurora.__file__).parents[1])
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
    check_servers_run_here()
    with contextlib.ExitStack() as stack:
        running: list[subprocess.Popen[bytes]] = []
        stack.callback(_stop, running)
        for site, entrance in zip(sites, entrances or [()] * len(sites), strict=True):
            where = None
            if logs is not None:
                where = stack.enter_context((logs / f"{site.stem}.log").open("ab"))
            running.append(start_server(site, where, entrance))
        yield running


def start_server(
    site: Path, log: IO[bytes] | None, entrance: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """The process of this site's server, begun by the command of its entrance, if there is one."""
    started = [*entrance, *command("server", str(site))]
    return subprocess.Popen(started, stderr=log, env=environment())


def start_seconds() -> float:
    """For how long a server that lives is waited for until it serves, in seconds."""
    text = os.environ.get(START_SECONDS, "")
    try:
        seconds = float(text or USUAL_START_SECONDS)
    except ValueError:
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise ConfigurationError(
            f"{START_SECONDS} is {text!r}, which is not a number of seconds",
            advice=f"Set it to a number above 0, or leave it out for {USUAL_START_SECONDS:.0f}.",
        )
    return seconds


def await_start(
    process: subprocess.Popen[bytes],
    log: Path,
    start: int = 0,
    on_message: Callable[[str], None] = lambda _: None,
    *,
    kept: bool = True,
) -> None:
    """Wait until the server's log, from the byte `start` on, says that it serves.

    A server that lives is waited for, however slow it is, up to `start_seconds`, and `on_message`
    hears of it now and then. One that has ended is told with its last lines. A log that is not
    `kept` is no place to look at afterwards.
    """
    name, most, begun, tell = log.stem, start_seconds(), time.monotonic(), TELL_SECONDS
    while b'"server starts"' not in log.read_bytes()[start:]:
        check_lives(process, log, start)
        passed = time.monotonic() - begun
        if passed > most:
            raise LocalServerFailed(
                f"{name} was still starting after {most:g} s, as process {process.pid}"
                f"{f'; see {log}' if kept else ''}. {_last_words(log, start)}",
                advice=f"On a machine that is so slow set {START_SECONDS} higher"
                + ("." if kept else "; `ppaurora simulate --keep FOLDER` keeps the logs."),
            )
        if passed > tell:
            on_message(f"waiting for {name} to start: it lives, {passed:.0f} s so far")
            tell *= 2
        time.sleep(0.02)


def check_lives(process: subprocess.Popen[bytes], log: Path, start: int = 0) -> None:
    """Raise what the server wrote last, from the byte `start` of its log on, if it has ended."""
    code = process.poll()
    if code is not None:
        how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
        raise LocalServerFailed(
            f"{log.stem} ended {how}. {_last_words(log, start)}",
            advice="Correct what it names, and try again.",
        )


def _last_words(log: Path, start: int) -> str:
    lines = log.read_bytes()[start:][-LAST_BYTES:].decode("utf-8", "replace").splitlines()
    return "\n".join(["Its last lines:", *lines[-LAST_LINES:]]) if lines else "It wrote nothing"


def _stop(running: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask all of them to end; what still runs after a minute is killed, which loses nothing."""
    for process in running:
        process.terminate()
    until = time.monotonic() + STOP_SECONDS
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
