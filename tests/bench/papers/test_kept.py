"""Cells on the disk: interrupted runs go on, torn lines and other revisions are computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ppaurora.bench.errors import LayoutRefused, ReportRefused, RunFailed
from ppaurora.bench.papers.experiment import (
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
)
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.running import announced, compute_again, compute_missing
from ppaurora.bench.papers.tally import Tally


class Dice(Experiment):
    """Throws of two dice; the third cell can be made to be interrupted."""

    name: ClassVar[str] = "dice"
    axes: ClassVar[tuple[str, ...]] = ("sides",)
    computed: ClassVar[list[str]] = []
    interrupt_at: ClassVar[int] = 0

    def plan(self) -> Sequence[Planned]:
        return [Planned((6,), 50, 20), Planned((20,), 40, 20)]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        if len(self.computed) + 1 == self.interrupt_at:
            raise KeyboardInterrupt
        self.computed.append(cell.name)
        thrown = generator.integers(1, int(cell.settings[0]) + 1, cell.runs).tolist()
        return CellResult({"eyes": Tally.of(thrown)}, {"first": thrown[:1]})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        return ()

    def deviations(self, results: Results) -> Sequence[str]:
        return ()

    def draw(self, figure: Any, results: Results) -> None:
        pass


@pytest.fixture
def dice(monkeypatch: pytest.MonkeyPatch) -> Dice:
    monkeypatch.setattr(Dice, "computed", [])
    return Dice()


def gathered(dice: Dice, folder: Path) -> Results:
    return dice.gathered(Kept(folder, dice).found())


def test_an_interrupted_run_goes_on_and_finds_what_an_uninterrupted_one_does(
    dice: Dice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dice, "interrupt_at", 3)
    assert not compute_missing([dice], tmp_path / "a", quick=False)
    assert gathered(dice, tmp_path / "a") == {}
    monkeypatch.setattr(Dice, "interrupt_at", 0)
    assert compute_missing([dice], tmp_path / "a", quick=False)
    assert len(dice.computed) == len(set(dice.computed)) == 5
    assert compute_missing([dice], tmp_path / "b", quick=False)
    found = gathered(dice, tmp_path / "a")
    assert found == gathered(dice, tmp_path / "b")
    assert found[6,]["eyes"].runs == 50
    assert len(found[6,].points["first"]) == 3
    assert abs(found[20,]["eyes"].mean - 10.5) < 5 * found[20,]["eyes"].error


def test_a_torn_line_is_dropped_and_computed_anew(dice: Dice, tmp_path: Path) -> None:
    compute_missing([dice], tmp_path, quick=False)
    whole, path = gathered(dice, tmp_path), Kept(tmp_path, dice).path
    path.write_bytes(path.read_bytes()[:-30])
    dice.computed.clear()
    compute_missing([dice], tmp_path, quick=False)
    assert len(dice.computed) == 1
    assert gathered(dice, tmp_path) == whole
    assert len(path.read_text().splitlines()) == 5


def test_lines_of_another_revision_are_computed_anew(
    dice: Dice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute_missing([dice], tmp_path, quick=False)
    monkeypatch.setattr(Dice, "revision", 2)
    assert gathered(dice, tmp_path) == {}
    dice.computed.clear()
    compute_missing([dice], tmp_path, quick=False)
    assert len(dice.computed) == 5
    assert set(gathered(dice, tmp_path)) == {(6,), (20,)}


def test_a_file_of_something_else_is_refused(dice: Dice, tmp_path: Path) -> None:
    Kept(tmp_path, dice).path.write_text('{"cell": {}}\n')
    with pytest.raises(ReportRefused, match="no cell of dice"):
        Kept(tmp_path, dice).found()


def test_quick_cells_are_others_than_those_of_the_full_count(dice: Dice, tmp_path: Path) -> None:
    compute_missing([dice], tmp_path, quick=True)
    assert {
        found["eyes"].runs
        for found in dice.gathered(Kept(tmp_path, dice).found(), quick=True).values()
    } == {dice.quick_runs}
    assert gathered(dice, tmp_path) == {}


def test_a_cell_computed_again_must_be_the_one_that_is_kept(
    dice: Dice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute_missing([dice], tmp_path, quick=False)
    kept = Kept(tmp_path, dice)
    before = kept.path.read_text()
    tallies = [one.tallies for one in gathered(dice, tmp_path).values()]
    monkeypatch.setattr("ppaurora.bench.papers.kept._of_this_code", lambda: "0123456")
    assert compute_again([dice], tmp_path, '"sides": 20}, 1') == 1
    assert kept.commits()["0123456"] == 1
    assert len(kept.path.read_text().splitlines()) == len(before.splitlines())
    assert [one.tallies for one in gathered(dice, tmp_path).values()] == tallies
    with pytest.raises(LayoutRefused, match="no cell"):
        compute_again([dice], tmp_path, "sides: 20")
    kept.path.write_text(before.replace('"eyes":[20,', '"eyes":[20,1'))
    with pytest.raises(RunFailed, match="another one"):
        compute_again([dice], tmp_path, "dice")


def test_the_time_that_is_left_is_said_before_it_begins(dice: Dice, tmp_path: Path) -> None:
    assert announced([dice], tmp_path, quick=False).startswith("5 cells are missing: about 1.5 min")
    compute_missing([dice], tmp_path, quick=False)
    assert announced([dice], tmp_path, quick=False) == "all cells are there"


def test_shares_have_limits_between_0_and_1() -> None:
    few = Tally.of([1, 1, 1, 0])
    low, high = few.limits(1.96)
    assert (low, high) == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert Tally.of([0] * 9).limits(1.96)[0] == 0
    assert Tally.of([1.5, 2.5]).limits(2) == (2 - 2 * 0.5, 2 + 2 * 0.5)


def test_a_tally_has_mean_error_and_root_mean_square_of_all_its_parts() -> None:
    values = np.random.default_rng(1).normal(3, 2, 100)
    tally = Tally.of(values[:30]) + Tally.of(values[30:])
    assert tally.mean == pytest.approx(values.mean())
    assert tally.deviation == pytest.approx(values.std(ddof=1))
    assert tally.error == pytest.approx(values.std(ddof=1) / 10)
    assert tally.root_mean_square == pytest.approx(np.sqrt((values**2).mean()))
