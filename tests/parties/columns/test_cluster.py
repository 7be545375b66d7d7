"""Samples in clusters, from the owners' files to the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.columns.cluster import ClusterBy
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.reports.section_methods import methods_section
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.options import Options
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study

CLUSTERED: dict[str, object] = {
    "extra": (ClusterBy(column="patient"),),
    "metrics": ("auroc_clusters",),
}


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**{**CLUSTERED, **changes})), "study.toml")
    return str(caught.value)


def test_clusters_are_part_of_the_study() -> None:
    asked = study(**CLUSTERED)
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["clusters"] == {"by": "patient"}
    assert "clusters" not in study().content()


def test_clusters_without_a_column_and_a_column_without_clusters_are_refused() -> None:
    assert "clusters.by must name the column of the clusters" in refused(extra=(ClusterBy(),))
    assert "clusters.by names clusters of samples, and no metric" in refused(metrics=("auroc",))


def test_a_row_without_an_identifier_is_refused_and_no_identifier_is_repeated() -> None:
    names = [f"p{k // 2}" for k in range(48)] + ["", "  "]
    with pytest.raises(DataError, match="a cluster is empty in rows 49, 50") as caught:
        Participant(ANN, study(**CLUSTERED)).prepare(replace(TABLE, extra={"patient": names}))
    assert "p1" not in str(caught.value)


def test_case_and_blanks_make_no_other_cluster_and_nothing_of_a_name_is_sent() -> None:
    by, options = ClusterBy(column="patient"), Options(metrics=("auroc_clusters",))
    found = by.keys(["B ", "a", "b", "A"], np.zeros(4, np.uint8), options, b"")
    assert found.tolist() == [1, 0, 1, 0]
    names = [f"patient-{k // 2}" for k in range(50)]
    prepared = Participant(ANN, study(**CLUSTERED)).prepare(
        replace(TABLE, extra={"patient": names})
    )
    sent = b"".join(share.to_bytes() for share in prepared.shares.values())
    assert b"patient" not in sent
    assert prepared.folds == ()


def test_a_cluster_of_more_samples_than_the_bootstrap_allows_is_refused_with_its_rows() -> None:
    asked = study(**{**CLUSTERED, "metrics": ("bootstrap:unit=cluster,largest=3",)})
    assert Study.parse(study_text(asked), "study.toml") == asked
    names = [f"p{k // 3}" for k in range(50)]
    owner = Participant(ANN, asked)
    assert owner.prepare(replace(TABLE, extra={"patient": names})).samples == 50
    names[40] = "P0 "
    with pytest.raises(DataError) as caught:
        owner.prepare(replace(TABLE, extra={"patient": names}))
    assert "a cluster is of more than 3 samples in rows 1, 2, 3, 41" in str(caught.value)
    assert "largest=" in caught.value.advice


def test_the_smallest_of_several_largest_clusters_holds_and_no_bootstrap_means_none() -> None:
    by = ClusterBy(column="patient")
    both = ("bootstrap:unit=cluster,largest=9", "bootstrap:unit=cluster,largest=2,of=ppv:at=0.5")
    with pytest.raises(DataRefused, match="of more than 2 samples"):
        by.keys(["a"] * 3, np.zeros(3, np.uint8), Options(metrics=both), b"")
    found = by.keys(["a"] * 3, np.zeros(3, np.uint8), Options(metrics=("auroc_clusters",)), b"")
    assert found.tolist() == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_simulation_of_clusters_goes_from_files_to_the_report(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    paths = []
    for place in range(3):
        labels = rng.integers(0, 2, 60)
        scores = rng.beta(2 + labels, 3).round(2)
        rows = zip(scores.tolist(), labels.tolist(), rng.integers(0, 25, 60), strict=True)
        path = tmp_path / f"{place}.csv"
        path.write_text("score,label,patient\n" + "".join(f"{s},{y},p{c}\n" for s, y, c in rows))
        paths.append(path)
    options = Options(
        metrics=(
            *("auroc_clusters", "auroc_ci:method=delong", "brier"),
            "bootstrap:replicates=20,unit=cluster,bins=8",
        )
    )
    done = simulate(paths, options, extra=(ClusterBy(column="patient"),))
    assert done.equal
    values = {text: str(value) for text, value in done.result.values.items()}
    clustered, apart = values["auroc_clusters"], values["auroc_ci:method=delong"]
    assert clustered.split()[0] == apart.split()[0]
    assert clustered != apart
    Draft202012Validator(result_schema()).validate(json.loads(done.result.to_json()))
    methods = str(methods_section(SavedResult.from_json(done.result.to_json())))
    assert "Obuchowski, Biometrics 1997" in methods
