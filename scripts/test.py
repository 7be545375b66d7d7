#!/usr/bin/env python3
"""From a fresh clone to tested: make an environment, install, run the tests.

Arguments go to pytest: `python3 scripts/test.py -m "not slow"` is the quick run. The tests are
spread over the machine's cores, and two more run beside them, since many wait for servers most of
the time; `-n 0` runs them one after the other, as a debugger needs it.
"""

from __future__ import annotations

import os
import sys

from environment import HOME, ready, run

SPREAD = ("-n", str(2 + (os.cpu_count() or 1)), "--dist", "worksteal")

if __name__ == "__main__":
    # the workers, and later runs, need not compile the tests once more
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # two workers a core keep the machine busy; threads of numpy's matrices would only wait
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(ready("test"), "-m", "pytest", *SPREAD, *sys.argv[1:], folder=HOME)
