"""Owners of scores and of labels whose rows belong together, and the same joined by plain dicts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ppaurora.protocols.lists.tags import TAG_BITS, Side, tag_of
from tests.protocols.studies import Owner

KEY = bytes(range(32))
STUDY = "generated"


@dataclass(frozen=True)
class Holder:
    """One owner: what it holds of whom, `people` being identifiers of which none is there twice.

    `beside` are the numbers of the groups or folds of its rows, or their weights, where it has any;
    `weights` are the weights where rows have groups as well.
    """

    side: Side
    people: tuple[str, ...]
    scores: tuple[float, ...]
    labels: tuple[int, ...]
    beside: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()

    @property
    def owner(self) -> Owner:
        """The owner as studies in one process have them; what it does not hold is nothing."""
        n = len(self.people)
        tags = [tag_of(one, "text-nfkc", KEY, STUDY) for one in self.people]
        return Owner(
            self.scores if self.side is not Side.LABELS else [0.0] * n,
            self.labels if self.side is not Side.SCORES else [0] * n,
            parts=[(self.side << TAG_BITS) + tag for tag in tags],
            beside=self.beside or None,
            weights=self.weights or None,
        )


def joined(holders: Sequence[Holder], least: int = 1) -> tuple[list[float], list[int]]:
    """Scores and labels of the rows that count, by dictionaries of identifiers."""
    scores: dict[str, float] = {}
    labels: dict[str, int] = {}
    met: Counter[str] = Counter()
    rows: list[tuple[float, int]] = []
    for one in holders:
        if one.side is Side.BOTH:
            rows += zip(one.scores, one.labels, strict=True)
            continue
        met.update(one.people)
        if one.side is Side.SCORES:
            scores.update(zip(one.people, one.scores, strict=True))
        else:
            labels.update(zip(one.people, one.labels, strict=True))
    rows += [
        (scores[person], labels[person])
        for person, times in met.items()
        if times == 2 and person in scores and person in labels
    ]
    if len(rows) < least:
        rows = []
    return [score for score, _ in rows], [label for _, label in rows]


def drawn(seed: int, *, owners: int = 0, people: int = 0, decimals: int = 2) -> list[Holder]:
    """Owners of random sides over a small world, so that people are met never, once or often.

    Among them are empty lists, lists of one row, worlds without overlap and with all in common.
    """
    rng = random.Random(seed)
    people = people or rng.choice([1, 2, 3, 8, 20, 60])
    owners = owners or rng.randint(1, 5)
    world = [f"person {place}" for place in range(people)]
    truth = {one: int(rng.random() < rng.choice([0.1, 0.5, 0.9])) for one in world}
    score = {
        one: min(1.0, max(0.0, round(rng.gauss(0.4 + 0.2 * truth[one], 0.2), decimals)))
        for one in world
    }
    share = rng.choice([0.0, 0.2, 0.7, 1.0])
    found = []
    for place in range(owners):
        side = Side(rng.choice([0, 0, 0, 1, 1, 1, 2])) if place > 1 else Side(place)
        own = [one for one in world if rng.random() < rng.choice([share, 0.5])]
        if rng.random() < 0.1:
            own = own[:1]
        if rng.random() < 0.05:
            own = []
        rng.shuffle(own)
        found.append(
            Holder(
                side, tuple(own), tuple(score[one] for one in own), tuple(truth[one] for one in own)
            )
        )
    return found


def joined_by_pandas(
    holders: Sequence[Holder], side: Side, weights: Side | None = None
) -> pd.DataFrame:
    """Scores, labels and what stands beside them at `side`, of the rows that pandas joins.

    Their weights are of another side where they have groups as well.
    """

    def table(of: Side, columns: list[str]) -> pd.DataFrame:
        found = [
            pd.DataFrame(
                {
                    "person": one.people,
                    "score": one.scores or (0.0,) * len(one.people),
                    "label": one.labels or (0,) * len(one.people),
                    "beside": one.beside or (0,) * len(one.people),
                    "weight": one.weights or (0,) * len(one.people),
                }
            )
            for one in holders
            if one.side is of
        ]
        empty = pd.DataFrame({"person": [], "score": [], "label": [], "beside": [], "weight": []})
        whole = pd.concat(found or [empty], ignore_index=True)
        return whole.astype({"person": object})[columns]

    def once(of: Side, column: str) -> pd.DataFrame:
        more = ["beside"] * (of is side) + ["weight"] * (
            of is (side if weights is None else weights)
        )
        return table(of, ["person", column, *more]).drop_duplicates("person", keep=False)

    columns = ["score", "label", "beside", "weight"]
    partners = once(Side.SCORES, "score").merge(once(Side.LABELS, "label"), on="person")
    return pd.concat([table(Side.BOTH, columns), partners[columns]], ignore_index=True)
