"""Statistics whose definition stands beside their own test, in every way.

Sorts, ways with ties, codes, directions, owners, bins and decimals are drawn; what each must give
is what its own test says. The others are in `test_by_definition`.

Tests that know one direction only are asked in both all the same: every second study is computed
of its mirrored scores, with lower ones positive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ppaurora.protocols.grid.grid import HIGHER
from ppaurora.protocols.statistics.registry import statistics
from tests.protocols import pooled
from tests.protocols.pipelines import test_counted_clusters
from tests.protocols.statistics import (
    test_at_top,
    test_aucnpr,
    test_aupr_binormal,
    test_aupr_interpolated_max,
    test_aupr_trapezoids,
    test_auroc_at_time,
    test_auroc_bounds,
    test_auroc_classes,
    test_auroc_clusters,
    test_auroc_contrasts,
    test_auroc_covariance,
    test_auroc_equal,
    test_auroc_groups,
    test_auroc_groups_equal,
    test_auroc_models,
    test_auroc_multiclass,
    test_auroc_refined,
    test_auroc_sites,
    test_auroc_within,
    test_auroc_within_ci,
    test_average_precision_bounds,
    test_average_precision_ci,
    test_bootstrap,
    test_brier_at_time,
    test_c_index,
    test_calibration_groups,
    test_calibration_in_the_large,
    test_calibration_slope,
    test_calibration_slope_sites,
    test_cells,
    test_contrasts,
    test_delong,
    test_every_label,
    test_fold_mean,
    test_idi,
    test_kaplan_meier,
    test_logit,
    test_mean_folds,
    test_newcombe,
    test_observed_expected_sites,
    test_operating_points,
    test_pauc,
    test_rates_groups,
    test_rocglm,
    test_site_values,
    test_spiegelhalter_z,
    test_tpauc,
    test_tpauc_difference,
    test_tpauc_trimmed,
)
from tests.protocols.statistics.drawn import drawn_studies, varied_studies
from tests.protocols.statistics.drawn_classes import drawn_classes
from tests.protocols.statistics.drawn_models import drawn_models
from tests.protocols.statistics.drawn_pairs import drawn_pairs
from tests.protocols.statistics.test_by_definition import DEFINITIONS
from tests.protocols.studies import Outcome, Study, run_all

PART, BATCH = 250, 50
SEEDS = (6, 7, 8, 9)
"""A thousand studies in parts, each far below the time that a test may take."""
DRAWN, SAMPLE = 5, slice(3, 5)
"""Of five studies that begin with the smallest, the fourth and, mirrored, the fifth."""
GRID = 30
"""Binary digits of scores on a grid, so that 1 - score is one as well."""
Scores = Sequence[float] | Sequence[Sequence[float]]


def mirrored(study: Study) -> Study:
    """The same ranking by lower scores, the same bins on a grid."""
    # the IDI is of probabilities as well, and so are losses
    asked = study.options.metrics
    kept = study.options.counted or asked[0].startswith((test_idi.TEXT, "mean_folds"))

    def turned(scores: Sequence[float]) -> list[float]:
        return [1 - score if kept else -score for score in scores]

    def all_turned(against: Scores) -> Scores:
        """The scores of another model, or of each of several."""
        of_several = [one for one in against if isinstance(one, Sequence)]
        if of_several or not against:
            return [turned(one) for one in of_several]
        return turned([one for one in against if not isinstance(one, Sequence)])

    owners = tuple(
        replace(
            one,
            scores=turned(one.scores),
            against=None if one.against is None else all_turned(one.against),
        )
        for one in study.owners
    )
    options = study.options if kept else replace(study.options, range=("any",))
    return Study(owners, options, "lower")


def by_turns(studies: Sequence[Study]) -> list[Outcome]:
    """`run_all`, of which every second study is mirrored, unless its direction was drawn."""
    drawn = any(one.direction != HIGHER for one in studies)
    return run_all(
        [
            mirrored(one) if place % 2 and not drawn else one
            for place, one in enumerate(studies)
        ]
    )  # fmt: skip


def each(
    module: ModuleType, check: Callable[[Study, dict[str, str]], object]
) -> Callable[[list[Study]], object]:
    """A check of one study's results for all of a list."""

    def of_all(studies: list[Study]) -> object:
        outcomes = module.run_all(studies)
        return [check(one, out.results) for one, out in zip(studies, outcomes, strict=True)]

    return of_all


@dataclass(frozen=True)
class Family:
    """Statistics that one test knows: what it asks for by turns, and the decimals and bins."""

    module: ModuleType
    asked: Sequence[Sequence[str]]
    decimals: int = 15
    bins: Sequence[int] = ()
    check: Callable[[list[Any]], object] | None = None
    """The check of the module, unless it is another."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        if not self.bins:
            return [
                replace(one, direction=str(rng.choice(["higher", "lower"])))
                for one in varied_studies(count, seed, self.asked, self.decimals)
            ]
        return [
            replace(one, owners=tuple(replace(o, scores=on_grid(o.scores)) for o in one.owners))
            for one in drawn_studies(count, seed, self.asked, self.decimals, self.bins)
        ]


def on_grid(scores: Sequence[float]) -> list[float]:
    return [round(score * 2**GRID) / 2**GRID for score in scores]


@dataclass(frozen=True)
class Pairs(Family):
    """Two scores of each sample."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return drawn_pairs(count, seed, self.asked, self.decimals)


@dataclass(frozen=True)
class SeveralModels(Family):
    """Scores of two to six models of each sample."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return drawn_models(count, seed, self.asked, self.decimals)


@dataclass(frozen=True)
class SeveralClasses(Family):
    """A score of each sample for every one of three to five classes."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return drawn_classes(count, seed, self.asked, self.decimals)


@dataclass(frozen=True)
class Folds(Family):
    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return list(test_fold_mean.drawn(count, seed, self.asked, self.decimals))


@dataclass(frozen=True)
class Clustered(Family):
    """Several samples of one patient."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return list(self.module.drawn(count, seed))


@dataclass(frozen=True)
class Hospitals(Family):
    """Statistics of each owner's own rows, which the module of one deals out to owners."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return list(self.module.studies(count, seed))


@dataclass(frozen=True)
class Weighed(Family):
    """Statistics of times with censoring weights, as the module of one draws them."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return list(self.module.drawn(count, seed))


@dataclass(frozen=True)
class Twins(Family):
    """Statistics of the curve from a histogram, against the sorted list of the binned scores."""

    def studies(self, count: int, seed: int, rng: np.random.Generator) -> list[Any]:
        return drawn_studies(count, seed, self.asked, self.decimals)


def alone(texts: Sequence[str]) -> list[tuple[str]]:
    return [(text,) for text in texts]


TRAPEZOIDS = (test_aupr_trapezoids.LOWER, test_aupr_trapezoids.UPPER)
newcombe = partial(test_newcombe.check, levels=test_newcombe.LEVELS)
FAMILIES = {
    "at_rates": Family(test_operating_points, test_operating_points.ASKED),
    "at_top": Family(test_at_top, test_at_top.ASKED),
    "aucnpr": Family(test_aucnpr, test_aucnpr.TURNS),
    "interpolated_max": Family(
        test_aupr_interpolated_max, alone([test_aupr_interpolated_max.MAX]), 8
    ),
    "trapezoids": Family(test_aupr_trapezoids, [TRAPEZOIDS]),
    "average_precision_ci": Family(
        test_average_precision_ci, alone(list(test_average_precision_ci.LEVELS)), 8
    ),
    "delong": Family(
        test_delong, test_delong.ASKED, check=each(test_delong, test_delong.check)
    ),
    "every_label": Family(test_every_label, test_every_label.ASKED),
    "logit": Family(
        test_logit, test_logit.ASKED, 8, check=each(test_logit, test_logit.check)
    ),
    "newcombe": Family(
        test_delong, alone(list(test_newcombe.LEVELS)), 9, check=each(test_delong, newcombe)
    ),
    "pauc": Family(test_pauc, test_pauc.ASKED),
    "tpauc": Family(test_tpauc, test_tpauc.ASKED),
    "tpauc_trimmed": Family(test_tpauc_trimmed, test_tpauc_trimmed.ASKED),
    "rocglm": Family(test_rocglm, alone([test_rocglm.GLM]), 6),
    "pairs": Pairs(
        test_contrasts,
        test_contrasts.ASKED,
        check=each(test_contrasts, test_contrasts.check),
    ),
    "auroc_models": SeveralModels(
        test_auroc_models,
        test_auroc_models.ASKED,
        check=each(test_auroc_models, test_auroc_models.check),
    ),
    "auroc_contrasts": SeveralModels(
        test_auroc_contrasts,
        test_auroc_contrasts.ASKED,
        check=each(test_auroc_contrasts, test_auroc_contrasts.check),
    ),
    "auroc_covariance": SeveralModels(
        test_auroc_covariance,
        test_auroc_covariance.ASKED,
        test_auroc_covariance.MOST_DECIMALS,
        check=each(test_auroc_covariance, test_auroc_covariance.check),
    ),
    "auroc_equal": SeveralModels(
        test_auroc_equal,
        test_auroc_equal.ASKED,
        test_auroc_equal.MOST_DECIMALS,
        check=each(test_auroc_equal, test_auroc_equal.check),
    ),
    "classes": SeveralClasses(
        test_auroc_classes,
        test_auroc_classes.ASKED,
        check=each(test_auroc_classes, test_auroc_classes.check),
    ),
    "multiclass": SeveralClasses(
        test_auroc_multiclass,
        test_auroc_multiclass.ASKED,
        6,
        check=each(test_auroc_multiclass, test_auroc_multiclass.check),
    ),
    "idi": SeveralModels(test_idi, test_idi.ASKED, check=each(test_idi, test_idi.check)),
    "clusters": Clustered(
        test_auroc_clusters,
        [test_auroc_clusters.LEVELS],
        check=each(test_auroc_clusters, test_auroc_clusters.check),
    ),
    "folds": Folds(test_fold_mean, test_fold_mean.ASKED, 7, check=test_fold_mean.check),
    "sums of folds": Folds(
        test_mean_folds, test_mean_folds.ASKED, 5, check=test_mean_folds.check
    ),
    "across hospitals": Hospitals(
        test_auroc_sites,
        alone(test_auroc_sites.ASKED),
        check=each(test_auroc_sites, test_auroc_sites.check),
    ),
    "observed over expected across hospitals": Hospitals(
        test_observed_expected_sites,
        alone(test_observed_expected_sites.ASKED),
        check=each(test_observed_expected_sites, test_observed_expected_sites.check),
    ),
    "calibration slope across hospitals": Hospitals(
        test_calibration_slope_sites,
        alone(test_calibration_slope_sites.ASKED),
        check=each(test_calibration_slope_sites, test_calibration_slope_sites.check),
    ),
    "own values of hospitals": Hospitals(
        test_site_values,
        alone(test_site_values.ASKED),
        check=each(test_site_values, test_site_values.check),
    ),
    "areas between groups": Hospitals(
        test_auroc_groups,
        alone(test_auroc_groups.ASKED),
        check=each(test_auroc_groups, test_auroc_groups.check),
    ),
    "all areas of groups": Hospitals(
        test_auroc_groups_equal,
        alone(test_auroc_groups_equal.ASKED),
        check=each(test_auroc_groups_equal, test_auroc_groups_equal.check),
    ),
    "rates between groups": Hospitals(
        test_rates_groups,
        alone(test_rates_groups.ASKED),
        check=each(test_rates_groups, test_rates_groups.check),
    ),
    "calibration between groups": Hospitals(
        test_calibration_groups,
        alone(test_calibration_groups.ASKED),
        check=each(test_calibration_groups, test_calibration_groups.check),
    ),
    "within hospitals": Hospitals(
        test_auroc_within,
        alone([test_auroc_within.TEXT]),
        check=each(test_auroc_within, test_auroc_within.check),
    ),
    "within hospitals, with limits": Hospitals(
        test_auroc_within_ci,
        alone(test_auroc_within_ci.ASKED),
        check=each(test_auroc_within_ci, test_auroc_within_ci.check),
    ),
    "tpauc_difference": Hospitals(
        test_tpauc_difference,
        alone(test_tpauc_difference.ASKED),
        check=test_tpauc_difference.check_all,
    ),
    "times": Hospitals(
        test_c_index, alone([test_c_index.TEXT]), check=each(test_c_index, test_c_index.check)
    ),
    "curves of times": Hospitals(
        test_kaplan_meier,
        alone([test_kaplan_meier.TEXT]),
        check=each(test_kaplan_meier, test_kaplan_meier.check),
    ),
    "areas at times": Weighed(
        test_auroc_at_time,
        alone([test_auroc_at_time.TEXT]),
        check=each(test_auroc_at_time, test_auroc_at_time.check),
    ),
    "Brier scores at times": Weighed(
        test_brier_at_time,
        alone([test_brier_at_time.TEXT]),
        check=each(test_brier_at_time, test_brier_at_time.check),
    ),
    "auroc of bins": Family(test_auroc_bounds, test_auroc_bounds.ASKED, bins=(2, 4, 64, 1024)),
    "average_precision of bins": Family(
        test_average_precision_bounds,
        test_average_precision_bounds.ASKED,
        bins=test_average_precision_bounds.BINS,
    ),
    "bootstrap": Family(test_bootstrap, test_bootstrap.MIRRORED, 8, bins=(64,)),
    "bootstrap of clusters": Clustered(
        test_counted_clusters,
        test_counted_clusters.ASKED,
        check=each(test_counted_clusters, test_counted_clusters.check),
    ),
    "refined": Family(test_auroc_refined, [test_auroc_refined.TEXTS], 12, (2, 16, 64, 1024)),
    "calibration_in_the_large": Family(
        test_calibration_in_the_large, test_calibration_in_the_large.ASKED, 9, bins=(64,)
    ),
    "calibration_slope": Family(
        test_calibration_slope, test_calibration_slope.ASKED, 8, bins=(64,)
    ),
    "spiegelhalter_z": Family(test_spiegelhalter_z, test_spiegelhalter_z.ASKED, bins=(64,)),
    "rocglm of bins": Family(test_rocglm, alone([test_rocglm.GLM]), 6, (2, 16, 64)),
    "newcombe of bins": Family(
        test_delong,
        alone(list(test_newcombe.LEVELS)),
        9,
        (2, 8, 64),
        each(test_delong, newcombe),
    ),
    "aupr_binormal": Family(
        test_aupr_binormal, alone([test_aupr_binormal.NAME]), 6, (2, 16, 1024)
    ),
    "cells": Twins(test_cells, test_cells.BY_TURNS, 9),
}  # fmt: skip
NOISY = {"auroc_dp", "average_precision_dp", "histogram_dp", "samples_dp"}
"""Their values before the noise stand beside their own tests, their noise in `test_many_draws`."""
STATED = {"left_out"}
"""Not of the rows: the owners say it, and `test_left_out` adds it up."""


def test_every_statistic_has_its_definition_here_or_there() -> None:
    asked = {text for family in FAMILIES.values() for texts in family.asked for text in texts}
    named = {text.partition(":")[0] for text in {*asked, *DEFINITIONS}}
    assert named == set(statistics()) - NOISY - STATED


def checked(
    name: str,
    count: int,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    some: slice = slice(None),
) -> int:
    """Count the exact values that were half way between two decimals."""
    family, halves = FAMILIES[name], pooled.HALVES.count
    # some modules run all studies in their check only, which is another one here
    monkeypatch.setattr(family.module, "run_all", by_turns, raising=family.check is None)
    check = family.check or family.module.check_all
    studies = family.studies(count, seed, np.random.default_rng([seed, *name.encode()]))[some]
    for start in range(0, len(studies), BATCH):
        check(studies[start : start + BATCH])
    return pooled.HALVES.count - halves


@pytest.mark.parametrize("name", FAMILIES)
def test_a_few_studies_of_a_family_have_the_values_of_its_test(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(name, DRAWN, 5, monkeypatch, SAMPLE)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_thousand_studies_of_a_family_have_the_values_of_its_test(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    halves = checked(name, PART, seed, monkeypatch)
    print(f"{name}: {PART} studies, {halves} numbers at a half")
