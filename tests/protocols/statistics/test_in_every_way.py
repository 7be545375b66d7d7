"""Statistics of the sorted list whose definition stands beside their own test, in every way.

Sorts, ways with ties, codes, directions, owners and decimals are drawn; what each must give is
what its own test says. The others are in `test_by_definition`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.protocols.statistics import (
    test_at_top,
    test_aucnpr,
    test_aupr_interpolated_max,
    test_aupr_trapezoids,
    test_average_precision_ci,
    test_delong,
    test_every_label,
    test_logit,
    test_operating_points,
    test_pauc,
    test_tpauc,
    test_tpauc_trimmed,
)
from tests.protocols.statistics.drawn import varied_studies
from tests.protocols.studies import Study, run_all

SAMPLE, PART, BATCH = 12, 250, 50
SEEDS = (6, 7, 8, 9)
"""A thousand studies in parts, each far below the time that a test may take."""


def each(check: Callable[[Study, dict[str, str]], int]) -> Callable[[list[Study]], object]:
    """A check of one study's results for all of a list."""

    def of_all(studies: list[Study]) -> int:
        outcomes = run_all(studies)
        return sum(check(one, out.results) for one, out in zip(studies, outcomes, strict=True))

    return of_all


@dataclass(frozen=True)
class Family:
    """Statistics that one test knows: its check, what it asks for by turns, and the decimals."""

    check: Callable[[list[Study]], object]
    asked: Sequence[Sequence[str]]
    decimals: int = 15


TRAPEZOIDS = (test_aupr_trapezoids.LOWER, test_aupr_trapezoids.UPPER)
FAMILIES = {
    "at_rates": Family(test_operating_points.check_all, test_operating_points.ASKED),
    "at_top": Family(test_at_top.check_all, test_at_top.ASKED),
    "aucnpr": Family(test_aucnpr.check_all, test_aucnpr.TURNS),
    "interpolated_max": Family(
        test_aupr_interpolated_max.check_all, [(test_aupr_interpolated_max.MAX,)], 8
    ),
    "trapezoids": Family(test_aupr_trapezoids.check_all, [TRAPEZOIDS]),
    "average_precision_ci": Family(
        test_average_precision_ci.check_all, [tuple(test_average_precision_ci.LEVELS)], 8
    ),
    "delong": Family(each(test_delong.check), test_delong.ASKED),
    "every_label": Family(test_every_label.check_all, test_every_label.ASKED),
    "logit": Family(each(test_logit.check), test_logit.ASKED, 8),
    "pauc": Family(test_pauc.check_all, test_pauc.ASKED),
    "tpauc": Family(test_tpauc.check_all, test_tpauc.ASKED),
    "tpauc_trimmed": Family(test_tpauc_trimmed.check_all, test_tpauc_trimmed.ASKED),
}


def checked(name: str, count: int, seed: int) -> None:
    family = FAMILIES[name]
    rng = np.random.default_rng([seed, *name.encode()])
    studies = [
        replace(one, direction=str(rng.choice(["higher", "lower"])))
        for one in varied_studies(count, seed, family.asked, family.decimals)
    ]
    for start in range(0, count, BATCH):
        family.check(studies[start : start + BATCH])


@pytest.mark.parametrize("name", FAMILIES)
def test_a_few_studies_of_a_family_have_the_values_of_its_test(name: str) -> None:
    checked(name, SAMPLE, 5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_thousand_studies_of_a_family_have_the_values_of_its_test(name: str, seed: int) -> None:
    checked(name, PART, seed)
