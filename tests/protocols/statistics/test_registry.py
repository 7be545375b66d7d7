"""A text becomes a statistic: by the name of its file, by an alias, or not at all."""

from __future__ import annotations

import re

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.registry import statistic, statistics


def test_every_statistic_lies_in_the_file_of_its_name() -> None:
    for name, one in statistics().items():
        assert one.__module__.rpartition(".")[2] == name


def test_an_alias_is_no_other_statistics_name() -> None:
    for kind in statistics().values():
        assert not set(kind.aliases) & set(statistics())


def test_a_name_gives_the_statistic_of_the_list() -> None:
    assert type(statistic("auroc")) is statistics()["auroc"]


@pytest.mark.parametrize("name", ["registry", "statistic", "__init__", "..options", "", "aurocs"])
def test_a_module_that_is_no_statistic_is_refused_as_any_unknown_name(name: str) -> None:
    with pytest.raises(OptionRefused, match="no statistic here"):
        statistic(name)


ELSEWHERE = {
    "auc": "auroc",
    "roc_auc_score": "auroc",
    "average_precision_score": "average_precision",
    "ci.auc": "auroc_ci",
    "brier_score_loss": "brier",
    "delong": "auroc_ci:method=delong",
    "roc.test": "auroc_difference or auroc_groups",
    "precision_recall_curve": "pr_curve",
    "coords": "youden_max",
    "matthews_corrcoef": "mcc",
    "recall_score": "confusion",
    "sklearn.metrics.roc_auc_score": "auroc",
    "sklearn.calibration.calibration_curve": "calibration",
}


@pytest.mark.parametrize(("name", "here"), ELSEWHERE.items())
def test_a_name_of_another_program_is_translated(name: str, here: str) -> None:
    with pytest.raises(OptionRefused) as caught:
        statistic(name)
    assert caught.value.advice == f'"{name}" is called {here} here.'


def test_every_function_that_a_statistic_is_known_as_is_translated() -> None:
    """Names with an underscore or a dot, which nobody writes for anything else."""
    listed = {
        word.strip(".")
        for one in statistics().values()
        for word in re.findall(r"[\w.]*[a-z][._]\w[\w.]*", one.known_as)
        if word not in statistics() and not word.startswith("sklearn.")
    }
    assert {"roc_auc_score", "val.prob", "ci.cvAUC"} <= listed
    for name in listed:
        with pytest.raises(OptionRefused) as caught:
            statistic(name)
        assert "is called" in caught.value.advice, name


def test_a_name_that_is_close_in_either_case_is_offered() -> None:
    for name in ("AUROC", "averageprecision"):
        with pytest.raises(OptionRefused, match="Did you mean"):
            statistic(name)
