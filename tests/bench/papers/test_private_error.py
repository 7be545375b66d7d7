"""Errors of differentially private numbers: the noise of the paper and of three parties."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers.experiment import Cell
from ppaurora.bench.papers.experiments.thesis_private_auroc import PrivateAurocError
from ppaurora.bench.papers.experiments.thesis_sensitivity import TABLES, smooth_sensitivity
from ppaurora.bench.papers.laws import THESIS
from ppaurora.bench.papers.private_error import agrees_before_noise, released
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.auroc_dp import PrivateAuroc


def study(text: str) -> SimulatedStudy:
    scores, labels = THESIS["binormal"].drawn(np.random.default_rng(1), 60, 40)
    return SimulatedStudy(Options(metrics=(text,), decimals=6, range=("any",)), scores, labels)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("auroc_dp:epsilon=1,least_class=20", 1.5 / 20),
        ("auroc_dp:epsilon=1,mechanism=smooth,delta=0.01", 2 / 40),
    ],
)
def test_releases_have_laplace_noise_of_the_mechanisms_scale(text: str, scale: float) -> None:
    values = released(study(text), 300, np.random.default_rng(2))
    # the mean distance from the middle is the scale, its standard error scale/sqrt(300)
    middle = float(np.median(values))
    assert abs(np.abs(values - middle).mean() / scale - 1) < 5 / 300**0.5
    assert len(set(values.tolist())) > 250


def test_the_same_seed_draws_the_same_noise_and_another_one_another() -> None:
    one = study("auroc_dp:epsilon=1,least_class=20")
    first, again, other = (released(one, 5, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist() != other.tolist()


def test_three_parties_find_the_value_before_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    one = study("auroc_dp:epsilon=1,least_class=20")
    assert agrees_before_noise(one)
    honest = PrivateAuroc.exact
    monkeypatch.setattr(PrivateAuroc, "exact", lambda self, data, b: honest(self, data, b) / 2)
    with pytest.raises(RunFailed, match="before the noise"):
        agrees_before_noise(one)


def test_cauchy_noise_has_the_printed_scale_and_is_cut_off() -> None:
    cell = Cell("", PrivateAurocError.axes, ("Cauchy, as printed", 1000, 3.0), 4000, part=1)
    found = PrivateAurocError().compute(cell, np.random.default_rng(5))
    # 6·S/ε = .002, of which half of Cauchy's noise is below; none is beyond 1
    assert 0.002 < found["error"].root_mean_square < 0.2
    assert abs(found["error"].mean) < 0.05


def test_smooth_sensitivities_are_the_printed_ones() -> None:
    at = {name: smooth_sensitivity(table(2000), 1 / 6)[1000] for name, table in TABLES.items()}
    assert at["AUROC"] == pytest.approx(0.001)
    assert at["AP, printed"] == pytest.approx(0.0138175, abs=5e-8)
    harmonic = sum(1 / i for i in range(1, 1001))
    assert at["AP, sharp"] == pytest.approx((harmonic - 1) / 999)
    few = smooth_sensitivity(TABLES["AUROC"](20), 0.5)
    local = [1 / max(1, min(P, 20 - P)) for P in range(21)]
    brute = [max(local[i] * np.exp(-0.5 * abs(i - P)) for i in range(21)) for P in range(21)]
    np.testing.assert_allclose(few, brute, rtol=1e-12)
