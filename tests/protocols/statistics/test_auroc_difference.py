"""The difference of two AUROCs and its limits, against the outcomes of all pairs."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from ppaurora.protocols.options import Options
from tests.protocols.statistics.examples import TIED, Example, placement_variance, text_of
from tests.protocols.studies import Owner, Study, interval, run

SECOND = Example((2, 12, 9, 14, 3, 8, 7, 1, 15, 4), TIED.labels)


def released_of_pairs(text: str, first: Example, second: Example) -> str:
    owner = Owner(first.scores, first.labels, second.scores)
    [value] = run(Study((owner,), Options(metrics=(text,)))).results.values()
    return value


def gains(first: Example, second: Example) -> list[list[Fraction]]:
    """The outcomes of all pairs by the first scores, less those by the second ones."""
    rows = zip(first.wins(), second.wins(), strict=True)
    return [[a - b for a, b in zip(*row, strict=True)] for row in rows]


def test_the_difference_is_the_mean_gain_of_all_pairs() -> None:
    for first, second in ((TIED, SECOND), (SECOND, TIED)):
        difference = first.area() - second.area()
        error = sqrt(placement_variance(gains(first, second)))
        half = NormalDist().inv_cdf(0.975) * error
        limits = (max(float(difference) - half, -1.0), min(float(difference) + half, 1.0))
        shown = interval(*map(text_of, (difference, *limits)))
        found = released_of_pairs("auroc_difference", first, second)
        assert found.startswith(f"{shown}, z {text_of(float(difference) / error, 3)}, p ")
