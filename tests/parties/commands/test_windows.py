"""Owners and receivers use nothing that only POSIX has; servers say what they need."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.request import urlopen

import pytest

from ppaurora.parties.commands.exit_codes import exit_code
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.simulation.processes import environment
from tests.one_interpreter import run_in_one
from tests.parties.desk.open_desk import desk_process
from tests.parties.world import World

WITHOUT_POSIX = """
import os, signal, socket, sys
for module in ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[module] = None
missing = {
    os: "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork getegid geteuid "
        "getgid getgroups getloadavg getuid killpg lchown posix_fadvise setsid splice statvfs",
    signal: "SIGALRM SIGHUP SIGKILL SIGUSR1",
    socket: "AF_UNIX",
}
for module, names in missing.items():
    for name in names.split():
        vars(module).pop(name, None)

def no_folder(path, flags, *more, opened=os.open, **named):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return opened(path, flags, *more, **named)

os.open = no_folder
"""
"""Python as it is on Windows, as far as a program can tell: no such modules and names, and no
folder can be opened."""


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables by which a command finds nothing of POSIX."""
    folder = tmp_path_factory.mktemp("windows")
    (folder / "sitecustomize.py").write_text(WITHOUT_POSIX)
    return {"PYTHONPATH": os.pathsep.join([str(folder), environment()["PYTHONPATH"]])}


@pytest.mark.zeromq
def test_owners_and_receivers_take_part(tmp_path: Path, windows: dict[str, str]) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ben", "cleo")
        ended = run_in_one(
            [
                ("plan", "--auroc=.8", "--prevalence=.1", "--width=.1"),
                ("init", "dora", "--as=owner", "--folder=dora"),
                ("doctor", "--site=ann.toml"),
                ("outsource", "ann.csv", "--site=ann.toml", "--yes"),
                ("result", "--site=ann.toml", "--wait=60", "--output=saved.json"),
                ("status", "--site=ann.toml"),
                ("verify", "saved.json", "--study=study.toml"),
                ("report", "saved.json", "--study=study.toml", "--output=report.html"),
            ],
            tmp_path,
            environment() | windows,
        )
        assert [one for one in ended if one.code] == []
        planned, _, checked, _, told, state, *_ = (one.out + one.err for one in ended)
        assert "1135 samples" in planned
        assert (tmp_path / "dora" / "dora.key").exists()
        assert "P0" in checked
        value = str(world.pooled()["auroc"])
        assert value in told
        assert "P0" in state
        assert value in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_desk_serves_its_page(tmp_path: Path, windows: dict[str, str]) -> None:
    with desk_process(tmp_path, windows) as (address, _), urlopen(address) as page:
        assert b"ppAURORA desk" in page.read()


def test_a_server_says_what_it_needs(tmp_path: Path, windows: dict[str, str]) -> None:
    with World(tmp_path) as world:
        commands = ("server", "P0.toml"), ("demo",)
        for refused in run_in_one(commands, world.folder, environment() | windows):
            assert refused.code == exit_code(ConfigurationError)
            assert "needs Linux or macOS" in refused.err
