"""Analyses: each is a file, and a study of one releases what the statistics do by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, run

SCALES: dict[str, dict[str, Any]] = {
    "doubles": {},
    "float32": {"resolution": "float32"},
    "counted": {"resolution": "decimals:2"},
    "bins": {"resolution": "bins:50"},
    "points": {"resolution": "decimals:0", "range": (0, 20)},
    "any": {"range": ("any",)},
}
MORE: dict[str, dict[str, Any]] = {
    "cross-validation": {"folds": 2},
    "subgroups": {"groups": ("a", "b")},
    "survival": {"time_edges": ("30", "90"), "resolution": "bins:20"},
}


def owners(*sizes: int, largest: int = 1) -> tuple[Owner, ...]:
    rng = np.random.default_rng(7)
    lists = []
    for size in sizes:
        labels = rng.integers(0, 2, size)
        scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2) * largest
        lists.append(Owner(scores.round(0 if largest > 1 else 2), labels, scores[::-1]))
    return tuple(lists)


@pytest.mark.parametrize(
    "scale",
    [pytest.param(one, marks=[pytest.mark.weekly] * (one == "float32")) for one in SCALES],
)
def test_a_validation_has_all_that_scores_of_a_scale_can_tell(scale: str) -> None:
    options = Options(analysis="validation", **SCALES[scale])
    names = [one.name for one in options.statistics]
    assert names[:3] == ["auroc_ci", "average_precision", "class_counts"]
    assert ("roc_curve" in names) is (scale != "any")
    assert ("brier" in names) is (scale not in ("any", "points"))
    of = owners(120, 0, 90, largest=20 if scale == "points" else 1)
    merge = {"merge": "network"} if options.pipeline.sorts else {}
    study = Study(of, Options(analysis="validation", **SCALES[scale], **merge))
    outcome = run(study)
    cost = total_cost(study.options, study.sizes)
    assert (outcome.payload, outcome.refused) == (cost.payload, ())
    few = ("auroc_ci", "class_counts")
    by_themselves = run(Study(of, Options(metrics=few, **SCALES[scale]))).results
    assert by_themselves == {text: outcome.results[text] for text in few}


@pytest.mark.parametrize("scale", ["doubles", "counted", "bins"])
def test_all_of_a_validation_on_calibration_takes_no_more_hops_than_the_slope(scale: str) -> None:
    whole = Options(analysis="validation", **SCALES[scale])
    others = ("calibration_in_the_large", "spiegelhalter_z")
    assert {*others} < {*whole.metrics}
    without = tuple(text for text in whole.metrics if text not in others)
    least = Options(metrics=without, **SCALES[scale])
    costs = [total_cost(options, [1000] * 8) for options in (whole, least)]
    assert costs[0].hops == costs[1].hops
    assert costs[0].payload > costs[1].payload


def test_a_validation_releases_no_small_cells() -> None:
    cells = Cells.of(Options(analysis="validation"))
    assert cells.small == 0
    assert cells.least == 5


@pytest.mark.parametrize("name", analyses())
def test_an_analysis_says_what_it_is_and_its_statistics_are_named_in_the_study(name: str) -> None:
    one = analyses()[name]
    for words in (one.title, one.tells, *one.answers):
        assert words == words.strip()
        assert words
    options = Options(analysis=name, **MORE.get(name, {}))
    assert options.metrics == one.metrics(options.scale, options.models)
    written = {declared.key: value for declared, value in options.chosen}
    assert written["analysis"] == name
    assert written["names"] == list(options.metrics)
    # a study that names them keeps them, whatever the analysis comes to be
    fewer = options.metrics[:1]
    assert Options(analysis=name, metrics=fewer, **MORE.get(name, {})).metrics == fewer


def test_without_an_analysis_it_is_the_auroc_and_nothing_of_it_is_written() -> None:
    assert Options().metrics == ("auroc",)
    assert "analysis" not in {declared.key for declared, _ in Options().chosen}
    with pytest.raises(OptionRefused, match='names "validate"'):
        Options(analysis="validate")
