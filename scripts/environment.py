"""The project's own environment, made on first use: needs nothing but Python 3.11 or newer."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NoReturn

HOME = Path(__file__).resolve().parent.parent
FOLDER = HOME / ".venv"
PROGRAMS = FOLDER / ("Scripts" if os.name == "nt" else "bin")
LIBRARIES = FOLDER / ("Lib" if os.name == "nt" else "lib")
INSTALLED = "installed-"
LEAST_VERSION = (3, 11)
BUILT_FROM = ("pyproject.toml", "setup.py", "mpc/kernels/*.[ch]")
"""The files whose changes an editable installation has to be renewed for."""
FLOORS = ("bench", "mpc", "parties", "protocols")
TYPES = FOLDER / "types" / "ppaurora"
"""Links to all parts of the package, for mypy, which finds a module by its folder alone."""


def ready(*extras: str) -> Path:
    """The environment's Python, with the project and these extras installed."""
    if sys.version_info < LEAST_VERSION:
        sys.exit(f"This needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    python = PROGRAMS / ("python.exe" if os.name == "nt" else "python")
    if not python.exists():
        _say(f"making an environment in {FOLDER.name}")
        try:
            venv.create(FOLDER, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(
                f"The environment cannot be made: {error}. On Debian and Ubuntu, "
                "install the package python3-venv; then try again."
            )
    if os.name != "nt":
        _link_for_types()
    wanted = f".[{','.join(extras)}]" if extras else "."
    built_from = b"".join(
        path.read_bytes() for name in BUILT_FROM for path in sorted(HOME.glob(name))
    )
    version = hashlib.sha256(built_from).hexdigest()
    if not _installed(extras, version):
        _say(f"installing {wanted}")
        # pip compiles on one processor
        quietly = ("--quiet", "--no-compile")
        command = [str(python), "-m", "pip", "install", *quietly, "--editable", wanted]
        quiet = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if subprocess.run(command, cwd=HOME, env=quiet, check=False).returncode:
            sys.exit("The installation failed; see above. With a network, try again.")
        _compile(python, str(LIBRARIES))
        (FOLDER / f"{INSTALLED}{'-'.join(extras) or 'plain'}").write_text(version)
    _compile(python, "ppaurora", *FLOORS)
    return python


def _compile(python: Path, *folders: str) -> None:
    """Compile what has changed once, since tests start thousands of processes that import it.

    Processes read it where the machine says PYTHONDONTWRITEBYTECODE, too. Libraries come with
    files of other versions of Python, which are nobody's fault.
    """
    loud = "-qq" if str(LIBRARIES) in folders else "-q"
    command = [str(python), "-m", "compileall", loud, "-j", "0", *folders]
    subprocess.run(command, cwd=HOME, check=False)


def _link_for_types() -> None:
    """Make the folder of links; another run may make it at the same moment."""
    TYPES.mkdir(parents=True, exist_ok=True)
    parts = [path for path in (HOME / "ppaurora").iterdir() if path.is_file()]
    for part in (*parts, *(HOME / floor for floor in FLOORS)):
        with contextlib.suppress(FileExistsError):
            (TYPES / part.name).symlink_to(part)


def _installed(extras: tuple[str, ...], version: str) -> bool:
    """Return whether this version is installed with these extras, and maybe with others."""
    return any(
        stamp.read_text() == version
        and {*stamp.name.removeprefix(INSTALLED).split("-")} >= {*extras}
        for stamp in FOLDER.glob(f"{INSTALLED}*")
    )


def run(python: Path, *arguments: str, folder: Path | None = None) -> NoReturn:
    """Become Python with these arguments, in `folder` or where the user stands.

    A signal to this process then reaches what it has started. Windows has no such thing: there it
    waits, and ends with the same exit code.
    """
    command = [str(python), *arguments]
    if os.name == "nt":
        sys.exit(_waited_for(command, folder))
    if folder is not None:
        os.chdir(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)


def _waited_for(command: list[str], folder: Path | None) -> int:
    try:
        return subprocess.run(command, cwd=folder, check=False).returncode
    except KeyboardInterrupt:
        return 130


def install_package(package: str) -> None:
    """Install a package of the machine's own distribution (Debian and Ubuntu, as root)."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit(f"There is no {package}, and it cannot be installed from here: install it first.")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        subprocess.run(
            ["apt-get", "--quiet", *step], env=quiet, check=True, stdout=subprocess.DEVNULL
        )


def _say(text: str) -> None:
    print(f"[ppaurora] {text}", file=sys.stderr, flush=True)
