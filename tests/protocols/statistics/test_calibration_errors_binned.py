"""ICI, E50 and E90 over parts, against their definition on drawn studies and numpy's quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.options import Options
from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree, parts
from tests.protocols.studies import Owner, Study, run

TEXT = "calibration_errors_binned:bins=4"


def errors(rows: Rows) -> list[Sequence[Cell]]:
    """The distance of each sample's part, in ascending order: their mean, and two of them."""
    of_samples: list[Fraction] = []
    for part in parts(rows, 4):
        if part:
            apart = abs(sum((y - f for f, y in part), Fraction(0))) / len(part)
            of_samples += [apart] * len(part)
    of_samples.sort()
    n = len(of_samples)
    median, decile = of_samples[-(-n // 2) - 1], of_samples[-(-9 * n // 10) - 1]
    return [[sum(of_samples, Fraction(0)) / n, median, decile]]


DEFINITION = errors


def told(study: Study) -> list[float]:
    [text] = run(study).results.values()
    return [float(cell.split()[-1]) for cell in text.split(", ")]


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_they_are_quantiles_of_the_distances_of_merged_rows(direction: str) -> None:
    rng = np.random.default_rng(6)
    scores = rng.beta(2, 3, 400)
    labels = (rng.random(400) < 0.2 + 0.5 * scores).astype(int)
    risks = scores if direction == "higher" else 1 - scores
    options = Options(metrics=("calibration_errors_binned:bins=16", "calibration:bins=16"))
    owner = Owner(scores.tolist(), (labels if direction == "higher" else 1 - labels).tolist())
    study = Study((owner,), Options(metrics=options.metrics, decimals=6, least_cell=8), direction)
    results = run(study).results
    found = [float(cell.split()[-1]) for cell in results[options.metrics[0]].split(", ")]
    rows = [
        [float(cell.split()[-1]) for cell in row.split(", ")]
        for row in results[options.metrics[1]].split("; ")
    ]
    # fewer rows than parts: some were merged
    assert 2 < len(rows) < 16
    apart = np.zeros(400)
    for start, end, predicted, observed in rows:
        inside = (scores >= start) & (scores < end)
        assert predicted == pytest.approx(risks[inside].mean(), abs=1e-6)
        apart[inside] = abs(predicted - observed)
    expected = [apart.mean(), *np.quantile(apart, [0.5, 0.9], method="inverted_cdf")]
    assert found == pytest.approx(expected, abs=2e-6)
    alone = replace(study.options, metrics=options.metrics[:1])
    assert run(replace(study, options=alone)).results == {
        options.metrics[0]: results[options.metrics[0]]
    }


def test_a_row_is_picked_where_distances_are_equal_and_where_a_quantile_is_an_end() -> None:
    # ten samples; rows of five, four and one, of which the first and the last are as far apart
    scores = [0.1] * 5 + [0.4] * 4 + [0.9]
    labels = [0] * 5 + [0, 0, 1, 1] + [1]
    owner = Owner(scores, labels)
    options = Options(metrics=(TEXT,), decimals=3, least_cell=1)
    # distances .1, .1 and .1: all alike; then the middle row is the one farthest away
    assert told(Study((owner,), options)) == [0.1, 0.1, 0.1]
    apart = Owner(scores, [0] * 5 + [0, 1, 1, 1] + [1])
    assert told(Study((apart,), options)) == [0.2, 0.1, 0.35]


def test_it_is_the_ece_where_no_row_is_merged_and_withheld_where_a_class_is_small() -> None:
    rng = np.random.default_rng(7)
    owner = Owner(rng.random(300).tolist(), rng.integers(0, 2, 300).tolist())
    asked = ("calibration_errors_binned", "ece")
    results = run(Study((owner,), Options(metrics=asked, decimals=5))).results
    assert results[asked[0]].split(", ")[0].split()[-1] == results["ece"]
    few = Owner([0.1, 0.7, 0.9], [0, 1, 1])
    [text] = run(Study((few,), Options(metrics=asked[:1]))).results.values()
    assert text.startswith("withheld: fewer than 5 of a class in all")
