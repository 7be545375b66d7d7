"""A note where scores seem to have been cut to 15 digits on their way: R and spreadsheets do that.

A double needs up to 17 significant digits. Cut to 15, scores that differed become ties, and the
statistics are exact for other scores than the classifier gave.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["note"]

LOOKED_AT = 10_000
LEAST = 20
CUT_DIGITS = 15
LONG_DIGITS = 14
NEARLY_ALL = 0.99
MOST = 0.5


def note(source: str, scores: NDArray[np.float64]) -> str:
    """A warning if nearly all scores need at most 15 digits and most need 14 or 15; else nothing.

    Of scores with all their digits about one in twenty needs 15 or fewer; scores that were rounded
    on purpose, or come from single precision, are shorter or longer. Up to 10,000 scores, evenly
    spaced in the list, are looked at.
    """
    if len(scores) < LEAST:
        return ""
    step = -(-len(scores) // LOOKED_AT)
    digits = np.array([_digits(one) for one in scores[::step].tolist()])
    cut = float(np.mean(digits <= CUT_DIGITS))
    long = float(np.mean((digits >= LONG_DIGITS) & (digits <= CUT_DIGITS)))
    if cut < NEARLY_ALL or long < MOST:
        return ""
    return (
        f"{source}: nearly all scores have at most {CUT_DIGITS} significant digits, as R's "
        "write.csv and spreadsheets cut them, so scores that differed may have become ties. "
        "Write 17 digits (in R: format(score, digits = 17)) or Parquet."
    )


def _digits(score: float) -> int:
    """The significant digits of the shortest decimal that is this double."""
    mantissa = repr(score).lstrip("-").partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))
