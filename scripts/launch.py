#!/usr/bin/env python3
"""Launch the three parties on one machine, from their site files, until Ctrl-C.

python3 scripts/launch.py p0/site.toml p1/site.toml helper/site.toml
"""

from __future__ import annotations

import sys

from environment import ready, run

if __name__ == "__main__":
    run(ready(), "-m", "ppaurora", "server", *sys.argv[1:])
