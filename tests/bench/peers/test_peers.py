"""Peers: absent ones are reported, programs are read, none is a dependency."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from ppaurora.bench.errors import LayoutRefused, RunFailed, ToolAbsent
from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means
from ppaurora.bench.peers import contestants, environments, page, side_by_side
from ppaurora.bench.peers.environments import Environment, Peer

HERE = networks.one_host(networks.LOOPBACK, Means.LOOPBACK)
ELSEWHERE = {"cryptography", "gmpy2", "jax", "mpyc", "numpy", "phe", "sklearn", "sml", "spu"}
"""The packages that the peers' programs may import besides the standard library."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(environments.CACHE_VARIABLE, str(tmp_path / "peers"))
    return tmp_path / "peers"


def test_absent_peers_are_reported_as_absent() -> None:
    present, absent = side_by_side.environments(install=False)
    assert present == {}
    assert set(absent) == set(environments.PEERS)
    rows = side_by_side.rows_to_measure(["3x64"], (), present, HERE, patience=1)
    assert [row.key["contestant"] for row in rows] == list(side_by_side.OWN)
    report = Report("peers")
    report.head["absent"] = absent
    caption = page.table(report).caption
    assert "mpyc absent" in str(caption)


def test_a_peer_without_its_python_is_refused() -> None:
    with pytest.raises(ToolAbsent, match=r"needs Python 2\.0"):
        environments.interpreter(Peer("old", ("2.0",), (), (), ()))


def test_an_environment_that_was_made_is_found(cache: Path) -> None:
    folder = cache / "mpyc"
    folder.mkdir(parents=True)
    assert environments.found(environments.PEERS["mpyc"]) is None, "not finished"
    (folder / environments.MARK).write_text('{"mpyc": "0.11"}')
    found = environments.found(environments.PEERS["mpyc"])
    assert found is not None
    assert found.versions == {"mpyc": "0.11"}


def test_an_environment_that_cannot_be_imported_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = (f"{sys.version_info.major}.{sys.version_info.minor}",)
    broken = Peer("broken", needed, (), ("no_such_module",), ("pip",))
    monkeypatch.setattr(environments, "PEERS", {"broken": broken})
    monkeypatch.setattr(side_by_side, "PEERS", {"broken": broken})
    told = side_by_side.environments(install=True)[1]["broken"]
    assert re.search(r"broken cannot be imported: .*no_such_module", told)
    assert environments.found(broken) is None


def test_an_unknown_contestant_is_refused() -> None:
    with pytest.raises(LayoutRefused, match="nobody is called me"):
        side_by_side.rows_to_measure(["3x64"], ("me",), {}, HERE, patience=1)


def test_a_contestant_is_measured_as_far_as_it_goes_and_for_its_line_beyond() -> None:
    fit = contestants.FIT
    assert side_by_side.layouts_of("spu merge", ["3x4", "8x1000"]) == ("3x4", "8x1000")
    assert side_by_side.layouts_of("mpyc merge", ["3x64", "8x1000"]) == ("3x64",)
    assert side_by_side.layouts_of("pp-auc", ["3x20"]) == ("3x20",)
    assert side_by_side.layouts_of("pp-auc", ["3x4", "8x1000"]) == fit
    assert side_by_side.layouts_of("ppaurora", ["3x349525"]) == ("3x349525",)


def test_the_peers_programs_import_nothing_of_this_project() -> None:
    imported = set()
    for path in contestants.PROGRAMS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).partition(".")[0])
    assert imported - sys.stdlib_module_names == ELSEWHERE


def test_scikit_learn_runs_on_the_same_keys() -> None:
    here = Environment(Path(sys.executable), {})
    with side_by_side.pooled_keys("3x64") as (data, exact):
        floor = contestants.CONTESTANTS["scikit-learn"]
        figures = contestants.measured(floor, here, data, seconds=60)
        with np.load(data) as lists:
            assert all((np.diff(lists[name]) <= 0).all() for name in lists.files)
    assert figures["value"] == pytest.approx(exact, abs=1e-12)
    assert figures["bytes"] == 0


def test_numerator_and_denominator_make_a_value() -> None:
    assert contestants.value_of([3, 4]) == 0.75
    assert contestants.value_of([0.7]) == 0.7


def test_the_figures_are_the_last_line_of_json() -> None:
    line = json.dumps({"seconds": 1.0})
    assert contestants.figures_in(f"[log] a\n{line}\n[log] b\n") == {"seconds": 1.0}
    with pytest.raises(RunFailed):
        contestants.figures_in("[log] a\n")


def test_a_program_that_takes_too_long_is_ended() -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(RunFailed, match="not done after"):
        contestants.together([sleeper, sleeper], 0.5)


def test_all_programs_are_ended_as_soon_as_one_fails() -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    failing = [sys.executable, "-c", "import sys; sys.exit('no route')"]
    with pytest.raises(RunFailed, match="no route"):
        contestants.together([sleeper, failing], 500)


def test_a_program_that_writes_much_does_not_wait_for_a_reader() -> None:
    much = [sys.executable, "-c", "print('x' * 1_000_000)"]
    assert [len(output) for output in contestants.together([much, much], 60)] == [1_000_001] * 2


def test_the_certificate_is_for_this_machine(tmp_path: Path) -> None:
    paths = contestants.certificate(tmp_path)
    assert "BEGIN CERTIFICATE" in Path(paths["certificate"]).read_text()
    assert "BEGIN PRIVATE KEY" in Path(paths["key"]).read_text()
