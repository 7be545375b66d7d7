"""Drawn studies in all directions, modes and decimals, for statistics against their definitions.

A study has 2 to 60 samples of one to six owners, whose scores are any doubles, hundredths or few
distinct values. Its sort, its way with ties, its direction and its decimals are drawn as well. The
expected value is a fraction made of the rows one by one; where a root or a logarithm is in it, of
70 digits. How many exact values lay half way between two decimals is told with the count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.studies import Study, owners_of, run_all

DIGITS = 70
CUTS = ("0.25", "0.5", "0.9375")
QUARTERS = ("0.25", "0.5", "0.75")
AT = f"at={'/'.join(CUTS)}"
BINS = 16
BATCH = 10
SAMPLE, ALL = 6, 1000
KEYS = {"calibration": 2, "calibration_errors_binned": 0}
"""The columns of a row that say of what it is, where they are not one."""

Z = Fraction("1.959963984540054235524594430521")
"""A table of the normal law: exceeded with a chance of 2.5%."""
LEVEL = "level=0.95"

Row = tuple[Fraction, int]
"""A score and a label."""
Cell = Fraction | str
"""A number before it is rounded, or what stands in place of one."""


@dataclass(frozen=True)
class Rows:
    """All rows of a study, and which scores are positive."""

    rows: tuple[Row, ...]
    higher: bool

    @property
    def P(self) -> int:
        return sum(y for _, y in self.rows)

    @property
    def N(self) -> int:
        return len(self.rows) - self.P

    @property
    def n(self) -> int:
        return len(self.rows)

    def called(self, threshold: Fraction) -> tuple[int, int, int, int]:
        """tp, fp, fn and tn: called positive is a score of the threshold or beyond."""
        tp = fp = 0
        for score, label in self.rows:
            if score >= threshold if self.higher else score <= threshold:
                tp, fp = tp + label, fp + 1 - label
        return tp, fp, self.P - tp, self.N - fp

    def ranks(self) -> list[float]:
        """The scores with their sign, the higher the more positive."""
        return [float(score) * (1 if self.higher else -1) for score, _ in self.rows]

    def labels(self) -> list[int]:
        return [label for _, label in self.rows]

    def risks(self) -> list[Row]:
        """The rows, each score turned so that higher speaks for the positive class."""
        return [(score if self.higher else 1 - score, label) for score, label in self.rows]

    def binned(self, bins: int) -> list[int]:
        """The bin of each row, counted from score 0: its positive end belongs to it."""
        edges = [Fraction(place, bins) for place in range(1, bins)]
        return [
            sum(edge <= score if self.higher else edge < score for edge in edges)
            for score, _ in self.rows
        ]


def ratio(part: Fraction | int, whole: int) -> Cell:
    return Fraction(part) / whole if whole else "undefined"


def root(square: Fraction, negative: bool) -> Cell:
    """To 70 digits, exactly where it is a fraction of so few."""
    size = Fraction(isqrt(int(square * 100**DIGITS)), 10**DIGITS)
    return -size if negative else size


def ln(value: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(value.numerator) / value.denominator).ln())


def limited(part: int, whole: int) -> list[Cell]:
    """A share of samples and its 95% score limits: Wilson's equation, solved by bisection."""
    if not whole:
        return ["undefined"] * 3
    ends, one = [], 10**DIGITS
    for outside in (0, one):
        inside = part * one // whole
        while abs(outside - inside) > 1:
            θ = (outside + inside) // 2
            far = (part * one - whole * θ) ** 2 * Z.denominator**2
            if far > Z.numerator**2 * whole * θ * (one - θ):
                outside = θ
            else:
                inside = θ
        ends.append(Fraction(outside, one))
    return [Fraction(part, whole), *ends]


def half(one: Cell, other: Cell) -> Cell:
    return "undefined" if isinstance(one, str) or isinstance(other, str) else (one + other) / 2


def at_thresholds(
    of: Callable[[Rows, Fraction, int, int, int, int], Sequence[Cell]],
    cuts: Sequence[str] = CUTS,
) -> Callable[[Rows], list[Sequence[Cell]]]:
    """A table's rows, from the four counts at each threshold."""
    return lambda rows: [
        [Fraction(cut), *of(rows, Fraction(cut), *rows.called(Fraction(cut)))] for cut in cuts
    ]


def squared(rows: Rows) -> Fraction:
    return sum(((y - f) ** 2 for f, y in rows.risks()), Fraction(0))


def parts(rows: Rows, bins: int) -> list[list[Row]]:
    """The rows of each part, the lowest scores first, as what their scores say."""
    found: list[list[Row]] = [[] for _ in range(bins)]
    for place, row in zip(rows.binned(bins), rows.risks(), strict=True):
        found[place].append(row)
    return found


def won(rows: Rows) -> list[Fraction]:
    """For each pair of a positive and a negative: 1 if it is in order, 1/2 if it is tied."""
    sign = 1 if rows.higher else -1
    positives = [sign * score for score, label in rows.rows if label]
    negatives = [sign * score for score, label in rows.rows if not label]
    return [Fraction((x > z) + (x >= z), 2) for x in positives for z in negatives]


def of_precision(
    definition: Callable[[Sequence[float], Sequence[int]], Fraction | None],
) -> Callable[[Rows], Cell]:
    def value(rows: Rows) -> Cell:
        found = definition(rows.ranks(), rows.labels())
        return "undefined: there are no positives" if found is None else found

    return value


Definition = Callable[[Rows], Cell | list[Sequence[Cell]]]


def drawn(text: str, count: int, seed: int) -> list[Study]:
    rng = np.random.default_rng([seed, *text.encode()])
    one = statistic(text)
    studies = []
    for _ in range(count):
        n = int(rng.integers(2, 9) if rng.random() < 0.6 else rng.integers(9, 61))
        labels = (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(int)
        match rng.integers(0, 4):
            case 0:
                scores = rng.random(n).round(2)
            case 1:
                scores = rng.integers(0, 5, n) / 4
            case 2:
                scores = rng.integers(0, BINS + 1, n) / BINS
            case _:
                scores = rng.random(n)
        most = max(d for d in range(1, MOST_DECIMALS + 1) if one.fits(n, d))
        own: dict[str, Any] = {}
        if one.pipeline is Histogram:
            own = {"resolution": f"bins:{BINS}"}
        elif one.pipeline.sorts:
            own = {"merge": str(rng.choice(["network", "shuffled", "delta"]))}
            own["ties"] = str(rng.choice(["compare", "helper"]))
        if own.get("merge") == "delta":
            own["delta"] = int(rng.choice([1, 3]))
        decimals = int(rng.integers(1, most + 1))
        options = Options(metrics=(text,), decimals=decimals, least_cell=1, **own)
        cuts = np.sort(rng.integers(0, n + 1, int(rng.integers(0, 6))))
        sizes = np.diff([0, *cuts, n]).tolist()
        direction = str(rng.choice(["higher", "lower"]))
        studies.append(
            Study(owners_of(scores.tolist(), labels.tolist(), sizes), options, direction)
        )
    return studies


def rows_of(study: Study) -> Rows:
    rows = [
        (Fraction(float(score)), int(label))
        for owner in study.owners
        for score, label in zip(owner.scores, owner.labels, strict=True)
    ]
    return Rows(tuple(rows), study.direction == "higher")


@dataclass
class Compared:
    """The compared numbers, and how many exact ones were half way between two decimals."""

    numbers: int = 0
    halves: int = 0

    def text(self, cell: Cell, decimals: int, away: bool) -> str:
        """The cell as it is released: halves up, of roots away from 0."""
        if isinstance(cell, str):
            return cell
        self.numbers += 1
        scaled = cell * 10**decimals
        self.halves += (2 * scaled).denominator == 1 and scaled.denominator == 2
        down = away and scaled < 0
        word = -((1 - 2 * scaled) // 2) if down else (2 * scaled + 1) // 2
        sign = "-" if word < 0 else ""
        return f"{sign}{abs(word) // 10**decimals}.{abs(word) % 10**decimals:0{decimals}d}"


def plain(value: Cell) -> str:
    return f"{float(value):g}"


def agree(text: str, definition: Definition, count: int, seed: int) -> Compared:
    compared, studies = Compared(), drawn(text, count, seed)
    keys = KEYS.get(text.partition(":")[0], 1)
    for start in range(0, count, BATCH):
        batch = studies[start : start + BATCH]
        for study, outcome in zip(batch, run_all(batch), strict=True):
            [found] = outcome.results.values()
            decimals = study.options.decimals
            expected = definition(rows_of(study))
            if not isinstance(expected, list):
                assert found == compared.text(expected, decimals, False), study
                continue
            away = text.startswith("mcc")
            cells = [
                [
                    *map(plain, row[:keys]),
                    *(compared.text(one, decimals, away) for one in row[keys:]),
                ]
                for row in expected
            ]
            shown = [row for row in found.split("; ") if not row.startswith("undefined:")]
            assert [[cell.split()[-1] for cell in row.split(", ")] for row in shown] == cells, study
    return compared
