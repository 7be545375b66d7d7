#!/usr/bin/env python3
"""The benchmarks: python3 scripts/benchmark.py tables|scale|primitives|peers|figures|compare."""

from __future__ import annotations

import sys

from environment import ready, run

if __name__ == "__main__":
    sys.exit(run(ready("bench"), "-m", "ppaurora", "bench", *sys.argv[1:]))
