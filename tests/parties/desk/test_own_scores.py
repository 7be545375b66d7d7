"""An owner sees how its scores lie: every row once, in the part where it lies, of its own class."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.desk.own_scores import TITLE, own_scores
from ppaurora.parties.reports.html import section_element
from ppaurora.parties.reports.markup import written
from ppaurora.parties.reports.model import Chart, Sheet
from ppaurora.parties.sources.looked import PARTS, Looked, score_parts
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores

LARGE = 1.7e308
ROWS = st.lists(
    st.tuples(st.integers(-1000, 1000) | st.sampled_from([LARGE, -LARGE]), st.booleans()),
    min_size=2,
    max_size=60,
)


@given(ROWS)
def test_every_row_is_counted_once_in_its_part(rows: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in rows], np.float64)
    labels = np.array([label for _, label in rows], np.uint8)
    parts = score_parts(scores, labels)
    if len(set(scores.tolist())) == 1:
        assert parts == ()
        return
    assert len(parts) == PARTS
    low, high = (Fraction(end) for end in (scores.min(), scores.max()))
    counted = [[0, 0] for _ in parts]
    for score, label in rows:
        # beside the end of a part the double nearest to that end decides
        at = sum(Fraction(one.begin) <= Fraction(score) for one in parts[1:])
        counted[at][label] += 1
    assert [[one.negatives, one.positives] for one in parts] == counted
    for at, one in enumerate(parts):
        exact = low + (high - low) * at / PARTS
        assert abs(Fraction(one.begin) - exact) <= (high - low) / 10**9


def looked(folder: Path, text: str, columns: Columns) -> Looked:
    (folder / "list.csv").write_text(text)
    return Looked.at(folder / "list.csv", columns, Scores())


def test_both_classes_are_drawn_and_counted(tmp_path: Path) -> None:
    text = "score,label\n" + "".join(f"{at / 37},{int(at > 25)}\n" for at in range(38))
    section = own_scores(looked(tmp_path, text, Columns()))
    assert section is not None
    chart, table = section.pieces
    assert isinstance(chart, Chart)
    assert [track.label for track in chart.tracks] == ["positive", "negative"]
    assert isinstance(table, Sheet)
    assert table.rows[0] == ("0 to 0.05", "0", "2")
    assert table.rows[-1] == ("0.95 to 1", "2", "0")
    for place, count in ((1, 12), (2, 26)):
        assert sum(int(row[place]) for row in table.rows) == count
    shown = "".join(written(section_element(section)))
    assert TITLE in shown
    assert "<svg" in shown


@pytest.mark.parametrize("holds", ["scores", "labels"])
def test_one_half_of_the_rows_is_told_as_one_half(tmp_path: Path, holds: str) -> None:
    text = {
        "scores": "id,score\n" + "".join(f"{at},{at / 40}\n" for at in range(41)),
        "labels": "id,label\n" + "".join(f"{at},{at % 2}\n" for at in range(41)),
    }[holds]
    found = looked(tmp_path, text, Columns(holds=holds))
    facts = dict(found.facts(Scores()))
    other = "labels" if holds == "scores" else "scores"
    assert facts[other] == f"at another owner: this list holds {holds} only"
    section = own_scores(found)
    if holds == "labels":
        assert section is None
        return
    assert section is not None
    chart, table = section.pieces
    assert isinstance(chart, Chart)
    assert [track.label for track in chart.tracks] == ["rows"]
    assert isinstance(table, Sheet)
    assert sum(int(count) for _, count in table.rows) == 41
