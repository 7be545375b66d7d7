"""Files for tests of the sources, and what a refusal must never repeat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores

CANARY = "0.73100981"


def text_file(folder: Path, content: str | bytes, name: str = "list.csv") -> Path:
    """A file with exactly these bytes."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parquet_file(folder: Path, query: str, name: str = "list.parquet") -> Path:
    """A Parquet file with the rows of this query."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = folder / "written.parquet"
    duckdb.sql(query).write_parquet(str(plain))
    return plain.rename(path)


def rows(table: Labelled) -> list[tuple[float, int]]:
    """The list as Python numbers."""
    return list(zip(table.scores.tolist(), table.labels.tolist(), strict=True))


def refused(
    given: object,
    scores: Scores | None = None,
    columns: Columns | None = None,
    error: type[AuroraError] = DataError,
    extra: Sequence[str] = (),
) -> str:
    """The whole text of the refusal, which has advice and never repeats the canary."""
    with pytest.raises(error) as caught:
        read(given, columns, scores or Scores(), extra=extra)
    assert caught.value.advice
    assert CANARY not in str(caught.value)
    return str(caught.value)
