#!/usr/bin/env python3
"""The tests in PostgreSQL and Spark: finds or installs both, and runs them.

PostgreSQL and Java come from the machine's packages (Debian and Ubuntu, as root) if they are not
there. Arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from environment import HOME, install_package, ready

POSTGRES, JAVA = "postgresql", "openjdk-17-jre-headless"


def main() -> int:
    """The tests' exit code."""
    if not (shutil.which("initdb") or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))):
        install_package(POSTGRES)
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        install_package(JAVA)
    python = ready("postgres", "spark", "test")
    command = [str(python), "-m", "pytest", "-m", "engines", *sys.argv[1:]]
    return subprocess.run(command, cwd=HOME, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
