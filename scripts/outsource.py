#!/usr/bin/env python3
"""The data owner's script: check a list, show what will be sent, send it in two shares.

python3 scripts/outsource.py scores.csv --site site.toml
"""

from __future__ import annotations

import sys

from environment import ready, run

if __name__ == "__main__":
    run(ready(), "-m", "ppaurora", "outsource", *sys.argv[1:])
