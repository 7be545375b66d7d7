"""Studies on a grid from counts alone, for more samples than anybody wants to draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.options import Options
from tests.protocols.studies import released


def of_counts(counts: Sequence[Sequence[int]], options: Options) -> str:
    """The value of the sum of these uploads."""
    [told] = of_each([counts], options)
    return told


def of_each(studies: Sequence[Sequence[Sequence[int]]], options: Options) -> list[str]:
    """The same of many studies, one after the other in one session."""
    uploads = [share(np.array(one, np.uint64)) for counts in studies for one in counts]

    def program(party: Party, *lists: Shared) -> list[Evaluation]:
        rest = iter(lists)
        return [
            evaluate(
                party, options, [next(rest) for _ in counts], sizes=[sum(one) for one in counts]
            )
            for counts in studies
        ]

    told = []
    for evaluations in zip(*run_local(program, *uploads), strict=True):
        [value] = released(options, evaluations).results.values()
        told.append(value)
    return told


def decimal(word: int, decimals: int) -> str:
    """The text of a number of 10^-decimals."""
    return f"{word // 10**decimals}.{word % 10**decimals:0{decimals}d}"
