"""Weights of samples, from the owners' files to the report."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from ppaurora.parties.columns.weight import WeightBy, steps_of
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.participant.cuts_sent import StudyCuts
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.reports.section_methods import methods_section
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study
from tests.protocols.studies import Owner, upload_of
from tests.protocols.studies import Study as Lists

BY = WeightBy(column="w")
WEIGHTED: dict[str, object] = {
    "extra": (BY,), "metrics": ("auroc",), "most_weight": 10.0, "weight_step": 0.25,
}  # fmt: skip


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**{**WEIGHTED, **changes})), "study.toml")
    return str(caught.value)


def told(texts: list[object]) -> DataError:
    """The refusal of a list whose first weights are these."""
    weights = [*texts, *["1"] * (50 - len(texts))]
    with pytest.raises(DataError) as caught:
        Participant(ANN, study(**WEIGHTED)).prepare(replace(TABLE, extra={"w": weights}))
    return caught.value


def test_weights_are_part_of_the_study() -> None:
    asked = study(**WEIGHTED)
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["weights"] == {"by": "w", "most": 10.0, "step": 0.25}
    assert "weights" not in study().content()


def test_weights_without_a_column_and_a_column_without_weights_are_refused() -> None:
    assert "weights.by must name the column of the weights" in refused(extra=(WeightBy(),))
    assert "weights.by names the weights of samples, and not how large" in refused(
        most_weight=0.0, weight_step=1.0
    )


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["-0.25", "1", "-1e-3"], "a weight is negative in rows 1, 3"),
        (["0.3"], "a weight is not a multiple of the study's step in row 1"),
        (["1", "10.25"], "a weight is more than the study's largest in row 2"),
        (["nan", "", "inf", "1,5", "0x1"], "a weight is no number in rows 1, 2, 3, 4, 5"),
        ([0.1 + 0.2 - 0.05], "a weight is not a multiple of the study's step in row 1"),
    ],
)
def test_weights_that_do_not_fit_are_refused_with_their_rows(
    texts: list[object], says: str
) -> None:
    error = told(texts)
    assert says in str(error)
    assert "multiples of 0.25 from 0 to 10 in this study" in error.advice
    assert "10.25" not in str(error)


def test_a_weight_is_as_exact_as_it_is_written() -> None:
    step = Fraction(1, 100)
    for text, steps in (("0.07", 7), ("7e-2", 7), (" 1 ", 100), ("+.5", 50), ("0", 0), ("-0", 0)):
        assert steps_of(text, step, 1000) == steps
    # 0.1 + 0.2 is no multiple of a hundredth
    assert isinstance(steps_of(repr(0.1 + 0.2), step, 1000), str)


def test_an_upload_has_no_weight_in_it() -> None:
    weights = [str(k % 40 / 4) for k in range(50)]
    prepared = Participant(ANN, study(**WEIGHTED)).prepare(replace(TABLE, extra={"w": weights}))
    assert (prepared.samples, prepared.folds) == (50, ())
    assert sum(share.nbytes for share in prepared.shares.values()) == 32 + 2 * 8 * 50


def test_cuts_by_weight_are_other_cuts() -> None:
    metrics = ("confusion:at=0.3",)
    weighted = StudyCuts.of(study(**{**WEIGHTED, "metrics": metrics}))
    plain = StudyCuts.of(study(metrics=metrics))
    assert weighted.allows(weighted)
    assert not weighted.allows(plain)
    assert not plain.allows(weighted)


def test_numbers_with_decimals_are_read_from_every_table(tmp_path: Path) -> None:

    values = [0.25, 1.5, 10.0]
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3], "label": [1, 0, 1], "w": values})
    assert Frame(frame, Columns()).texts("w", numbers=True) == ["0.25", "1.5", "10.0"]
    with pytest.raises(DataError, match="no identifiers"):
        Frame(frame, Columns()).texts("w")
    path = tmp_path / "a.csv"
    path.write_text("score;label;w\n0,1;1;0,25\n0,2;0;1.001,5\n0,3;1;x\n", encoding="utf-8")
    columns = Columns(delimiter=";", decimal_comma=True, percent=True, thousands=".")
    texts = file_source(path, columns).texts("w", numbers=True)
    assert texts[2] == "x"
    assert [Fraction(text) for text in texts[:2]] == [Fraction(1, 4), Fraction(2003, 2)]


def test_the_numbers_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(7)
    for n in (20, 200):
        scores, labels = rng.integers(0, 9, n) / 8, rng.integers(0, 2, n)
        weights = rng.integers(0, 1000, n)
        options = Options(metrics=("auroc", "average_precision", "brier"), most_weight=1000)

        owner = Owner(scores.tolist(), labels.tolist(), weights=weights.tolist())
        of = Lists((owner,), options)
        clear = options.pipeline.plaintext([upload_of(owner, options)], of.sizes)
        for asked, function in zip(
            options.statistics,
            (roc_auc_score, average_precision_score, brier_score_loss),
            strict=True,
        ):
            data = options.pipeline.part(asked.pipeline, clear)
            [word] = asked.plaintext_words(data, 9)
            expected = function(labels, scores, sample_weight=weights)
            assert word / 1e9 == pytest.approx(expected, abs=1e-9)
    assert statistic("auroc").over_weights().weighted


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_simulation_of_weights_goes_from_files_to_the_report(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    paths, rows = [], []
    for place in range(3):
        labels = rng.integers(0, 2, 60)
        scores = rng.beta(2 + labels, 3).round(2)
        weights = rng.integers(0, 401, 60) / 100
        path = tmp_path / f"{place}.csv"
        own = list(zip(scores.tolist(), labels.tolist(), weights.tolist(), strict=True))
        path.write_text("score,label,w\n" + "".join(f"{s},{y},{w}\n" for s, y, w in own))
        paths.append(path)
        rows += own
    options = Options(
        metrics=("auroc", "average_precision", "brier", "confusion:at=0.5", "class_counts"),
        most_weight=4,
        weight_step=0.01,
        decimals=6,
    )
    done = simulate(paths, options, extra=(WeightBy(column="w"),))
    assert done.equal
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    values = {text: str(value) for text, value in done.result.values.items()}
    assert float(values["auroc"]) == pytest.approx(roc_auc_score(y, s, sample_weight=w), abs=1e-6)
    assert float(values["average_precision"]) == pytest.approx(
        average_precision_score(y, s, sample_weight=w), abs=1e-6
    )
    assert float(values["brier"]) == pytest.approx(
        brier_score_loss(y, s, sample_weight=w), abs=1e-6
    )
    assert f"positives {w[y == 1].sum():.2f}".rstrip("0") in values["class_counts"]
    document = json.loads(done.result.to_json())
    Draft202012Validator(result_schema()).validate(document)
    assert document["options"]["weights"] == {"by": "w", "most": 4.0, "step": 0.01}
    assert "weights from 0 to the largest" in str(done.result.ledger.learns.P0)
    methods = str(methods_section(SavedResult.from_json(done.result.to_json())))
    assert "Each sample counted with its weight in w." in methods
