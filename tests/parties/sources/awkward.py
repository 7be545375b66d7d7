"""Three thousand awkward rows, in the five forms in which every source must treat them alike."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins
from ppaurora.protocols.lists.scale import PROBABILITIES, encode

ROWS = 3_000
GRID = Bins(4096)
NUMBERS = Scores()
WORDS = Scores(positive="sick", negative="well")
TRUTHS = Scores(positive="true", negative="false")
OUTSIDE = "a number that is not a score between 0 and 1"

Cell = Any


@dataclass(frozen=True)
class Table:
    """Rows as Python objects, how a study names their classes, and what is wrong with them."""

    name: str
    scores: list[Cell]
    labels: list[Cell]
    classes: Scores = NUMBERS
    faults: tuple[tuple[str, int], ...] = ()
    decimal: bool = False

    @property
    def arrow(self) -> pa.Table:
        """The rows as columns of Arrow, typed."""
        of_scores = pa.decimal128(20, 18) if self.decimal else pa.float64()
        scores = pa.array(self.scores, of_scores, from_pandas=False)
        return pa.table({"score": scores, "label": pa.array(self.labels)})

    @property
    def sound(self) -> list[tuple[Fraction, int]]:
        """The scores as they are and the classes, where nothing is wrong."""
        positive = {"sick", 1}
        return [
            (Fraction(float(score)), int(label in positive))
            for score, label in zip(self.scores, self.labels, strict=True)
        ]


def _scores() -> list[float]:
    """Bounds of bins with the doubles beside them, both zeros, the smallest doubles, and others."""
    dice = random.Random(11)
    bounds = [k / 4096 for k in range(0, 4097, 8)]
    beside = [float(np.nextafter(x, to)) for x in bounds for to in (0.0, 1.0)]
    near = [5e-324, 2.2250738585072014e-308, 2.0**-1023, *(2.0**-k for k in range(1, 200))]
    made = [-0.0, 0.0, 1.0, *bounds, *beside, *near]
    made += [dice.random() for _ in range(ROWS - len(made) - 100)]
    made += [dice.choice(made) for _ in range(ROWS - len(made))]
    dice.shuffle(made)
    return made


def _tables() -> tuple[Table, ...]:
    dice = random.Random(12)
    doubles = _scores()
    classes = [dice.randrange(2) for _ in doubles]
    words = [("well", "sick")[one] for one in classes]
    digits = [dice.randrange(10 ** dice.choice((1, 2, 15, 16, 17, 18))) for _ in doubles]
    decimals = [Decimal(one).scaleb(-18 if one > 10**15 else -16) for one in digits]
    decimals[:3] = [Decimal(0), Decimal(1), Decimal("0.500000000000000001")]
    wrong: list[float | None] = [None, np.nan, np.inf, -np.inf, 1.5, -5e-324, 1 + 2.0**-52]
    faulty: list[Cell] = [*doubles[: -len(wrong) * 8], *wrong * 8]
    dice.shuffle(faulty)
    unclear: list[Cell] = [*words[:-24], *[None] * 9, *["maybe"] * 15]
    dice.shuffle(unclear)
    of_scores = (
        ("no score", 8),
        ("NaN, which is no score,", 8),
        ("an infinite number", 16),
        (OUTSIDE, 24),
    )
    of_labels = (
        ("no label", 9),
        ("a label that is neither of the study's two classes", 15),
    )
    return (
        Table("doubles and words", doubles, words, WORDS),
        Table("decimals and numbers", decimals, classes, decimal=True),
        Table("doubles and truths", doubles, [one == 1 for one in classes], TRUTHS),
        Table("faulty scores", faulty, classes, faults=of_scores),
        Table("faulty labels", doubles, unclear, WORDS, of_labels),
    )


TABLES = _tables()
tables = pytest.mark.parametrize("table", TABLES, ids=[one.name for one in TABLES])


def hold(table: Table, make: Callable[[Table], Source]) -> None:
    """The source of these rows gives their list and their counts, or refuses both alike."""
    if table.faults:
        listed = _refused(lambda: make(table).read(table.classes))
        counted = _refused(lambda: make(table).count(table.classes, GRID))
        assert listed == counted == dict(table.faults)
        return
    found = read(make(table), scores=table.classes)
    sound = table.sound
    wanted = encode(
        [float(score) for score, _ in sound],
        [label for _, label in sound],
        PROBABILITIES,
    )
    keys = encode(found.scores, found.labels, PROBABILITIES)
    assert np.array_equal(np.sort(keys), np.sort(wanted))
    counts = Counter((min(int(score * GRID.bins), GRID.bins - 1), y) for score, y in sound)
    counted = make(table).count(table.classes, GRID)
    for label, column in ((1, counted.positives), (0, counted.negatives)):
        assert column.tolist() == [counts[k, label] for k in range(GRID.bins)]


def _refused(action: Callable[[], object]) -> dict[str, int]:
    """The kinds of faults that are told, and in how many rows each is."""
    with pytest.raises(DataError) as caught:
        action()
    told = str(caught.value).partition('": ')[2]
    found = re.findall(r"(?:^|; )([^;]+?) in (\d+) rows", told)
    return {kind: int(number) for kind, number in found}
