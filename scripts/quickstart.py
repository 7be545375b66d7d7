#!/usr/bin/env python3
"""From a fresh clone to a result: make an environment, install, run the demo."""

from __future__ import annotations

import sys

from environment import ready, run

if __name__ == "__main__":
    run(ready(), "-m", "ppaurora", "demo", *sys.argv[1:])
