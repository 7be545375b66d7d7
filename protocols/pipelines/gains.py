"""The pipeline of gains: by how much the first model's scores exceed each other model's, in sums.

Each owner adds, over its own positives and over its own negatives, f - f' + 1 of every row, where f
is the first model's score and f' that of another model, as probabilities of the positive class. An
upload has the two class counts, and for each other model these two sums, exactly as
`ppaurora.protocols.grid.sums` has sums of scores: in units of 2^-134, as three words. Nothing is
sorted; the proxies add their shares up, which takes no message.

The private check: no word is negative or above the most that so many samples can add up to, and the
counts add up to the stated number. 4 hops; two comparisons a word, and two. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import HIGHER
from ppaurora.protocols.grid.sums import (
    HIGH_BITS,
    LOW_BITS,
    MOST_UPLOADS,
    WORDS,
    real,
    score_sums,
    to_words,
)
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import Scale, decode
from ppaurora.protocols.lists.verdicts import Findings, check_negatives, check_negatives_cost
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, OwnersNumbers, PhaseEstimate

CLASSES = 2
MOST_GAIN = 2
"""f - f' + 1 is at most this."""


@dataclass(frozen=True, slots=True)
class ModelGains:
    """P of n samples, and the words of the sums: of all models over positives, then negatives."""

    P: Shared
    n: int
    sums: tuple[Shared, ...]

    @property
    def N(self) -> Shared:
        return self.n - self.P


@dataclass(frozen=True, slots=True, repr=False)
class PooledGains:
    """The same in the clear: sums of f - f' + 1 over the positives and the negatives, by model."""

    P: int
    N: int
    of_positives: tuple[Fraction, ...]
    of_negatives: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Gains(OwnersNumbers[ModelGains, PooledGains]):
    """Sums of how much the first model's scores exceed those of so many others."""

    name: ClassVar[str] = "gains of models"
    inputs: ClassVar[Inputs] = frozenset()
    columns: ClassVar[tuple[str, ...]] = (OTHER_SCORES,)
    adds: ClassVar[bool] = True
    scale: Scale
    others: int = 1

    @classmethod
    def of(cls, choices: Choices) -> Gains:
        return cls(choices.scale, max(1, len(choices.against)))

    @property
    def sound(self) -> str:
        return "of class counts that add up to the stated number of samples, and possible gains"

    @property
    def most_uploads(self) -> int:
        return MOST_UPLOADS

    def upload(self, keys: Sequence[Words]) -> Words:
        first, others = keys
        labels = decode(first, self.scale)[1].astype(np.int64)
        # of 1 - score the gain is that of the other model's score
        sign = 1 if self.scale.direction == HIGHER else -1
        # negatives are part 0, positives part 1
        base, *sums = (
            score_sums(decode(column, self.scale)[0], labels, CLASSES)
            for column in (first, *others.T)
        )
        N, P = np.bincount(labels, minlength=CLASSES).tolist()
        gains = [
            sign * (base[part] - one[part]) + count
            for part, count in ((1, P), (0, N))
            for one in sums
        ]
        return np.array([P, N, *to_words(gains)], np.uint64)

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_words(CLASSES + WORDS * self._count)

    @property
    def _count(self) -> int:
        return CLASSES * self.others

    def places(self, samples: int) -> int:
        return self.words(samples)

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        return check_negatives(
            party, [self._room(own, size) for own, size in zip(uploads, sizes, strict=True)]
        )

    def _room(self, words: Shared, size: int) -> Shared:
        """The numbers of an upload that must not be negative."""
        total, low = words[:CLASSES].sum(), (1 << LOW_BITS) - 1
        high = MOST_GAIN * size << HIGH_BITS
        each = [high] * self._count + [low] * (WORDS - 1) * self._count
        largest = np.array([*[(1 << 31) - 1] * CLASSES, *each], np.uint64)
        return concatenate([words, -words + largest, total - size, -total + size])

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        return check_negatives_cost([2 * self.words(0) + 2] * len(sizes))

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        return concatenate(upload[:1] for upload in uploads)

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> ModelGains:
        total, m = reduce(add, uploads), self._count
        starts = range(CLASSES, CLASSES + WORDS * m, m)
        return ModelGains(
            total[:1], sum(sizes), tuple(total[start : start + m] for start in starts)
        )

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledGains:
        P, N = (sum(int(upload[place]) for upload in uploads) for place in range(CLASSES))
        each = [real(upload[CLASSES:].tolist()) for upload in uploads]
        none = [[Fraction(0)] * self._count]
        totals = [sum(of_one, Fraction(0)) for of_one in zip(*(each or none), strict=True)]
        return PooledGains(P, N, tuple(totals[: self.others]), tuple(totals[self.others :]))

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        return ()
