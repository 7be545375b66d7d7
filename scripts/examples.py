#!/usr/bin/env python3
"""The examples in R and for Flower: finds or installs both, and runs their tests, leaving none out.

R comes from the machine's packages (Debian and Ubuntu, as root) if it is not there. Flower goes
into an environment of its own in `build/examples`, because it holds other packages back; pip checks
there that it and this project fit together. Arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv

from environment import HOME, install_package

FOLDER = HOME / "build" / "examples"
NEEDED = ("--editable", str(HOME), "flwr>=1.41", "pytest>=8", "hypothesis>=6.100")


def main() -> int:
    """The tests' exit code."""
    if shutil.which("Rscript") is None:
        install_package("r-base-core")
    python = FOLDER / "bin" / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *NEEDED], check=True)
    subprocess.run([*pip, "check"], check=True)
    command = [str(python), "-m", "pytest", "tests/examples", *sys.argv[1:]]
    variables = {**os.environ, "PPAURORA_EXAMPLES": "all"}
    return subprocess.run(command, cwd=HOME, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
