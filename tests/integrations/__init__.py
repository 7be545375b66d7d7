"""The owners' side in other frameworks: one test file for each, run by scripts/integrations.py."""

from __future__ import annotations

from pathlib import Path

from tests.docs.tree import HOME


def programs(name: str) -> Path:
    """The folder of a framework's commands, in the environment that the script has made."""
    return HOME / "build" / "integrations" / name / "bin"
