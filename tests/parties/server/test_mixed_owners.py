"""Owners whose lists lie in different forms and places, in one study of real servers."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import numpy as np
import polars
import pytest

from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Study
from tests.parties.sources.writing import parquet_file, text_file
from tests.parties.world import World, with_options

pytestmark = pytest.mark.zeromq
OWNERS = ("text", "single", "query", "frame")
METRICS = ("auroc_ci", "average_precision", "brier", "confusion:at=0.25/0.5")
ONE_CALLED = Columns("risk", "outcome", positive="yes", negative="no")


def changed(study: Study, resolution: str) -> Study:
    return with_options(study, metrics=METRICS, resolution=resolution, least_cell=2)


def drawn(seed: int) -> Labelled:
    """Scores of three decimals, which a float32 says as well."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(60) < 0.4).astype(np.uint8)
    return Labelled(rng.integers(0, 1001, 60) / 1000, labels)


def plain_text(table: Labelled, *, comma: bool = False, words: tuple[str, str] = ("0", "1")) -> str:
    rows = zip(table.scores.tolist(), table.labels.tolist(), strict=True)
    mark, between = (",", ";") if comma else (".", ",")
    lines = (f"{score:.3f}".replace(".", mark) + f"{between}{words[y]}\n" for score, y in rows)
    return f"score{between}label\n{''.join(lines)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "resolution", [pytest.param("full", marks=pytest.mark.weekly), "float32", "decimals:3"]
)
def test_they_release_what_their_pooled_lists_have(tmp_path: Path, resolution: str) -> None:
    with World(tmp_path, OWNERS, change=partial(changed, resolution=resolution)) as world:
        world.tables = {name: drawn(seed) for seed, name in enumerate(OWNERS)}
        world.start()
        # a packed text with decimal commas and words of its own
        text = plain_text(world.tables["text"], comma=True, words=("False", "True"))
        (tmp_path / "list.csv.gz").write_bytes(gzip.compress(text.encode()))
        form = ("--decimal-comma", "--positive=True", "--negative=False")
        sent = [world.run("outsource", "list.csv.gz", "--site=text.toml", "--yes", *form)]
        # Parquet of floats, which `full` takes as the doubles that they are
        path = text_file(tmp_path, plain_text(world.tables["single"]))
        kind = "DOUBLE" if resolution == "full" else "FLOAT"
        made = f"SELECT CAST(score AS {kind}) AS score, label FROM read_csv('{path}')"
        parquet_file(tmp_path, made, "single.parquet")
        sent.append(world.run("outsource", "single.parquet", "--site=single.toml", "--yes"))
        # a query, which DuckDB counts by itself where scores have three decimals
        path = text_file(tmp_path, plain_text(world.tables["query"]), "risk.csv")
        query = "SELECT CAST(score AS DOUBLE) AS score, label FROM t"
        options = (f"--table=t={path}", f"--sql={query}", "--site=query.toml", "--yes")
        sent.append(world.run("outsource", *options))
        assert [(one.returncode, one.stderr) for one in sent if one.returncode] == []
        assert ("DuckDB counts here" in sent[2].stderr) == (resolution == "decimals:3")
        # a data frame in Python
        table = world.tables["frame"]
        labels = ["yes" if y else "no" for y in table.labels.tolist()]
        frame = polars.DataFrame({"risk": table.scores, "outcome": labels})
        with world.owner("frame") as owner:
            owner.outsource(owner.take(frame, ONE_CALLED))
        found = world.result("text", 60)
        assert {text: str(value) for text, value in found.items()} == {
            text: str(value) for text, value in world.pooled().items()
        }
