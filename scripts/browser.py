#!/usr/bin/env python3
"""The tests in a real browser: finds or installs one, fetches axe-core, and runs them.

Chromium comes from the machine's packages (Debian and Ubuntu, as root) if it is not there.
axe-core, which looks for what keeps people from reading a page, comes as one npm package of a fixed
version, whose digest must be the one below. With --orca the screen reader of that name is installed
as well, on a display without a screen, and takes part by what it says. Other arguments go to
pytest.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from environment import HOME, install_package, ready

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = "axe-core@4.14.1"
AXE_SHA512 = (
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)
FOLDER = HOME / "build" / "browser"
WITH_ORCA = "--orca"
ORCA = {
    "orca": "orca",
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "dbus-daemon": "dbus-daemon",
    "gsettings": "libglib2.0-bin",
}
"""Commands that Orca and a display need, each with the package that has it."""


def main() -> int:
    """The tests' exit code."""
    if not any(map(shutil.which, BROWSERS)):
        install_package("chromium")
    variables = {**os.environ, "PPAURORA_AXE": str(_axe())}
    arguments = [one for one in sys.argv[1:] if one != WITH_ORCA]
    if WITH_ORCA in sys.argv:
        for program, package in ORCA.items():
            if shutil.which(program) is None:
                install_package(package)
        variables["PPAURORA_ORCA"] = "1"
    command = [str(ready("test")), "-m", "pytest", "-m", "browser", *arguments]
    return subprocess.run(command, cwd=HOME, env=variables, check=False).returncode


def _axe() -> Path:
    """The script of axe-core, fetched once."""
    script = FOLDER / f"{AXE}.js"
    if script.exists():
        return script
    if shutil.which("npm") is None:
        install_package("npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["npm", "pack", "--silent", AXE],
        cwd=FOLDER,
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=300,
    )
    packed = FOLDER / f"{AXE.replace('@', '-')}.tgz"
    digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if digest != AXE_SHA512:
        sys.exit(f"{packed} is not the package that these tests were written for.")
    with tarfile.open(packed) as package:
        member = package.extractfile("package/axe.min.js")
        if member is None:
            sys.exit(f"{packed} holds no script.")
        script.write_bytes(member.read())
    return script


if __name__ == "__main__":
    sys.exit(main())
