"""The project's own environment, made on first use: needs nothing but Python 3.11 or newer."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
FOLDER = HOME / ".venv"
PROGRAMS = FOLDER / ("Scripts" if os.name == "nt" else "bin")
LEAST_VERSION = (3, 11)


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
    wanted = f".[{','.join(extras)}]" if extras else "."
    stamp = FOLDER / f"installed-{'-'.join(extras) or 'plain'}"
    version = hashlib.sha256((HOME / "pyproject.toml").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != version:
        _say(f"installing {wanted}")
        command = [str(python), "-m", "pip", "install", "--quiet", "--editable", wanted]
        quiet = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        if subprocess.run(command, cwd=HOME, env=quiet, check=False).returncode:
            sys.exit("The installation failed; see above. With a network, try again.")
        stamp.write_text(version)
    return python


def run(python: Path, *arguments: str, folder: Path | None = None) -> int:
    """Run Python with these arguments, in `folder` or where the user stands; its exit code."""
    try:
        return subprocess.run([str(python), *arguments], cwd=folder, check=False).returncode
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
