"""What an owner adds up of its scores: sums of reals as whole numbers, exactly rounded once.

    scores    Σ f between the cut points of the study
    squares   Σ (y - f)² = Σ f² - 2·Σ_(y=1) f + P
    logs      -Σ (y·ln f + (1 - y)·ln(1 - f)), f kept 2^-52 away from 0 and from 1

Every f² is an error-free pair of doubles, and the terms of a sum are added by one exactly rounded
`fsum`, so that nothing is lost by cancellation: the relative error is below 2^-53, of logs below
2^-50. Then a sum is rounded to 2^-62, and travels as two words, high·2^-26 + low·2^-62.

Where lower scores speak for the positive class, f = 1 - score: a loss is then that of the score for
the other label, and no rounding of 1 - score comes in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray

HIGH_BITS, LOW_BITS = 26, 36
SCALE = 1 << HIGH_BITS + LOW_BITS
SPLITTER = 2.0**27 + 1
LEAST_DISTANCE = sys.float_info.epsilon

Doubles: TypeAlias = "NDArray[np.float64]"


class Sum(StrEnum):
    """What a statistic may ask for beside the counts."""

    SCORES = "scores"
    """The sum of the scores between the cut points of the study."""
    SQUARES = "squares"
    """The sum of the squared errors."""
    LOGS = "logs"
    """The sum of the logarithmic losses."""


MOST_EACH = {Sum.SCORES: 1, Sum.SQUARES: 1, Sum.LOGS: 37}
"""No sample adds more than this to a sum."""


def sum_of(
    which: Sum, scores: Doubles, labels: Words, parts: NDArray[np.int64], count: int, direction: str
) -> list[float]:
    """The sums of one list: of the scores in each of `count` parts, or the one of a loss.

    `parts` says in which part each row is.
    """
    higher = direction == "higher"
    # a loss of 1 - score is that of the score for the other label
    y = (labels == 1) == higher
    if which is Sum.SCORES:
        rows = [scores[parts == part] for part in range(count)]
        return [fsum(x) if higher else fsum(chain([x.size], -x)) for x in rows]
    if which is Sum.SQUARES:
        return [max(0.0, fsum(chain(*_squares(scores), -2 * scores[y], [int(y.sum())])))]
    f = np.clip(scores, LEAST_DISTANCE, 1 - LEAST_DISTANCE)
    return [-fsum(chain(np.log(f[y]), np.log1p(-f[~y])))]


def _squares(x: Doubles) -> tuple[Doubles, Doubles]:
    """x² as two doubles whose sum is exact (Dekker's product)."""
    far = SPLITTER * x
    high = far - (far - x)
    low = x - high
    square = x * x
    return square, ((high * high - square) + 2 * high * low) + low * low


def to_words(sums: Iterable[float]) -> list[int]:
    """The high words of all sums, and then the low ones."""
    scaled = [divmod(round(Fraction(one) * SCALE), 1 << LOW_BITS) for one in sums]
    return [high for high, _ in scaled] + [low for _, low in scaled]


def limits(which: Sum, count: int, size: int) -> list[int]:
    """The largest words of `count` sums over `size` samples."""
    return [MOST_EACH[which] * size << HIGH_BITS] * count + [(1 << LOW_BITS) - 1] * count


def real(words: Sequence[int]) -> list[Fraction]:
    """The sums behind words in the clear."""
    count = len(words) // 2
    return [
        Fraction((high << LOW_BITS) + low, SCALE)
        for high, low in zip(words[:count], words[count:], strict=True)
    ]


def joined(party: Party, highs: Shared, lows: Shared) -> WideShared:
    """The sums as multiples of 1/`SCALE`. One hop."""
    wide = widen(party, concatenate([highs, lows]))
    return wide[: len(highs)] * (1 << LOW_BITS) + wide[len(highs) :]


def joined_cost(count: int) -> Spent:
    """The cost of `joined` for so many sums."""
    return widen.cost().of(2 * count)
