"""Rows that owners leave out, counted in all by three real servers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ppaurora import Options, simulate
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.html import html_of
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Study
from tests.parties.world import World, csv, with_options

pytestmark = pytest.mark.zeromq
METRICS = ("auroc", "left_out", "brier")
GAPS = {"ann": ",1\n0.5,NA\n", "ben": "", "cleo": "nan,0\n,\n0.25,\n"}
"""Rows without a score or a label at the end of each owner's list: 2, none and 3."""


def counted(study: Study) -> Study:
    return with_options(study, metrics=METRICS)


def test_the_owners_numbers_travel_in_shares_and_their_sum_is_in_the_report(
    tmp_path: Path,
) -> None:
    with World(tmp_path, change=counted) as world:
        for name, table in world.tables.items():
            (tmp_path / f"{name}.csv").write_text(csv(table) + GAPS[name], encoding="utf-8")
        world.start()
        refused = world.run("outsource", "ann.csv", "--site=ann.toml", "--yes")
        assert refused.returncode == 3
        assert "--drop-missing" in refused.stderr
        for name, rows in zip(GAPS, (2, 0, 3), strict=True):
            sent = world.run(
                "outsource", f"{name}.csv", f"--site={name}.toml", "--yes", "--drop-missing"
            )
            assert sent.returncode == 0, sent.stderr
            assert f"{rows} rows left out: the number goes along in two shares" in sent.stderr
        done = world.run("result", "--site=ben.toml", "--wait=60", "--format=json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["values"]["left_out"]["rows"] == [["5"]]
        page = html_of(page_of_text(done.stdout))
        assert "5 rows without score or label were left out by their owners, in all." in page
        told = json.dumps(found["ledger"]["learns"]["receivers"])
        assert "all owners but one together learn by it how many that one left out" in told
        verified = world.run("verify", "results/trial.json", "--study=study.toml")
        assert verified.returncode == 0, verified.stderr
        for log in tmp_path.glob("*.log"):
            assert "rows left out" not in log.read_text()


@pytest.mark.parametrize("assurance", ["semi-honest", "covert"])
def test_a_simulation_counts_the_rows_by_other_means_and_agrees(
    tmp_path: Path, assurance: str
) -> None:
    paths = []
    for name, text in GAPS.items():
        path = tmp_path / f"{name}.csv"
        rows = "".join(f"0.{digit},{digit % 2}\n" for digit in range(1, 10))
        path.write_text(f"score,label\n{rows}{text}", encoding="utf-8")
        paths.append(path)
    options = Options(metrics=METRICS, assurance=assurance)
    done = simulate(paths, options, columns=Columns(drop_missing=True))
    assert done.equal
    assert str(done.pooled["left_out"]) == "rows 5"


def test_a_list_in_memory_has_left_out_what_it_says() -> None:
    table = Labelled([0.5, 0.25], [1, 0])
    assert table.left_out == 0
    kept = replace(table, kept=np.array([True, False, True, False, False]))
    assert kept.left_out == 3
