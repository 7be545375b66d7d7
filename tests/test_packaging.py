"""What is built holds every file, and works where it is installed, whatever lies beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppaurora.parties.build import source_digest

pytestmark = pytest.mark.slow

HOME = Path(__file__).resolve().parents[1]
PACKAGE = "ppaurora"
CHECKOUT = HOME / ".package" / PACKAGE
ROOMS = ("mpc", "protocols", "parties", "bench")
MADE_BY_RUNNING = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so")
LIBRARY = f"{PACKAGE}/mpc/kernels/_native.abi3.so"
"""What is compiled where the package is built, if there is a compiler."""
SECONDS = 120


def done(*command: str | Path, folder: Path, compiler: str = "") -> str:
    """What a command wrote; it must succeed, and sees nothing of this checkout."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if compiler:
        outside["CC"] = compiler
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=outside,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def built(kind: str, source: Path, folder: Path, *, compiler: str = "") -> Path:
    """The `wheel`, `sdist` or `editable` wheel of a source tree, as pip has it built."""
    hook = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
    folder.mkdir()
    done(sys.executable, "-c", hook, folder, folder=source, compiler=compiler)
    (made,) = folder.iterdir()
    return made


def expected() -> set[str]:
    """Every file that an installation needs, by its place in site-packages."""
    rooms = {
        f"{PACKAGE}/{path.relative_to(HOME).as_posix()}"
        for room in ROOMS
        for path in (HOME / room).rglob("*")
        if path.is_file()
        and path.suffix not in (".md", ".pyc", ".so")
        and path.parent.name != "recorded"
    }
    return rooms | {f"{PACKAGE}/{name}" for name in ("__init__.py", "__main__.py", "py.typed")}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build reads, its links still links, where it may leave things behind."""
    copy = tmp_path_factory.mktemp("checkout")
    for folder in (".package", *ROOMS):
        shutil.copytree(HOME / folder, copy / folder, symlinks=True, ignore=MADE_BY_RUNNING)
    for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(HOME / file, copy)
    assert (copy / ".package" / PACKAGE / "mpc").is_symlink()
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the checkout makes."""
    return built("wheel", checkout, tmp_path_factory.mktemp("wheel") / "built")


@dataclass(frozen=True)
class Installation:
    """An environment that holds the package and borrows its dependencies from this one."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / PACKAGE

    @property
    def site_packages(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found


def installed(wheel: Path, folder: Path) -> Installation:
    """A fresh environment into which pip has put this wheel, without asking any index."""
    venv.create(folder, with_pip=False, symlinks=True)
    fresh = Installation(folder)
    pip = (sys.executable, "-m", "pip", "--python", fresh.python)
    done(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, folder=folder)
    return fresh


def lend(to: Installation) -> None:
    """Let it find the dependencies that are installed here, behind what it has itself."""
    here = [path for path in sys.path if path.endswith("site-packages")]
    (to.site_packages / "borrowed.pth").write_text("\n".join(here))


@pytest.fixture(scope="module")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel in an environment of its own."""
    fresh = installed(wheel, tmp_path_factory.mktemp("installed"))
    top = {path.name for path in fresh.site_packages.iterdir()}
    assert top == {PACKAGE, f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"}
    lend(fresh)
    return fresh


def files_in(wheel: Path) -> set[str]:
    """The places of all files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_holds_every_file_and_one_name(wheel: Path) -> None:
    files = files_in(wheel)
    inside = {name for name in files if name.startswith(f"{PACKAGE}/")}
    assert inside == expected() | ({LIBRARY} if shutil.which("cc") else set())
    assert {name.partition("/")[0] for name in files - inside} == {
        f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    }


def test_a_wheel_is_made_without_a_compiler_and_holds_no_library(
    checkout: Path, tmp_path: Path
) -> None:
    for left in checkout.rglob("build"):
        shutil.rmtree(left)
    made = built("wheel", checkout, tmp_path / "wheel", compiler="no-compiler-of-this-name")
    assert expected() <= files_in(made)
    assert LIBRARY not in files_in(made)


def test_the_sdist_holds_the_same_files_and_makes_the_same_wheel(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(built("sdist", checkout, tmp_path / "sdist")) as archive:
        members = archive.getmembers()
        archive.extraction_filter = lambda member, _: member  # our own archive: as it is
        archive.extractall(tmp_path / "unpacked")
    files = {member.name.partition("/.package/")[2] for member in members if member.isfile()}
    assert not [member.name for member in members if member.issym() or member.islnk()]
    assert expected() <= files
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    with (
        zipfile.ZipFile(built("wheel", unpacked, tmp_path / "wheel")) as again,
        zipfile.ZipFile(wheel) as first,
    ):
        assert set(again.namelist()) == set(first.namelist())


def test_the_runtime_is_imported_without_the_parties(installation: Installation) -> None:
    program = (
        "import json, sys, ppaurora.mpc; ppaurora.mpc.Party; print(json.dumps([*sys.modules]))"
    )
    loaded = json.loads(done(installation.python, "-c", program, folder=installation.folder))
    assert "ppaurora.mpc.party" in loaded
    above = ("ppaurora.parties", "ppaurora.protocols", "ppaurora.bench")
    assert not [name for name in loaded if name.startswith(above)]


def test_the_command_tells_its_version_either_way(installation: Installation, wheel: Path) -> None:
    arithmetic = "native kernels" if LIBRARY in files_in(wheel) else "numpy"
    # the digest of the sources is this checkout's, whose floors are links
    this_build = f"{wheel.name.split('-')[1]}+{source_digest(CHECKOUT)[:16]}"
    told = f"{PACKAGE} {this_build}, {arithmetic}\n"
    folder = installation.folder
    assert done(installation.command, "--version", folder=folder) == told
    assert done(installation.python, "-m", PACKAGE, "--version", folder=folder) == told


def test_the_benchmark_is_a_command_that_nothing_loads_before_it_is_called(
    installation: Installation,
) -> None:
    program = (
        "import sys\n"
        "from ppaurora.parties.commands.main import main\n"
        "try:\n    main(['--help'])\n"
        "finally:\n    assert not [n for n in sys.modules if n.startswith('ppaurora.bench')]\n"
    )
    assert " bench " in done(installation.python, "-c", program, folder=installation.folder)
    told = done(installation.command, "bench", "--help", folder=installation.folder)
    assert "round-trip" in told
    assert "completion" not in told
    rows = "from ppaurora.bench.papers.tables import paper_rows; print(len(paper_rows()))"
    assert done(installation.python, "-c", rows, folder=installation.folder) == "15\n"


def test_an_editable_installation_has_the_same_commands(checkout: Path, tmp_path: Path) -> None:
    editable = installed(built("editable", checkout, tmp_path / "built"), tmp_path / "venv")
    lend(editable)
    assert "round-trip" in done(editable.command, "bench", "--help", folder=tmp_path)
    this_build = f"+{source_digest(CHECKOUT)[:16]}, "
    assert this_build in done(editable.command, "--version", folder=tmp_path)
    where = "import ppaurora.mpc; print(ppaurora.mpc.__file__)"
    assert done(editable.python, "-c", where, folder=tmp_path).startswith(str(checkout))


SCRIPT = """
import bench, mpc, parties, protocols
import numpy as np
from ppaurora import Labelled, Options, simulate

if __name__ == "__main__":
    assert {bench.MINE, mpc.MINE, parties.MINE, protocols.MINE} == {True}
    lists = [
        Labelled(np.array([0.9, 0.4, 0.1]), np.array([1, 0, 0], np.uint8)),
        Labelled(np.array([0.8, 0.4]), np.array([1, 1], np.uint8)),
    ]
    done = simulate(lists, Options(metrics=("auroc",)))
    print(done.equal, *done.result.values.values())
"""


def test_files_of_the_same_names_beside_a_script_disturb_nothing(
    installation: Installation, tmp_path: Path
) -> None:
    for room in ROOMS:
        (tmp_path / f"{room}.py").write_text("MINE = True\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    assert done(installation.python, "script.py", folder=tmp_path) == "True 0.9167\n"
