#!/usr/bin/env python3
"""The benchmarks; `python3 scripts/benchmark.py --help` names them, and so does the program."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from environment import ready, run

HELP = {"-h", "--help"}


def needed(arguments: Sequence[str]) -> tuple[str, ...]:
    """The extras to install: a help text takes none."""
    return () if not arguments or HELP & {*arguments} else ("bench",)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    run(ready(*needed(arguments)), "-m", "ppaurora", "bench", *arguments)
