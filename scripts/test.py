#!/usr/bin/env python3
"""From a fresh clone to tested: make an environment, install, run the tests.

Arguments go to pytest: `python3 scripts/test.py -m "not slow"` is the quick run. The tests are
spread over the machine's cores; `-n 0` runs them one after the other, as a debugger needs it.
"""

from __future__ import annotations

import sys

from environment import HOME, ready, run

SPREAD = ("-n", "auto", "--dist", "worksteal")

if __name__ == "__main__":
    sys.exit(run(ready("test"), "-m", "pytest", *SPREAD, *sys.argv[1:], folder=HOME))
