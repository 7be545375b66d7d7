"""Records of an experiment's computed cells, as lines of JSON.

A line is on the disk before the next cell begins, so that an interrupted run goes on where it was.
A line that was torn by the interruption is dropped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.measure.report import commit
from ppaurora.bench.papers.experiment import Cell, CellResult, Experiment
from ppaurora.bench.papers.tally import Tally


@dataclass(frozen=True, slots=True)
class KeptCell:
    """One computed cell, by its name, which holds settings, part and repetitions."""

    name: str
    revision: int
    commit: str
    found: CellResult
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Kept:
    """The lines of one experiment in a folder."""

    folder: Path
    experiment: Experiment

    @property
    def path(self) -> Path:
        return self.folder / f"{self.experiment.name}.jsonl"

    def found(self) -> Mapping[str, CellResult]:
        """The results by the names of their cells, of this revision of the experiment."""
        return {line.name: line.found for line in self._lines()}

    def cpu_seconds(self, *, quick: bool = False) -> float:
        """Processor seconds of all cells that are shown."""
        return sum(line.cpu_seconds for line in self._shown(quick=quick))

    def commits(self, *, quick: bool = False) -> Mapping[str, int]:
        """The commits whose code computed the cells that are shown, and how many each."""
        return Counter(line.commit for line in self._shown(quick=quick))

    def add(self, cell: Cell, found: CellResult, cpu_seconds: float) -> None:
        """One more cell, computed by the code that runs now; on the disk before this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._drop_what_was_torn()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self._text(cell, found, cpu_seconds))

    def renew(self, cell: Cell, found: CellResult, cpu_seconds: float) -> None:
        """Put a line of the code that runs now in place of the cell's; the others stay."""
        whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
        lines = [
            self._text(cell, found, cpu_seconds) if self._is_of(text, cell) else f"{text}\n"
            for text in whole.splitlines()
        ]
        new = self.path.with_suffix(".new")
        new.write_text("".join(lines), encoding="utf-8")
        new.replace(self.path)

    def _text(self, cell: Cell, found: CellResult, cpu_seconds: float) -> str:
        line = {
            "cell": cell.described,
            "part": cell.part,
            "runs": cell.runs,
            "seed": cell.seed,
            "revision": self.experiment.revision,
            "commit": _of_this_code(),
            "cpu_seconds": round(cpu_seconds, 3),
            "tallies": {
                name: [tally.runs, tally.total, tally.squares]
                for name, tally in found.tallies.items()
            },
            "points": {name: list(points) for name, points in found.points.items()},
        }
        return json.dumps(line, separators=(",", ":")) + "\n"

    def _is_of(self, text: str, cell: Cell) -> bool:
        line = self._line(text)
        return line.name == cell.name and line.revision == self.experiment.revision

    def _shown(self, *, quick: bool) -> list[KeptCell]:
        names = {cell.name for cell, _ in self.experiment.cells(quick=quick)}
        return [line for line in self._lines() if line.name in names]

    def _lines(self) -> list[KeptCell]:
        if not self.path.exists():
            return []
        whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
        lines = [self._line(json_line) for json_line in whole.splitlines()]
        return [line for line in lines if line.revision == self.experiment.revision]

    def _line(self, text: str) -> KeptCell:
        try:
            read: dict[str, Any] = json.loads(text)
            settings = tuple(read["cell"][axis] for axis in self.experiment.axes)
            cell = Cell(
                self.experiment.name, self.experiment.axes, settings, read["runs"], read["part"]
            )
            tallies = {
                name: Tally(int(runs), float(total), float(squares))
                for name, (runs, total, squares) in read["tallies"].items()
            }
            points = {name: list(map(float, one)) for name, one in read["points"].items()}
            at = str(read["commit"])
            found = CellResult(tallies, points, (at,))
            return KeptCell(cell.name, int(read["revision"]), at, found, float(read["cpu_seconds"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ReportRefused(
                f"{self.path} has a line that is no cell of {self.experiment.name}",
                advice="Remove the file; its cells are computed anew.",
            ) from error

    def _drop_what_was_torn(self) -> None:
        """End the file with its last whole line."""
        if self.path.exists():
            data = self.path.read_bytes()
            if not data.endswith(b"\n"):
                self.path.write_bytes(data[: data.rfind(b"\n") + 1])


@cache
def _of_this_code() -> str:
    """The commit of the code that this process has loaded, with a + where files differ from it."""
    return commit() or "unknown"
