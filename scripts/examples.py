#!/usr/bin/env python3
"""The examples in R and for Flower: finds or installs both, and runs their tests, leaving none out.

R comes from the machine's packages (Debian and Ubuntu, as root) if it is not there. Flower goes into
an environment of its own in `build/examples`, because it holds other packages back: so this shows as
well that Flower and this project install together. Arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv

from environment import HOME

FOLDER = HOME / "build" / "examples"
NEEDED = ("--editable", str(HOME), "flwr>=1.20", "pytest>=8", "hypothesis>=6.100")


def main() -> int:
    """The tests' exit code."""
    if shutil.which("Rscript") is None:
        _install_r()
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *NEEDED], check=True)
    subprocess.run([*pip, "check"], check=True)
    command = [str(python), "-m", "pytest", "tests/examples", *sys.argv[1:]]
    variables = {**os.environ, "PPAURORA_EXAMPLES": "all"}
    return subprocess.run(command, cwd=HOME, env=variables, check=False).returncode


def _install_r() -> None:
    """R without its recommended packages, of which the example needs none."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit("There is no Rscript, and it cannot be installed from here: install R first.")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "--yes", "--no-install-recommends", "r-base-core"]):
        subprocess.run(
            ["apt-get", "--quiet", *step], env=quiet, check=True, stdout=subprocess.DEVNULL
        )


if __name__ == "__main__":
    sys.exit(main())
