"""A PostgreSQL of one's own for a while: the machine's programs, a fresh folder, a local socket.

It listens on no network. PostgreSQL refuses to run as root, so root lends it an ordinary user.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ppaurora.bench.errors import RunFailed

SECONDS = 60.0
ORDINARY = ("postgres", "nobody")
USER = "owner"
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "max_wal_size": "4GB",
}


@dataclass(frozen=True, slots=True)
class OwnPostgres:
    """The address at which it is reached; the password belongs into PGPASSWORD."""

    address: str
    password: str = field(repr=False)


@contextlib.contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """A running server, which is gone with all its data afterwards."""
    programs = _programs()
    with contextlib.ExitStack() as stack:
        # not below a folder that is closed to the user who runs it
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ppaurora-pg-")))
        user = _ordinary()
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        password = secrets.token_urlsafe(12)
        secret = folder / "password"
        secret.write_text(password)
        secret.chmod(0o600)
        if user is not None:
            os.chown(secret, user.pw_uid, user.pw_gid)
        data = folder / "data"
        made = subprocess.run(
            [
                programs / "initdb", f"--pgdata={data}", f"--username={USER}", "--no-sync",
                "--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C",
            ],
            capture_output=True, text=True, check=False, timeout=SECONDS, **_as(user),
        )  # fmt: skip
        if made.returncode:
            raise RunFailed(f"initdb ended with {made.returncode}: {made.stderr[-400:]}")
        settings = {**SETTINGS, "unix_socket_directories": str(folder)}
        stated = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        log = stack.enter_context((folder / "log").open("wb"))
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, *stated], stdout=log, stderr=log, **_as(user)
        )
        stack.callback(_end, server)
        _await(server, folder)
        yield OwnPostgres(f"postgresql://{USER}@/postgres?host={quote(str(folder))}", password)


def _programs() -> Path:
    """The folder of PostgreSQL's programs, which distributions keep out of PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not places:
        raise RunFailed(
            "PostgreSQL is not on this machine", advice="Install the package postgresql."
        )
    return places[-1].parent


def _ordinary() -> pwd.struct_passwd | None:
    """Another user to run it, where this one is root."""
    if os.geteuid() != 0:
        return None
    for name in ORDINARY:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RunFailed("PostgreSQL refuses to run as root, and there is no other user to lend it")


def _as(user: pwd.struct_passwd | None) -> dict[str, Any]:
    if user is None:
        return {"cwd": "/"}
    return {"cwd": "/", "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _await(server: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until it takes connections."""
    until = time.monotonic() + SECONDS
    ready = folder / "data" / "postmaster.pid"
    while time.monotonic() < until:
        if server.poll() is not None:
            raise RunFailed(f"PostgreSQL ended at once: {(folder / 'log').read_text()[-400:]}")
        with contextlib.suppress(OSError, IndexError):
            if ready.read_text().splitlines()[7].strip() == "ready":
                return
        time.sleep(0.05)
    raise RunFailed(f"PostgreSQL did not start within {SECONDS:.0f} seconds")


def _end(server: subprocess.Popen[bytes]) -> None:
    # a fast shutdown: what it holds is thrown away anyway
    server.send_signal(2)
    try:
        server.wait(SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
