"""NumPy, imported when something of it is first used: who reads a study computes nothing.

To import NumPy takes as long as all else that `ppaurora status` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import Later

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")
