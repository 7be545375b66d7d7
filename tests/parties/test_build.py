"""Two builds of one version are told apart by their sources, and by nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import ppaurora.mpc
from ppaurora.mpc.role import Role
from ppaurora.parties.build import build, source_digest
from ppaurora.parties.simulation.processes import await_start, command, environment
from tests.package_copy import copy_package
from tests.parties.world import World
from tests.until import SECONDS, until

FLOORS = Path(ppaurora.mpc.__file__).parents[1]
SOURCES = {
    "mpc/role.py": b"ROLES = 3\n",
    "mpc/kernels/gates.c": b"int three = 3;\n",
    "protocols/evaluate.py": b"from mpc import role\n\n",
    "protocols/statistics/auroc.py": b"half = .5\n",
}
Change = Callable[[Path], object]


def written(folder: Path, sources: dict[str, bytes]) -> Path:
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return folder


def test_line_ends_times_order_and_what_is_made_of_the_sources_do_not_count(
    tmp_path: Path,
) -> None:
    first = written(tmp_path / "first", SOURCES)
    windows = {name: text.replace(b"\n", b"\r\n") for name, text in reversed(SOURCES.items())}
    more = {
        "mpc/__pycache__/role.cpython-311.pyc": b"compiled",
        "mpc/kernels/_native.abi3.so": b"compiled",
        "mpc/README.md": b"a page",
        "parties/server/server.py": b"another floor",
        "__init__.py": b"the package",
    }
    other = written(tmp_path / "other", windows | more)
    for path in other.rglob("*"):
        os.utime(path, (1, 1))
    assert source_digest(first) == source_digest(other)


@pytest.mark.parametrize(
    "change",
    [
        lambda at: (at / "mpc/role.py").write_bytes(b"ROLES = 4\n"),
        lambda at: (at / "mpc/role.py").write_bytes(b"ROLES = 3\n\n"),
        lambda at: (at / "mpc/kernels/gates.c").write_bytes(b"int three = 4;\n"),
        lambda at: (at / "mpc/role.py").rename(at / "mpc/roles.py"),
        lambda at: (at / "mpc/role.py").rename(at / "protocols/role.py"),
        lambda at: (at / "protocols/statistics/auroc.py").unlink(),
        lambda at: (at / "protocols/statistics/new.py").write_bytes(b""),
        lambda at: (at / "protocols/evaluate.py").write_bytes(b"from mpc import role\n"),
    ],
)
def test_every_change_of_what_computes_counts(tmp_path: Path, change: Change) -> None:
    folder = written(tmp_path, SOURCES)
    before = source_digest(folder)
    change(folder)
    assert source_digest(folder) != before


def test_what_moves_from_one_file_to_the_next_counts(tmp_path: Path) -> None:
    first = written(tmp_path / "1", {"mpc/a.py": b"x", "mpc/b.py": b"y"})
    second = written(tmp_path / "2", {"mpc/a.py": b"", "mpc/b.py": b"xy"})
    third = written(tmp_path / "3", {"mpc/a.py": b"xmpc/b.pyy"})
    assert len({source_digest(one) for one in (first, second, third)}) == 3


def test_the_build_is_the_version_and_the_digest_of_this_very_package() -> None:
    assert build() == f"{ppaurora.__version__}+{source_digest(FLOORS)[:16]}"
    assert re.fullmatch(r"[0-9.a-z]+\+[0-9a-f]{16}", build())


def other_build(folder: Path) -> dict[str, str]:
    """The environment of this program with one comment more."""
    with (copy_package(folder) / "protocols" / "evaluate.py").open("a") as file:
        file.write("# one comment more\n")
    return {**environment(), "PYTHONPATH": str(folder)}


@pytest.mark.zeromq
def test_servers_of_two_builds_of_one_version_refuse_each_other_and_name_both(
    tmp_path: Path,
) -> None:
    variables = other_build(tmp_path / "other")
    told = subprocess.run(
        command("--version"),
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    other = told.stdout.split()[1].rstrip(",")
    assert other.partition("+")[0] == build().partition("+")[0]
    assert other != build()
    with World(tmp_path) as world:
        world.start(Role.P0, Role.P1)
        log = tmp_path / "helper.log"
        with log.open("ab") as file:
            helper = subprocess.Popen(
                command("server", str(world.site(Role.HELPER))),
                cwd=tmp_path,
                stderr=file,
                env=variables,
            )
        world.processes[Role.HELPER] = helper
        await_start(helper, log)
        assert f'"build": "{other}"' in world.log(Role.HELPER)
        world.upload()
        until(lambda: world.status(Role.P0).last_problem)
        problem = world.status(Role.P0).last_problem
        assert "disagrees about the parameter software" in problem
        assert other in problem
        assert build() in problem
        shown = " ".join(world.run("status", "--site=ann.toml").stdout.split())
        assert f"P0 runs {build()}, P1 runs {build()}, helper runs {other}" in shown
        checked = " ".join(world.run("doctor", "--site=ann.toml").stdout.split())
        assert f"helper runs ppaurora {other}, this is {build()}" in checked
