"""The pipeline of counted pairs: counts of two scores of the same samples, and their replicates.

For each resampling that a statistic asks for, an upload has the counts of the list and then of its
replicates; each time the positives of each part of the first scores, the negatives, and the same of
the second scores. Rows are drawn, not counts: a sample enters a replicate as often by its first
score as by its second one. Nothing is sorted, and an upload has as many words however long it is.

The proxies compute with the lower 32 bits of every word, and check that the list's counts add up to
the stated number of samples, that those of a replicate do if its strata say so, and that each has
as many positives and as many negatives by both scores. Which is wrong stays hidden; nobody learns
anything. Nobody can see whether both scores are of the same rows, or drawn alike.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from operator import add
from typing import Any, ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import low_half
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.grid.resampling import Resampling, resamplings
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import Scale, decode
from ppaurora.protocols.lists.verdicts import Findings, check_negatives, check_negatives_cost
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.pipelines.pipeline import Choices, Inputs, OwnersNumbers, PhaseEstimate
from ppaurora.protocols.ranking.rows import summed

SCORES = 2
STREAM = b"ppAURORA counted pairs 1\0"


@dataclass(frozen=True, slots=True)
class CountedPair:
    """For each resampling the words of the pooled list and of its replicates, of n samples."""

    n: int
    words: Mapping[Resampling, Shared]

    def classes(self, resampling: Resampling) -> list[tuple[Shared, Shared]]:
        """Positives and negatives, all rows behind one another, of the first and second scores."""
        words, parts = self.words[resampling], resampling.parts
        places = np.arange(len(words)).reshape(-1, SCORES, 2, parts)
        return [
            (words[places[:, which, 0].reshape(-1)], words[places[:, which, 1].reshape(-1)])
            for which in range(SCORES)
        ]


@dataclass(frozen=True, slots=True, repr=False)
class PooledPair:
    """The same in the clear: rows, scores, classes, parts."""

    words: Mapping[Resampling, Any]


@dataclass(frozen=True, slots=True)
class CountedPairs(OwnersNumbers[CountedPair, PooledPair]):
    """Counts of two scores between thresholds, and of their replicates."""

    name: ClassVar[str] = "counted pairs"
    inputs: ClassVar[Inputs] = frozenset()
    columns: ClassVar[tuple[str, ...]] = (OTHER_SCORES,)
    of_groups: ClassVar[bool] = False
    scale: Scale
    resamplings: tuple[Resampling, ...]

    @classmethod
    def of(cls, choices: Choices) -> CountedPairs:
        if len(choices.against) > 1:
            raise OptionRefused(
                "metrics",
                "compare two models by counted pairs, and the study has more",
                advice="Leave tpauc_difference out, or make a study of two models for it.",
            )
        asked = [one for one in choices.asked if getattr(one, "pipeline", None) is cls]
        return cls(choices.scale, resamplings(asked))

    @property
    def sound(self) -> str:
        return "made of counts that add up to the stated number of samples by both scores"

    # -- an upload -----------------------------------------------------------------------------

    def upload(self, keys: Sequence[Words]) -> Words:
        return self.repeatable(keys, os.urandom(KEY_BYTES))

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        stream = Stream(hashlib.sha256(STREAM + secret).digest()[:KEY_BYTES])
        first, others = keys
        scores, labels = zip(
            *(decode(one, self.scale) for one in (first, others[:, 0])), strict=True
        )
        return np.concatenate(
            [self._drawn(one, scores, labels[0], stream) for one in self.resamplings]
        )

    def _drawn(
        self, resampling: Resampling, scores: Sequence[Any], labels: Any, stream: Stream
    ) -> Words:
        parts = resampling.parts
        grid = Thresholds(resampling.thresholds, self.scale.single, direction=self.scale.direction)
        first, second = (grid.places(one) for one in scores)
        # the kinds of samples: label and both parts, the positives first
        kinds, counts = np.unique(
            np.stack([1 - labels.astype(np.int64), first, second]), axis=1, return_counts=True
        )
        negative = kinds[0].astype(np.bool_)
        drawn = resampling.of_classes(
            counts[~negative].astype(np.uint64), counts[negative].astype(np.uint64), stream
        )
        cells = [kinds[0] * parts + kinds[which] for which in (1, 2)]
        return np.concatenate(
            [
                np.bincount(cell, weights=row, minlength=2 * parts).astype(np.uint64)
                for row in (counts, *drawn)
                for cell in cells
            ]
        )

    def _words(self, resampling: Resampling) -> int:
        return (1 + resampling.replicates) * SCORES * 2 * resampling.parts

    def form(self, samples: int) -> UploadForm:
        return UploadForm.of_keys(sum(map(self._words, self.resamplings)), narrow=True)

    def places(self, samples: int) -> int:
        return max(one.parts for one in self.resamplings)

    # -- its check -----------------------------------------------------------------------------

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        if not uploads:
            return uploads
        ends = accumulate(map(len, uploads), initial=0)
        halves = low_half(party, concatenate(uploads))
        return [halves[start:stop] for start, stop in pairwise(ends)]

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        return low_half.cost().of(len(sizes) * self.form(0).numbers)

    def _split(self, words: Shared) -> dict[Resampling, Shared]:
        ends = accumulate(map(self._words, self.resamplings), initial=0)
        return {
            one: words[start:stop]
            for one, (start, stop) in zip(self.resamplings, pairwise(ends), strict=True)
        }

    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        pairs = zip(uploads, sizes, strict=True)
        return check_negatives(party, [self._room(words, size) for words, size in pairs])

    def _room(self, words: Shared, size: int) -> Shared:
        """The numbers of an upload that must not be negative."""
        found = []
        for resampling, own in self._split(words).items():
            rows = 1 + resampling.replicates
            # of each row the positives and negatives by the first score, then by the second one
            classes = summed(own, rows * SCORES * 2)
            first, second = (
                classes[np.arange(rows * 4).reshape(rows, 2, 2)[:, which].reshape(-1)]
                for which in range(SCORES)
            )
            totals = summed(first, rows)
            most = resampling.most(size) - totals[1:]
            least = [totals[1:] - size] if resampling.fixed else []
            exact = [totals[:1] - size, size - totals[:1]]
            found += [first - second, second - first, *exact, most, *least]
        return concatenate(found)

    def check_cost(self, sizes: Sequence[int]) -> Cost:
        each = sum(4 * (1 + one.replicates) + 2 + one.compared for one in self.resamplings)
        return check_negatives_cost([each] * len(sizes))

    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        parts = self.resamplings[0].parts
        return concatenate(upload[:parts].sum() for upload in uploads)

    # -- its data ------------------------------------------------------------------------------

    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> CountedPair:
        return CountedPair(sum(sizes), self._split(reduce(add, uploads)))

    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> PooledPair:
        total = sum((one.astype(np.int64) for one in uploads), np.zeros(1, np.int64))
        ends = accumulate(map(self._words, self.resamplings), initial=0)
        return PooledPair(
            {
                one: total[start:stop].reshape(-1, SCORES, 2, one.parts)
                for one, (start, stop) in zip(self.resamplings, pairwise(ends), strict=True)
            }
        )

    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        return ()
