"""A build holds every file, and works where it is installed, whatever lies beside it."""

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
from tests.docs.tree import HOME
from tests.package_copy import FLOORS, copy_package

pytestmark = pytest.mark.slow

PACKAGE = "ppaurora"
EXPERIMENTS = ("bench/papers/", "bench/peers/")
BESIDE = (
    ".ci", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "README.md",
    "SECURITY.md", "deploy", "docs", "examples", "integrations", "pyproject.toml", "scripts",
    "setup.py", "tests",
)  # fmt: skip
"""Files that an archive of the repository holds beside the package."""
LIBRARY = f"{PACKAGE}/mpc/kernels/_native.abi3.so"
"""Files that are compiled where the package is built, if there is a compiler."""
SECONDS = 120


def done(*command: str | Path, folder: Path, compiler: str = "") -> str:
    """The output of a command, which must succeed and sees nothing of this checkout."""
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
    floors = {
        path.relative_to(HOME).as_posix()
        for floor in FLOORS
        for path in (HOME / floor).rglob("*")
        if path.is_file()
        and path.suffix not in (".md", ".pyc", ".so")
        and path.parent.name != "recorded"
    }
    needed = {name for name in floors if not name.startswith(EXPERIMENTS)}
    assert needed < floors
    names = needed | {"__init__.py", "__main__.py", "public.py", "py.typed"}
    return {f"{PACKAGE}/{name}" for name in names}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree without links, as an archive of the repository gives it."""
    copy = copy_package(tmp_path_factory.mktemp("checkout") / "tree", *BESIDE)
    assert not [path for path in copy.rglob("*") if path.is_symlink()]
    return copy


@pytest.fixture(scope="module")
def unpacked(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution that the checkout makes, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", checkout, folder / "built")) as archive:
        archive.extraction_filter = lambda member, _: member  # our own archive: as it is
        archive.extractall(folder / "unpacked")
    (tree,) = (folder / "unpacked").iterdir()
    return tree


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the source distribution makes."""
    return built("wheel", unpacked, tmp_path_factory.mktemp("wheel") / "built")


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
    # what is imported is compiled then, and nothing else
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile")
    done(*pip, "install", *options, wheel, folder=folder)
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


def test_a_checkout_without_a_compiler_makes_the_same_wheel_but_for_the_library(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    made = built("wheel", checkout, tmp_path / "wheel", compiler="no-compiler-of-this-name")
    assert LIBRARY not in files_in(made)
    parts = [
        {name for name in files_in(one) if name.startswith(f"{PACKAGE}/")} for one in (made, wheel)
    ]
    assert parts[0] == parts[1] - {LIBRARY}


def test_the_sdist_holds_the_whole_checkout(checkout: Path, unpacked: Path) -> None:
    inside, sources = (
        {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
        for tree in (unpacked, checkout)
    )
    assert not [path for path in unpacked.rglob("*") if path.is_symlink()]
    made = {name for name in sources if name.partition("/")[0] in ("build", "ppaurora.egg-info")}
    assert sources - made <= inside


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
    # the digest of the sources is this checkout's
    this_build = f"{wheel.name.split('-')[1]}+{source_digest(HOME)[:16]}"
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


def test_the_experiments_are_in_a_checkout_and_the_installed_command_says_so(
    installation: Installation,
) -> None:
    program = (
        "import sys, typer\n"
        "from ppaurora.bench.checkout import EXPERIMENTS\n"
        "from ppaurora.bench.errors import ToolAbsent\n"
        "from ppaurora.bench.main import app\n"
        "assert {one.name for one in app.registered_commands} > {*EXPERIMENTS, 'scale'}\n"
        "for name in EXPERIMENTS:\n"
        "    try:\n        app([name, '--rows', '8x1000', '--help'], standalone_mode=False)\n"
        "    except ToolAbsent as error:\n        print(error)\n"
    )
    told = done(installation.python, "-c", program, folder=installation.folder).splitlines()
    assert len(told) == 5
    assert all("python3 scripts/benchmark.py" in line for line in told)


@pytest.mark.weekly
def test_an_installation_computes_a_study_of_tiny_lists(
    installation: Installation, tmp_path: Path
) -> None:
    """By the command, as `test_files_of_the_same_names_beside_a_script_disturb_nothing` does from
    Python in CI.
    """
    (tmp_path / "a.csv").write_text("score,label\n0.9,1\n0.4,0\n0.1,0\n")
    (tmp_path / "b.csv").write_text("score,label\n0.8,1\n0.4,1\n")
    command = ("simulate", "a.csv", "b.csv", "--metric=auroc", "--format=json")
    told = json.loads(done(installation.command, *command, folder=tmp_path))
    assert told["values"]["auroc"]["value"] == "0.9167"


def test_an_editable_installation_has_the_same_commands(checkout: Path, tmp_path: Path) -> None:
    # that a compiler makes the library is the wheel's test
    made = built("editable", checkout, tmp_path / "built", compiler="no-compiler-of-this-name")
    editable = installed(made, tmp_path / "venv")
    lend(editable)
    assert "round-trip" in done(editable.command, "bench", "--help", folder=tmp_path)
    this_build = f"+{source_digest(HOME)[:16]}, "
    assert this_build in done(editable.command, "--version", folder=tmp_path)
    where = "import ppaurora.mpc; print(ppaurora.mpc.__file__)"
    assert done(editable.python, "-c", where, folder=tmp_path).startswith(str(checkout))
    # a new file is there at once, and its floor is no package of its own
    new = checkout / "protocols" / "statistics" / "arrived_later.py"
    new.write_text("HERE = True\n")
    later = (
        "from importlib import import_module\n"
        "from importlib.util import find_spec\n"
        "from pkgutil import iter_modules\n"
        "statistics = import_module('ppaurora.protocols.statistics').__path__\n"
        "assert 'arrived_later' in {module.name for module in iter_modules(statistics)}\n"
        "from ppaurora.protocols.statistics.arrived_later import HERE\n"
        "from ppaurora.bench.papers.tables import paper_rows\n"
        "print(HERE, find_spec('protocols'), len(paper_rows()))\n"
    )
    try:
        told = done(editable.python, "-c", later, folder=tmp_path)
        assert told == "True None 15\n"
    finally:
        new.unlink()


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
    for room in FLOORS:
        (tmp_path / f"{room}.py").write_text("MINE = True\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    assert done(installation.python, "script.py", folder=tmp_path) == "True 0.9167\n"
