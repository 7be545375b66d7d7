"""Whoever adds a statistic adds one file: a new one runs through three real servers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.docs.tree import HOME
from tests.package_copy import FLOORS, copy_package
from tests.parties.world import csv, generated

PREVALENCE = '''"""The share of the positives, here in `parts` of the whole."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.estimates import OneRatio


@dataclass(frozen=True, slots=True)
class Prevalence(OneRatio):
    """P / (n · parts)."""

    name: ClassVar[str] = "prevalence"
    title: ClassVar[str] = "share of the positives"
    known_as: ClassVar[str] = "numpy mean"
    pipeline: ClassVar[type] = SortedList
    undefined: ClassVar[str] = "never"
    parts: int = whole("by how much it is divided", 1, least=1, most=9)

    def ratio(self, party, data):
        most = self.bound(data.n)
        return Ratio(data.labels.P, Shared.public(party.role, [most]), most)

    def bound(self, n):
        return self.parts * n

    def ratio_cost(self, n):
        return Cost()

    def scaled(self, data, one):
        return half_up(Fraction(one * data.P, data.n * self.parts))

    def fits(self, n, decimals):
        return n < 1 << 28
'''


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ppaurora", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "tree")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.zeromq
def test_a_new_statistic_is_one_file_and_runs_end_to_end(tmp_path: Path) -> None:
    tree = copy_package(tmp_path / "tree")
    for floor in FLOORS:
        # its processes need not compile the program once more
        shutil.copytree(HOME / floor, tree / floor, dirs_exist_ok=True)
    (tree / "protocols" / "statistics" / "prevalence.py").write_text(PREVALENCE)
    tables = [generated(30 + 5 * seed, seed=seed) for seed in range(3)]
    for place, table in enumerate(tables):
        (tmp_path / f"{place}.csv").write_text(csv(table))

    told = run(tmp_path, "statistics", "prevalence", "--format=json")
    assert told.returncode == 0, told.stderr
    [described] = json.loads(told.stdout)
    assert described["usage"] == "prevalence:parts=1"

    text = "prevalence:parts=2"
    done = run(
        tmp_path, "simulate", *(f"{place}.csv" for place in range(3)), "--format=json",
        "--metric=auroc", f"--metric={text}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    labels = np.concatenate([table.labels for table in tables])
    expected = Fraction(int(labels.sum()), 2 * len(labels))
    assert abs(Fraction(result["values"][text]["value"]) - expected) <= Fraction(1, 20_000)
    assert result["values"][text]["kind"] == "scalar"
    assert any(one.startswith(text) for one in result["ledger"]["learns"]["receivers"])

    wrong = run(tmp_path, "simulate", "0.csv", "--metric=prevalnece")
    assert wrong.returncode == 2
    assert 'Did you mean "prevalence"' in wrong.stderr
