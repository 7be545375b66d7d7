"""The scripts of a clone become what they start: a signal to one reaches the servers behind it."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from ppaurora.bench.main import app as bench
from ppaurora.mpc.role import Role
from ppaurora.parties.simulation.processes import environment
from tests.docs.tree import HOME, page
from tests.parties.world import World
from tests.until import SECONDS, until

SCRIPTS = HOME / "scripts"


def script(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(SCRIPTS / name), *arguments]


def run(name: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        script(name, *arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script as a module, which starts nothing."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def auroc_by_pairs(world: World) -> Fraction:
    """Every positive beside every negative of all lists; a tie counts half."""
    rows = [
        row
        for table in world.tables.values()
        for row in zip(table.scores.tolist(), table.labels.tolist(), strict=True)
    ]
    positives = [score for score, label in rows if label]
    negatives = [score for score, label in rows if not label]
    won = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    return Fraction(won, 2 * len(positives) * len(negatives))


def ports(world: World) -> list[int]:
    return [port for one in world.study.servers for port in (one.port, *one.link_ports)]


def is_free(port: int) -> bool:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


@pytest.mark.zeromq
def test_a_study_runs_by_launch_and_outsource_and_a_signal_ends_all_servers(
    tmp_path: Path,
) -> None:
    with World(tmp_path, ("ann", "ben")) as world:
        sites = [str(world.site(role)) for role in Role]
        log = tmp_path / "all.log"
        with log.open("wb") as file:
            launched = subprocess.Popen(script("launch.py", *sites), stderr=file)
        try:
            until(lambda: log.read_text().count("server starts") == len(Role))
            sent = run("outsource.py", "ann.csv", "--site=ann.toml", "--yes", folder=tmp_path)
            assert sent.returncode == 0, sent.stderr
            world.upload("ben")
            released = str(world.result("ann")["auroc"])
            assert Fraction(released) == round(auroc_by_pairs(world), 4)
            assert not any(map(is_free, (one.port for one in world.study.servers)))
            launched.send_signal(signal.SIGTERM)
            assert launched.wait(SECONDS) == 0
            # at once: whoever started it may start it again
            assert all(map(is_free, ports(world)))
            assert log.read_text().count("server stops") == len(Role)
        finally:
            if launched.poll() is None:
                launched.terminate()
                launched.wait()


def test_a_script_is_the_process_that_it_starts(tmp_path: Path) -> None:
    program = (
        f"import os, sys; sys.path.insert(0, {str(SCRIPTS)!r})\n"
        "from pathlib import Path\nfrom environment import run\n"
        "print(os.getpid(), flush=True)\n"
        "run(Path(sys.executable), '-c', 'import os; print(os.getpid(), os.getcwd())',"
        f" folder=Path({str(tmp_path)!r}))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    script_, started, folder = told.stdout.split()
    assert script_ == started
    assert os.path.samefile(folder, tmp_path)


def test_the_help_text_of_the_benchmarks_names_all_of_them(tmp_path: Path) -> None:
    told = run("benchmark.py", "--help", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "[bench]" not in told.stderr
    names = [str(one.name) for one in bench.registered_commands]
    assert "papers" in names
    assert [name for name in names if f"  {name} " not in told.stdout] == []


def test_only_a_benchmark_needs_what_benchmarks_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = loaded("benchmark", monkeypatch).needed
    assert needed(["tables", "--rows", "8x1000"]) == ("bench",)
    assert needed([]) == needed(["--help"]) == needed(["papers", "--help"]) == ()
    # and the help text comes without it
    blocked = "import sys\nfor one in ('matplotlib', 'sklearn'): sys.modules[one] = None\n"
    program = f"{blocked}from ppaurora.parties.commands.main import main\nmain(['bench', '--help'])"
    subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        timeout=SECONDS,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def test_an_environment_with_more_extras_need_not_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = loaded("environment", monkeypatch)
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    assert not scripts._installed((), "1")
    (tmp_path / "installed-postgres-test").write_text("1")
    assert scripts._installed((), "1")
    assert scripts._installed(("test",), "1")
    assert scripts._installed(("postgres", "test"), "1")
    assert not scripts._installed(("bench",), "1")
    assert not scripts._installed((), "2")


def test_every_script_that_somebody_starts_stands_in_the_pages() -> None:
    told = page("README.md") + page("CONTRIBUTING.md")
    names = sorted(path.name for path in SCRIPTS.glob("*.py") if path.stem != "environment")
    assert "launch.py" in names
    assert [name for name in names if name not in told] == []
