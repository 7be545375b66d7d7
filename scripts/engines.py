#!/usr/bin/env python3
"""The tests in PostgreSQL and, with --spark, in Spark too: finds or installs what they need.

PostgreSQL and Java come from the machine's packages (Debian and Ubuntu, as root) if they are not
there. Spark is half a gigabyte: without --spark its tests run where it is installed already, and
are left out elsewhere. Other arguments go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from environment import HOME, install_package, ready

POSTGRES, JAVA = "postgresql", "openjdk-17-jre-headless"
WITH_SPARK = "--spark"


def main() -> int:
    """The tests' exit code."""
    if not (shutil.which("initdb") or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))):
        install_package(POSTGRES)
    arguments = [one for one in sys.argv[1:] if one != WITH_SPARK]
    with_spark = WITH_SPARK in sys.argv
    if with_spark and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        install_package(JAVA)
    python = ready("postgres", *(["spark"] if with_spark else []), "test")
    command = [str(python), "-m", "pytest", "-m", "engines", *arguments]
    return subprocess.run(command, cwd=HOME, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
