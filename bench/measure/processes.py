"""How the benchmark starts Python processes of its own: the command and its environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import ppaurora

ROOT = Path(ppaurora.__file__).parent
"""Where the package's folders lie, in a checkout or installed."""
# One thread a process: three parties share the machine, and numpy needs no more here.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def module_command(module: str) -> list[str]:
    """The command that runs a module with this interpreter."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    """The environment in which the modules of this tree are found."""
    inherited = os.environ.get("PYTHONPATH")
    path = os.pathsep.join(filter(None, [str(ROOT.parent), inherited]))
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": path}
