"""The benchmark of sources: generated rows are the same for all, and a wrong count is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.compare import table_of
from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.report import Report
from ppaurora.bench.sources import measuring
from ppaurora.bench.sources.rows import PART, counted_by_numpy, select
from ppaurora.bench.sources.task import digest
from ppaurora.parties.sources.counted import added
from ppaurora.parties.sources.query import Query
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins

GRID = Bins(64)


def test_duckdb_makes_the_rows_that_numpy_makes() -> None:
    counted = Query(select("range(5000) AS numbered(i)")).count(Scores(), GRID)
    assert digest(counted) == digest(counted_by_numpy(5000, GRID))
    assert len(counted) == 5000
    assert counted.positives[-8:].sum() > 2 * counted.negatives[-8:].sum()


def test_the_rows_of_several_owners_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ppaurora.bench.sources.rows.PART", 1000)
    assert PART > 5000
    parts = [counted_by_numpy(2500, GRID, first) for first in (0, 2500)]
    assert digest(added(parts)) == digest(counted_by_numpy(5000, GRID))


def test_what_is_to_be_measured_is_named() -> None:
    asked = measuring.chosen(["PostgreSQL:counts:1e7", "polars frame:list:10"])
    assert asked == [("PostgreSQL", "counts", 10**7), ("polars frame", "list", 10)]
    for text in ("MySQL:counts:10", "PostgreSQL:rows:10", "PostgreSQL:list:0", "PostgreSQL"):
        with pytest.raises(LayoutRefused, match="names no engine"):
            measuring.chosen([text])


def test_an_engine_is_measured_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = Report.resumed("sources", tmp_path / "report.json", "a test", fresh=True)
    with measuring.laid_out() as places:
        [row] = measuring.rows_to_measure([("DuckDB, Parquet", "counts", 3000)], 64, places)
        figures = row.measure(lambda _: None)
        assert figures["correct"]
        assert 0 < figures["peak_before_bytes"] <= figures["peak_bytes"]
        report.add(row.key, figures)
        monkeypatch.setattr(measuring, "_answer", lambda task: {"counts": task.engine})
        assert not row.measure(lambda _: None)["correct"]
    shown = table_of(report)
    assert [*shown.columns[-2].cells] == ["right"]
