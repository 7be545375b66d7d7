"""A simulated study: its numbers in the clear for thousands, and privately for a sample of them.

In the clear means by the exact functions that stand in every statistic beside its private program.
Privately means that three parties compute it, over links in memory, of lists in two shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import RunFailed
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.mpc.words import Words
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.ranking.ranked import Pooled

Scores = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SimulatedStudy:
    """The rows of several owners; higher scores speak for the positive class.

    `against` are the scores of another model. Rows are dealt out in
    turn.
    """

    options: Options
    scores: Scores
    labels: Labels
    against: Scores | None = None
    owners: int = 3

    def plaintext_words(self) -> list[Sequence[int]]:
        """The released words of every statistic, from all rows."""
        options = self.options
        data = data_of_plaintext(options, options.pipeline.plaintext(self.uploads()))
        return [
            statistic.plaintext_words(own, options.decimals)
            for statistic, own in zip(options.statistics, data, strict=True)
        ]

    def pooled(self) -> Pooled:
        """All rows as one sorted list, where that is what the statistics are computed from."""
        data = self.options.pipeline.plaintext(self.uploads())
        if not isinstance(data, Pooled):
            raise LocalProtocolError(f"{self.options.metrics} are not of one sorted list")
        return data

    def in_private(self) -> list[Sequence[int]]:
        """The same words as three parties release them."""
        sizes = self.sizes

        def program(party: Party, *lists: Shared) -> Evaluation:
            return evaluate(party, self.options, lists, sizes=sizes)

        shares = [split(upload) for upload in self.uploads()]
        p0, p1, _ = run_local(
            program, *((one[Role.P0].words(), one[Role.P1].words()) for one in shares)
        )
        return [
            reconstruct(p0.results[text].words, p1.results[text].words).tolist()
            for text in self.options.metrics
        ]

    def agrees(self) -> bool:
        """True where both are the same; a difference ends the run, so that none is kept."""
        if [list(words) for words in self.plaintext_words()] != [
            list(one) for one in self.in_private()
        ]:
            raise RunFailed(
                f"three parties released another number than the clear ({self.options.metrics})",
                advice="This must never happen; keep the command and its seed, and report it.",
            )
        return True

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each owner."""
        return [len(range(owner, len(self.labels), self.owners)) for owner in range(self.owners)]

    def uploads(self) -> list[Words]:
        """The words that each owner shares, in the clear."""
        return [self._upload(slice(owner, None, self.owners)) for owner in range(self.owners)]

    def _upload(self, rows: slice) -> Words:
        columns = (self.scores, self.against)[: 1 + len(self.options.pipeline.columns)]
        keys = [
            encode(column[rows], self.labels[rows], self.options.scale)
            for column in columns
            if column is not None
        ]
        first, *others = keys
        # scores of other models stand side by side in each row
        beside = [np.stack(others, axis=1)] if others else []
        return self.options.pipeline.upload([first, *beside])
