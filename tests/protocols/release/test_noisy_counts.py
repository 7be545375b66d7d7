"""What a receiver makes of noisy counts: exact where they are, and without a fault where not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.protocols.release.noisy_counts import AtCut, along


def test_counts_without_noise_give_the_auroc_and_the_curve_of_their_samples() -> None:
    rng = np.random.default_rng(6)
    positives, negatives = rng.integers(0, 9, 16), rng.integers(0, 9, 16)
    labels = np.repeat([1, 0] * 16, np.c_[positives, negatives].ravel())
    parts = np.repeat(np.arange(16), positives + negatives)
    found = along(positives.tolist(), negatives.tolist())
    assert float(found[-1].area or 0) == pytest.approx(roc_auc_score(labels, -parts))
    for part, at in enumerate(found):
        above = parts <= part
        assert at.tpr == Fraction(int((above & (labels == 1)).sum()), int(labels.sum()))
        assert at.fpr == Fraction(int((above & (labels == 0)).sum()), int((1 - labels).sum()))
        assert at.precision == Fraction(int((above & (labels == 1)).sum()), int(above.sum()))


def test_the_numerator_of_the_area_is_right_on_the_average_over_the_noise() -> None:
    rng = np.random.default_rng(7)
    positives, negatives = np.array([30, 20, 10, 5]), np.array([10, 25, 40, 60])
    exact = float(along(positives.tolist(), negatives.tolist())[-1].area or 0)
    found = []
    for _ in range(4000):
        p, q = (
            count + rng.geometric(0.4, 4) - rng.geometric(0.4, 4)
            for count in (positives, negatives)
        )
        area = along(p.tolist(), q.tolist())[-1].area or 0
        found.append(float(area) * p.sum() * q.sum() / (65 * 135))
    assert abs(np.mean(found) - exact) < 5 * np.std(found) / 4000**0.5


def test_counts_below_zero_are_cut_off_and_what_has_no_denominator_is_missing() -> None:
    no_positives = [
        AtCut(Fraction(0), None, None, None),
        AtCut(Fraction(1), None, Fraction(0), None),
    ]
    assert along([-2, 1], [0, 3]) == no_positives
    assert along([5, -1], [-1, 4])[0] == AtCut(Fraction(0), Fraction(1), Fraction(1), Fraction(0))
