"""The class of each sample: read by name, held against the labels, and told to nobody."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.parties.columns.class_by import ClassBy
from ppaurora.parties.columns.class_scores import ClassScores
from ppaurora.parties.columns.column import in_study
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.options import Options
from tests.parties.sample import study

CLASSES = ("malignant", "suspect", "benign")
OPTIONS = Options(metrics=("auroc_classes", "auroc_multiclass:mean=pairs"), classes=CLASSES)
BY = ClassBy(column="diagnosis")


def keys(values: list[str], labels: list[int]) -> list[int]:
    found = BY.keys(values, np.array(labels, np.uint8), OPTIONS, b"")
    return [int(one) for one in found]


def test_case_and_blanks_at_the_ends_make_no_difference() -> None:
    assert keys(["Malignant ", "benign", "SUSPECT"], [1, 0, 0]) == [0, 2, 1]


def test_other_classes_and_labels_that_do_not_fit_are_told_with_their_rows() -> None:
    with pytest.raises(DataRefused, match="a class is none of the study's in row 2"):
        keys(["benign", "cyst"], [0, 0])
    with pytest.raises(DataRefused, match="a label is of another class"):
        keys(["malignant", "benign"], [0, 0])
    with pytest.raises(DataRefused, match="a label is of another class"):
        keys(["malignant", "benign"], [1, 1])


def test_a_study_of_classes_reads_back_and_names_its_columns() -> None:
    extra = in_study((BY,), OPTIONS)
    assert [one.columns for one in extra] == [("suspect", "benign"), ("diagnosis",)]
    asked = study(metrics=OPTIONS.metrics, classes=CLASSES, extra=extra)
    text = study_text(asked)
    assert 'names = ["malignant", "suspect", "benign"]' in text
    assert Study.parse(text, "study.toml") == asked
    with pytest.raises(OptionRefused, match="must name the column of the classes"):
        in_study((), OPTIONS)
    with pytest.raises(OptionRefused, match="for two purposes"):
        in_study((ClassBy(column="benign"),), OPTIONS)
    assert ClassScores().in_options(OPTIONS).columns == ("suspect", "benign")


@pytest.mark.zeromq
def test_three_owners_release_what_the_pooled_rows_give() -> None:
    rng = np.random.default_rng(1)
    lists = []
    for size in (20, 25, 30):
        own = rng.integers(0, 3, size)
        scores = rng.random((3, size))
        extra = {"suspect": scores[1], "benign": scores[2], "diagnosis": [CLASSES[c] for c in own]}
        lists.append(Labelled(scores[0], (own == 0).astype(np.uint8), extra=extra))
    found = simulate(lists, OPTIONS, extra=(BY,))
    assert found.result.values == found.pooled
