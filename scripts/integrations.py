#!/usr/bin/env python3
"""The integrations, and the client in JavaScript: installs what each needs, and runs its tests.

Each framework goes into an environment of its own in `build/integrations`, because it holds other
packages back; pip checks there that they fit together, and the tests run in `.venv`. R and Node.js
come from the machine's packages (Debian and Ubuntu, as root) if they are not there. What cannot be
installed is said at the end, and the script fails. Arguments name integrations; without any, all
are tested.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import venv

from environment import HOME, install_package, ready

FOLDER = HOME / "build" / "integrations"
PACKAGES = HOME / "build" / "second_client"
NPM = ("npm", "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund")
OURS = ("--editable", str(HOME))
NEEDED = {
    "flower": (*OURS, "flwr[simulation]>=1.42", "scikit-learn>=1.4"),
    "vantage6": ("vantage6-algorithm-tools>=4.15,<5",),
    "nvflare": (*OURS, "nvflare>=2.9", "scikit-learn>=1.4"),
    "mlflow": (
        *OURS,
        *("mlflow-skinny>=3.10", "sqlalchemy>=2", "alembic>=1.13", "skops>=0.11"),
        *("pandas>=2", "scikit-learn>=1.4"),
    ),
    "r": (),
    "second_client": (),
}
"""The packages that pip installs for each."""


def main() -> int:
    """1 if a test failed or a framework could not be installed, 0 if all passed."""
    names = sys.argv[1:] or [*NEEDED]
    if unknown := {*names} - {*NEEDED}:
        sys.exit(f"There is no integration {', '.join(unknown)}; there are {', '.join(NEEDED)}.")
    ends = []
    for name in names:
        begun = time.monotonic()
        end = tested(name)
        ends.append((name, end))
        print(f"== {name}: {end} after {time.monotonic() - begun:.0f} s", flush=True)
    for name, end in ends:
        print(f"{name}: {end}")
    return int(any(end != "passed" for _, end in ends))


def tested(name: str) -> str:
    """The end of the integration's tests: passed, failed, or not run."""
    try:
        install(name)
        python = ready("test")
    except (SystemExit, OSError, subprocess.CalledProcessError) as error:
        return f"NOT TESTED, since it cannot be installed: {error}"
    test = f"tests/integrations/test_{name}.py"
    command = [str(python), "-m", "pytest", "-m", "integrations", "--durations=3", test]
    ended = subprocess.run(command, cwd=HOME, check=False)
    return "passed" if ended.returncode == 0 else "FAILED"


def install(name: str) -> None:
    """Install the framework and, for those that import it, this project beside it."""
    if name == "r":
        if shutil.which("Rscript") is None:
            install_package("r-base-core")
        return
    if name == "second_client":
        if shutil.which("npm") is None:
            install_package("npm")
        PACKAGES.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / "examples" / "second_client" / "package.json", PACKAGES)
        subprocess.run([*NPM, "--silent"], cwd=PACKAGES, check=True)
        return
    folder = FOLDER / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *NEEDED[name]], check=True)
    subprocess.run([*pip, "check"], check=True)


if __name__ == "__main__":
    sys.exit(main())
