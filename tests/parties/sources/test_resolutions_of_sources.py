"""Scores are the same in every resolution, whatever source a list comes from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.simulation.plain_reading import plain_keys
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from tests.parties.sources.writing import parquet_file, text_file

FEW = 6
"""Lists of a quick run; two thousand are a soak."""


def drawn(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """The steps k of scores k/10^d, and labels."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 7))
    steps = rng.integers(0, 10**d + 1, n)
    return steps, rng.integers(0, 2, n), d


def sources(
    folder: Path, steps: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], d: int
) -> Iterator[tuple[str, object, bool]]:
    """The list from each kind of source, and whether it is of float32."""
    texts = [f"{int(step) // 10**d}.{int(step) % 10**d:0{d}d}" for step in steps]
    scores = steps / 10.0**d
    marks = labels.tolist()
    lines = "".join(f"{text},{mark}\n" for text, mark in zip(texts, marks, strict=True))
    path = text_file(folder, f"score,label\n{lines}")
    yield "text", path, False
    yield "array", Labelled(scores, labels), False
    yield "pandas", pandas.DataFrame({"score": scores, "label": marks}), False
    yield "polars", polars.DataFrame({"score": scores, "label": marks}), False
    exact = polars.Series(list(map(Decimal, texts)), dtype=polars.Decimal(12, d))
    yield "decimals", polars.DataFrame({"score": exact, "label": marks}), False
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE list (score REAL, label INTEGER)")
    rows = zip(scores.tolist(), marks, strict=True)
    connection.executemany("INSERT INTO list VALUES (?, ?)", rows)
    yield "database", DatabaseQuery(connection, "SELECT score, label FROM list"), False
    query = f"SELECT CAST(score AS DOUBLE) AS score, label FROM read_csv('{path}')"
    yield "parquet", parquet_file(folder, query), False
    single = scores.astype(np.float32)
    yield "array of float32", Labelled(single, labels), True
    yield "pandas of float32", pandas.DataFrame({"score": single, "label": marks}), True
    yield "polars of float32", polars.DataFrame({"score": single, "label": marks}), True
    query = f"SELECT CAST(score AS FLOAT) AS score, label FROM read_csv('{path}')"
    yield "parquet of float32", parquet_file(folder, query, "single.parquet"), True


def check(folder: Path, seed: int) -> int:
    """Read the list from every source in every resolution, and compare the keys."""
    steps, labels, d = drawn(seed)
    given_by = list(sources(folder, steps, labels, d))
    compared = 0
    for resolution in ("full", "float32", f"decimals:{d}"):
        options = Options(resolution=resolution)
        wanted = encode(steps / 10.0**d, labels, options.scale).tolist()
        for called, given, single in given_by:
            # a column of float32 is another list as doubles, and has six digits at most
            if single and (resolution == "full" or d > 5):
                continue
            table = read(given, resolution=resolution)
            found = encode(table.scores, table.labels, options.scale).tolist()
            assert found == wanted, (called, resolution, seed)
            if not isinstance(given, Source):
                [plain] = plain_keys(given, Scores(), Columns(), options)
                assert plain.tolist() == wanted, (called, resolution, seed)
            compared += 1
    return compared


def test_a_list_has_the_same_keys_from_every_source_in_every_resolution(tmp_path: Path) -> None:
    assert sum(check(tmp_path, seed) for seed in range(FEW)) > 10 * FEW


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_two_thousand_lists_have_the_same_keys_from_every_source(tmp_path: Path, part: int) -> None:
    for seed in range(1000 + 100 * part, 1100 + 100 * part):
        check(tmp_path, seed)


def test_float32_stands_for_few_decimals_up_to_six_digits_only() -> None:
    single = polars.DataFrame(
        {"score": polars.Series([0.7, 0.1234], dtype=polars.Float32), "label": [1, 0]}
    )
    assert read(single, resolution="decimals:4").scores.tolist() == [0.7, 0.1234]
    with pytest.raises(DataError, match="more than 3 decimals in row 2"):
        read(single, resolution="decimals:3")
    with pytest.raises(DataError, match="more than 7 decimals"):
        read(single, resolution="decimals:7")
