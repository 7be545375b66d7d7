"""Synthetic studies: owners' lists from a seed.

Scores are uniform in [0, 1), as [ppAURORA, section 6] allows; positives become likelier with the
score. With ties, scores are rounded to three decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import LayoutRefused

# The unbalanced layout of [ppAURORA, Table 1].
UNBALANCED = (12, 18, 32, 58, 107, 258, 507, 1008)

Scores = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One owner's list."""

    scores: Scores
    labels: Labels


def sizes_of(layout: str) -> tuple[int, ...]:
    """The list lengths of a layout as the paper writes it: `8x1000`, or `8xUNB`."""
    owners, _, each = layout.partition("x")
    try:
        sizes = UNBALANCED if each == "UNB" else (int(each),) * int(owners)
    except ValueError:
        sizes = ()
    if not sizes or len(sizes) != int(owners) or min(sizes) < 1:
        raise LayoutRefused(
            f"{layout} is not a layout",
            advice="Write it as owners x samples, such as 8x1000, or as 8xUNB.",
        )
    return sizes


def synthetic(sizes: Sequence[int], *, seed: int = 1, ties: bool = True) -> list[Sample]:
    """The owners' lists; the same for the same seed."""
    random = np.random.default_rng(seed)
    samples = []
    for size in sizes:
        scores = random.random(size)
        labels = (random.random(size) < 0.2 + 0.6 * scores).astype(np.int64)
        samples.append(Sample(np.round(scores, 3) if ties else scores, labels))
    return samples
