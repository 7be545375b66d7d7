"""The two ways to the user: answers on stdout, everything else on stderr.

What draws is imported when there is something to draw: not for a help text.
"""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

WIDTH = 120


def out() -> Console:
    """stdout: results and answers only; as wide as it must be where it is no terminal."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)


def err() -> Console:
    """stderr: everything that goes on meanwhile."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def table_of(*columns: str) -> Table:
    """An empty table with these columns: what does not fit into a cell is folded, never cut."""
    table = Table()
    for name in columns:
        table.add_column(name, overflow="fold")
    return table
