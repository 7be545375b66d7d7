"""The two ways to the user: answers on stdout, everything else on stderr."""

from __future__ import annotations

import sys

from rich.console import Console

__all__ = ["err", "out"]

WIDTH = 120


def out() -> Console:
    """stdout: results and answers only; as wide as it must be where it is no terminal."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)


def err() -> Console:
    """stderr: everything that goes on meanwhile."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
