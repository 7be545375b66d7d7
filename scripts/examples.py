#!/usr/bin/env python3
"""The examples in R, for Flower and in JavaScript: installs what is missing, and runs their tests.

R and Node.js come from the machine's packages (Debian and Ubuntu, as root) if they are not there.
Flower goes into an environment of its own in `build/examples`, because it holds other packages
back; pip checks there that it and this project fit together. The packages of the client in
JavaScript go to `build/second_client`; none of them is built, their scripts do not run. No test is
left out. Arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv

from environment import HOME, install_package

FOLDER = HOME / "build" / "examples"
NEEDED = (
    *("--editable", str(HOME), "flwr>=1.41"),
    *("hypothesis>=6.100", "jsonschema>=4.20", "pytest>=8"),
)
CLIENT = HOME / "examples" / "second_client"
PACKAGES = HOME / "build" / "second_client"
NPM = ("npm", "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund")


def main() -> int:
    """The tests' exit code."""
    if shutil.which("Rscript") is None:
        install_package("r-base-core")
    if shutil.which("npm") is None:
        install_package("npm")
    PACKAGES.mkdir(parents=True, exist_ok=True)
    shutil.copy(CLIENT / "package.json", PACKAGES)
    subprocess.run([*NPM, "--silent"], cwd=PACKAGES, check=True)
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
