#!/usr/bin/env python3
"""From a fresh clone to tested: make an environment, install, run the tests.

Arguments go to pytest: `python3 scripts/test.py -m "not slow"` is the quick run.
"""

from __future__ import annotations

import sys

from environment import HOME, ready, run

if __name__ == "__main__":
    sys.exit(run(ready("test"), "-m", "pytest", *sys.argv[1:], folder=HOME))
