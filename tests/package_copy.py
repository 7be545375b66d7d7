"""A copy of the package as a checkout has it, for tests that change its files."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.docs.tree import HOME

FLOORS = ("mpc", "protocols", "parties", "bench")
MADE_BY_RUNNING = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so")


def copy_package(folder: Path, *more: str) -> Path:
    """Copy the package's files and floors, and `more` of the checkout; return the folder.

    The copy is imported by whoever has the folder in `PYTHONPATH`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("ppaurora", *FLOORS, *more):
        source = HOME / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=MADE_BY_RUNNING)
        else:
            shutil.copy(source, folder / name)
    return folder
