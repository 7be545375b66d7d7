"""Sources of the experiments: laws with their true areas, studies, records with duplicates."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, norm, uniform
from sklearn.metrics import accuracy_score

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers import duplicates
from ppaurora.bench.papers.duplicates import FOLDS, HOSPITALS, World, accuracy, gathered
from ppaurora.bench.papers.laws import THESIS, binormal, quantile
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.auroc import Auroc

SCIPY = {
    "binormal": (norm(1, 1), norm(0, 1)),
    "bibeta": (beta(5, 2), beta(2, 5)),
    "offset uniform": (uniform(0.5, 1), uniform(0, 1)),
}
TRUE = {"binormal": 0.292836, "bibeta": 0.809587, "offset uniform": 0.657905}


@pytest.mark.parametrize("name", THESIS)
def test_a_law_draws_from_its_densities_and_has_its_true_area(name: str) -> None:
    law, generator = THESIS[name], np.random.default_rng(1)
    c = np.linspace(law.ends[0], law.ends[-1], 101)[1:-1]
    for scores, expected in zip((law.positives, law.negatives), SCIPY[name], strict=True):
        np.testing.assert_allclose(scores.density(c), expected.pdf(c), atol=1e-12)
        np.testing.assert_allclose(scores.survival(c), expected.sf(c), atol=1e-12)
        drawn = scores.draw(generator, 4000)
        assert abs(drawn.mean() - expected.mean()) < 5 * expected.std() / 4000**0.5
    assert law.area_of_precision(0.1) == pytest.approx(TRUE[name], abs=5e-7)


def test_the_area_of_both_rates_is_nothing_where_the_curve_misses_the_region() -> None:
    law = binormal((2, 1.5), (0, 1))
    assert law.area_of_both_rates(0.6, 0.4) == pytest.approx(0.0628228, abs=5e-8)
    assert law.area_of_both_rates(0.99, 0.01) == 0
    assert quantile(law.positives.survival, 0.25, law.ends) == pytest.approx(norm.isf(0.25, 2, 1.5))


def study(**changes: Any) -> SimulatedStudy:
    generator = np.random.default_rng(2)
    scores, labels = THESIS["binormal"].drawn(generator, 7, 9)
    options = Options(metrics=("auroc", "average_precision"), range=("any",))
    return SimulatedStudy(**{"options": options, "scores": scores, "labels": labels, **changes})


def test_a_study_is_the_same_in_the_clear_in_private_and_for_every_number_of_owners() -> None:
    assert study().agrees()
    assert (
        study(owners=5).plaintext_words()
        == study(owners=1).plaintext_words()
        == study().in_private()
    )


def test_a_difference_between_clear_and_private_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Auroc, "plaintext_words", lambda *_: [1])
    with pytest.raises(RunFailed, match="another number than the clear"):
        study().agrees()


def test_the_covariates_have_the_eigenvalues_and_an_independent_last_one() -> None:
    world = World.drawn(np.random.default_rng(3))
    found = np.sort(np.linalg.eigvalsh(world.covariance))
    np.testing.assert_allclose(found, duplicates.EIGENVALUES)
    assert not world.covariance[:-1, -1].any()
    x, y = world.records(20_000, np.random.default_rng(4))
    np.testing.assert_allclose(np.cov(x.T), world.covariance, atol=0.12)
    assert abs(y.mean() - world.chance(x).mean()) < 5 * 0.5 / 20_000**0.5


def test_the_outcome_follows_the_printed_odds() -> None:
    x = np.array([[1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1.0, 2, 3, -4, 5, -6, 7, -8, 9, 10]])
    odds = np.log(1 / (1 / World(np.eye(10), duplicates.WEIGHTS).chance(x / 10) - 1))
    first = -2 + 0.04 + 0.16 + 0.36 + 0.008 + 0.36 + 0.75 + 1.4
    second = -2 + 0.04 + 0.16 + 0.36 + 0.008
    np.testing.assert_allclose(odds, [first, second], atol=1e-9)


def test_duplicates_are_added_to_hospitals_that_do_not_have_the_patient() -> None:
    generator = np.random.default_rng(5)
    plain = gathered(World.drawn(generator), generator, 200)
    data = plain.with_duplicates(80, generator)
    pairs = Counter(zip(data.patient.tolist(), data.hospital.tolist(), strict=True))
    assert len(data.y) == 280
    assert max(pairs.values()) == 1
    np.testing.assert_array_equal(data.x, plain.x[data.patient])
    np.testing.assert_array_equal(data.y, plain.y[data.patient])


def test_folds_by_a_covariate_keep_duplicates_together_and_random_ones_do_not() -> None:
    generator = np.random.default_rng(6)
    data = gathered(World.drawn(generator), generator, 500).with_duplicates(200, generator)

    def patients_in_several_folds(folds: np.ndarray) -> int:
        of = {(patient, fold) for patient, fold in zip(data.patient, folds, strict=True)}
        return sum(count > 1 for count in Counter(patient for patient, _ in of).values())

    by_covariate, random = data.folds_by(4), data.folds_at_random(generator)
    assert patients_in_several_folds(by_covariate) == 0
    assert patients_in_several_folds(random) > 100
    assert np.ptp(np.bincount(by_covariate, minlength=FOLDS)) <= 8
    for hospital in range(HOSPITALS):
        assert np.ptp(np.bincount(random[data.hospital == hospital], minlength=FOLDS)) <= 1


def test_the_accuracy_is_that_of_a_threshold_of_one_half() -> None:
    generator = np.random.default_rng(7)
    scores, labels = generator.random(50), generator.integers(0, 2, 50)
    assert accuracy(scores, labels) == pytest.approx(accuracy_score(labels, scores >= 0.5))
