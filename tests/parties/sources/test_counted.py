"""Counts on a grid, made where the rows lie, are those of the list, or refused by their number."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.counted import Counted, added
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read, source_of, study_data
from ppaurora.parties.sources.source import Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins, Grid, Thresholds
from ppaurora.protocols.options import Options
from tests.parties.sources.writing import CANARY, parquet_file, text_file

GRID = Bins(64)
WORDS = Scores(positive="sick", negative="well")


def counts(source: Source, scores: Scores, grid: Grid = GRID) -> tuple[list[int], list[int]]:
    counted = source.count(scores, grid)
    return counted.positives.tolist(), counted.negatives.tolist()


def by_hand(rows: list[tuple[float, int]], grid: Grid = GRID) -> tuple[list[int], list[int]]:
    """Each score's bin by fractions of whole numbers, without doubles."""
    found = {1: [0] * len(grid), 0: [0] * len(grid)}
    for score, label in rows:
        numerator, denominator = score.as_integer_ratio()
        if grid.higher:
            place = min(numerator * len(grid) // denominator, len(grid) - 1)
        else:
            # the edge between two bins belongs to the lower one
            place = max(-(-numerator * len(grid) // denominator) - 1, 0)
        found[label][place] += 1
    return found[1], found[0]


def neighbours() -> list[tuple[float, int]]:
    """The bounds of all bins, and the doubles just below and above them."""
    dice = random.Random(4)
    at = [k / 64 for k in range(65)]
    near = [float(np.nextafter(x, to)) for x in at for to in (0.0, 1.0)]
    scores = [*at, *near, -0.0, 5e-324, *(dice.random() for _ in range(300))]
    return [(score, dice.randrange(2)) for score in scores]


def values(rows: list[tuple[float, int]], words: tuple[str, str]) -> str:
    listed = ", ".join(f"('{score!r}'::DOUBLE, '{words[label]}')" for score, label in rows)
    return f"SELECT * FROM (VALUES {listed}) AS t(score, label)"


def test_the_engine_puts_every_score_into_its_bin(tmp_path: Path) -> None:
    rows = neighbours()
    for half in ("a", "b"):
        part = rows[::2] if half == "a" else rows[1::2]
        parquet_file(tmp_path / "list", values(part, ("well", "sick")), f"{half}.parquet")
    folder = source_of(tmp_path / "list")
    query = Query("SELECT * FROM t", {"t": tmp_path / "list"})
    numbers = (2, 64, 1 << 20)
    grids = [Bins(bins, direction=to) for bins in numbers for to in ("higher", "lower")]
    for grid in grids:
        assert counts(folder, WORDS, grid) == counts(query, WORDS, grid) == by_hand(rows, grid)


def test_a_list_that_is_read_has_the_same_counts(tmp_path: Path) -> None:
    rows = neighbours()
    lines = "".join(f"{score!r},{label}\n" for score, label in rows)
    path = text_file(tmp_path, "score,label\n" + lines)
    listed = Labelled([one for one, _ in rows], [one for _, one in rows])  # type: ignore[arg-type]
    for source in (source_of(path), source_of(listed), Query("FROM t", {"t": path})):
        for grid in (GRID, Bins(64, direction="lower")):
            assert counts(source, Scores(), grid) == by_hand(rows, grid)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            "(0.5, 1), (NULL, 1), ('nan', 0), ('inf', 0), ('-inf', 0), (1.5, 0), (-1e-9, 1)",
            'column "score": no score in 1 row; NaN, which is no score, in 1 row; an infinite '
            "number in 2 rows; a number that is not a score between 0 and 1 in 2 rows",
        ),
        ("(0.5, 1), (0.25, NULL), (0.25, NULL)", 'column "label": no label in 2 rows'),
        (
            "(0.5, 1), (0.25, 2), (0.75, 7), (0.75, 7)",
            'column "label": a label that is neither of the study\'s two classes in 3 rows; such '
            "labels here: 2, 7",
        ),
        ("(0.5, NULL), (NULL, 1)", 'column "score": no score in 1 row. '),
    ],
)
def test_what_can_be_no_list_is_refused_by_its_number(rows: str, told: str) -> None:
    query = f"SELECT score::DOUBLE AS score, label FROM (VALUES {rows}) AS t(score, label)"
    with pytest.raises(DataError) as caught:
        Query(query).count(Scores(), GRID)
    assert told in f"{caught.value} "
    assert caught.value.advice


@pytest.mark.parametrize(
    ("direction", "bins"),
    [
        ("higher", 60),
        ("lower", 60),
        pytest.param("higher", 1000, marks=pytest.mark.weekly),
        pytest.param("lower", 1000, marks=pytest.mark.weekly),
    ],
)
def test_the_engine_puts_every_score_between_its_thresholds(
    direction: str, bins: int, tmp_path: Path
) -> None:
    """Thresholds that no power of two divides, bins of any number, and the doubles beside them."""
    hundredths = tuple(Fraction(k, 100) for k in range(1, 100))
    grids = (
        Thresholds(hundredths, direction=direction),
        Thresholds((Fraction(1, 3),), direction=direction),
        Thresholds((), direction=direction),
        Bins(bins, direction=direction),
        Thresholds(hundredths, single=True, direction=direction),
    )
    dice = random.Random(5)
    edges = [edge for grid in grids[:4] for edge in grid.edges().tolist()]
    near = [float(np.nextafter(x, to)) for x in edges for to in (0.0, 1.0)]
    rows = [(score, dice.randrange(2)) for score in (0.0, 1.0, *edges, *near)]
    parquet_file(tmp_path, values(rows, ("well", "sick")), "list.parquet")
    source = source_of(tmp_path / "list.parquet")
    x = np.array([score for score, _ in rows])
    y = np.array([label for _, label in rows], np.uint8)
    for grid in grids:
        counted = source.count(WORDS, grid)
        expected = Counted.of(Labelled(x, y), grid)
        assert counted.positives.tolist() == expected.positives.tolist()
        assert counted.negatives.tolist() == expected.negatives.tolist()
        assert counted.grid == grid


def test_a_column_of_many_labels_does_not_leave_the_engine() -> None:
    query = Query("SELECT 0.5 AS score, range AS label FROM range(100000)")
    with pytest.raises(DataError, match='column "label": more than 16 different labels'):
        query.count(Scores(), Bins(2))


def test_texts_are_read_by_the_strict_grammar_where_they_are_counted(tmp_path: Path) -> None:
    path = text_file(tmp_path, f"score,label\n1_0e-1,1\n{CANARY},1\n")
    with pytest.raises(DataError, match="a number with underscores in row 1") as caught:
        Query("FROM t", {"t": path}).count(Scores(), GRID)
    assert CANARY not in str(caught.value)


def test_a_study_gets_what_it_needs() -> None:
    query = Query("SELECT 0.5 AS score, 1 AS label")
    of_counts = Options(metrics=("auroc",), resolution="bins:64")
    assert isinstance(study_data(query, Scores(), of_counts), Counted)
    with_sums = Options(metrics=("auroc", "brier"), resolution="bins:64")
    at = Options(metrics=("confusion:at=0.3",))
    assert isinstance(study_data(query, Scores(), at), Counted)
    for more in ({"range": (0, 20)}, {"resolution": "decimals:1"}):
        other = Options(metrics=at.metrics, **more)
        assert isinstance(study_data(query, Scores(), other), Counted)
    # an engine does not see whether a score is written as a float32 is
    single = Options(metrics=at.metrics, resolution="float32")
    for options in (Options(), with_sums, single):
        assert isinstance(study_data(query, Scores(), options), Labelled)


def test_scores_beyond_1_and_too_fine_ones_are_judged_by_the_studys_scale() -> None:
    points = Query("SELECT * FROM (VALUES (6.0, 1), (20.0, 0)) AS t(score, label)")
    wide = Options(metrics=("confusion:at=6",), resolution="decimals:0", range=(0, 20))
    assert len(study_data(points, Scores(), wide)) == 2
    fine = Query("SELECT 6.5 AS score, 1 AS label")
    with pytest.raises(DataError, match="more than 0 decimals") as caught:
        study_data(fine, Scores(), wide)
    assert "`ppaurora check` of the list proposes one" in str(caught.value.advice)


def test_counts_are_added_and_print_their_size_only() -> None:
    first = Counted.of(Labelled([0.5, 0.1], [1, 1], ("a note",)), Bins(2))  # type: ignore[arg-type]
    second = Counted.of(read(Labelled([0.9], [0])), Bins(2))  # type: ignore[arg-type]
    both = added([first, second])
    assert (both.positives.tolist(), both.negatives.tolist()) == ([1, 1], [0, 1])
    assert both.notes == ("a note",)
    assert repr(both) == "<Counted, 3 samples in 2 cells>"
    assert [one.one_class for one in (first, second, both)] == [True, True, False]
    assert not added([Counted.of(Labelled([], []), Bins(2))]).one_class  # type: ignore[arg-type]
