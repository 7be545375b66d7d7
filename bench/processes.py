"""The environment of the benchmark's own processes: the package's path, and one thread each."""

from __future__ import annotations

from pathlib import Path

import ppaurora.mpc
from ppaurora.parties.simulation import processes

ROOT = Path(ppaurora.mpc.__file__).parents[1]
"""The folder of the package's parts, in a checkout or installed."""
# One thread a process: three parties share the machine, and numpy needs no more here.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def environment() -> dict[str, str]:
    """The environment in which the modules of this tree are found, and use one thread."""
    return {**processes.environment(), **ONE_THREAD}
