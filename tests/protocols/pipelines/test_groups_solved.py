"""Unknowns that owners can solve for from AUROCs of all samples and of each group.

All owners but one know every row but the last one's. A group's AUROC is one equation for it: which
of the last one's rows are in order among each other, and with the others' rows, come in it together
only. So other lists of the last owner, with as many of each class in each group, release the same
decimals, and its own AUROC may be elsewhere. One owner alone knows less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, run

OPTIONS = Options(metrics=("auroc",), decimals=4)
GROUPS, TURNS = 2, 60


@dataclass(frozen=True)
class Lists:
    """All rows in the order of their scores: labels, groups, and which are the last owner's."""

    labels: NDArray[np.int64]
    groups: NDArray[np.int64]
    last: NDArray[np.bool_]

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Lists:
        """Some 400 rows, of which a sixth are the last owner's."""
        n = int(rng.integers(300, 500))
        labels = (rng.random(n) < 0.4).astype(np.int64)
        labels = labels[np.argsort(rng.normal(0.9 * labels, 1))]
        return cls(labels, rng.integers(0, GROUPS, n), rng.random(n) < 1 / 6)

    def moved(self, row: int, place: int) -> Lists:
        """The same with one row at another place of the order."""
        order = np.insert(np.delete(np.arange(len(self.labels)), row), place, row)
        return Lists(self.labels[order], self.groups[order], self.last[order])

    def won(self, row: int, among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Pairs in order of these rows and one more, with it at each place and without it."""
        passed = np.r_[0, np.cumsum((self.labels != self.labels[row]) & among)]
        places = np.arange(len(self.labels))
        more = np.where(places > row, passed[places + 1] - passed[row + 1], 0)
        less = np.where(places < row, passed[row] - passed[places], 0)
        return (more - less) * (1 if self.labels[row] else -1)

    def told(self, row: int) -> NDArray[np.int64]:
        """The same of all rows and of those of its group, which is all that is released of it."""
        everywhere = np.ones(len(self.labels), bool)
        return np.stack([self.won(row, everywhere), self.won(row, self.groups == self.groups[row])])

    @property
    def own(self) -> float:
        """The last owner's own AUROC."""
        y = self.labels[self.last]
        return float((np.cumsum(1 - y) * y).sum() / (y.sum() * (len(y) - y.sum())))

    @property
    def owners(self) -> tuple[Owner, Owner]:
        """The others' rows as those of one owner, and the last one's."""
        scores = (np.arange(len(self.labels)) + 0.5) / len(self.labels)
        others, last = (
            Owner(scores[own].tolist(), self.labels[own].tolist(), parts=self.groups[own].tolist())
            for own in (~self.last, self.last)
        )
        return others, last


def elsewhere(lists: Lists, rng: np.random.Generator, way: int) -> Lists:
    """Other rows of the last owner with the same released AUROCs, and its own as far off as found.

    One of its rows goes anywhere, and another one of its group so that no sum is another.
    """
    for _ in range(TURNS):
        rows = np.flatnonzero(lists.last)
        row, place = int(rng.choice(rows)), int(rng.integers(0, len(lists.labels)))
        told = lists.told(row)[:, place]
        there, best = lists.moved(row, place), lists
        for other in np.flatnonzero(there.last & (there.groups == lists.groups[row])).tolist():
            fits = np.flatnonzero((there.told(other) == -told[:, None]).all(axis=0))
            if fits.size:
                own = way * there.won(other, there.last)[fits]
                found = there.moved(other, int(fits[own.argmax()]))
                best = max(best, found, key=lambda one: way * one.own)
        lists = best
    return lists


def released(lists: Lists) -> dict[str, str]:
    """The values of the study."""
    options = replace(OPTIONS, groups=tuple("ab"))
    return run(Study(lists.owners, options)).results


def distances(count: int, seed: int) -> list[float]:
    """By how much the last owner's AUROC may be higher, and lower, study by study."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        lists = Lists.drawn(rng)
        values = released(lists)
        for way in (1, -1):
            other = elsewhere(lists, rng, way)
            kept, moved = lists.owners, other.owners
            assert kept[0].labels == moved[0].labels
            assert released(other) == values
            found.append(abs(other.own - lists.own))
    return found


def test_all_owners_but_one_find_the_last_ones_auroc_in_no_group() -> None:
    assert min(distances(2, 1)) > 0.02
