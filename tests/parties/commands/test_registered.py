"""Commands of other packages: listed without being read, called with all that was typed."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ppaurora.mpc.kernels.library import without_library
from ppaurora.parties.build import build
from ppaurora.parties.commands import registered
from ppaurora.parties.commands.main import main

MODULE = "survey_of_the_tests"
PROGRAM = """
import typer

app = typer.Typer(add_completion=False)

@app.command()
def ask(whom: str, often: int = 1) -> None:
    print("asked", whom, often)

@app.command()
def count() -> None:
    print("counted")
"""


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that registers the command `survey`."""
    (tmp_path / f"{MODULE}.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    entry = EntryPoint("survey", f"{MODULE}:app", registered.GROUP)
    monkeypatch.setattr(registered, "entry_points", lambda *, group: [entry])


def left_with(*arguments: str) -> int:
    """The exit code of the command line."""
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    return int(leaving.value.code or 0)


@pytest.mark.usefixtures("survey")
def test_the_help_text_lists_a_registered_command_without_importing_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert left_with("--help") == 0
    assert "survey" in capsys.readouterr().out
    assert MODULE not in sys.modules


@pytest.mark.usefixtures("survey")
def test_a_registered_command_gets_everything_behind_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert left_with("survey", "ask", "ann", "--often=3") == 0
    assert capsys.readouterr().out == "asked ann 3\n"
    assert left_with("survey", "--help") == 0
    told = capsys.readouterr().out
    assert "ppaurora survey" in told
    assert "count" in told
    assert left_with("survey", "shout") == 2


@pytest.mark.usefixtures("survey")
def test_an_own_command_is_not_replaced_by_a_registered_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = EntryPoint("keys", f"{MODULE}:app", registered.GROUP)
    monkeypatch.setattr(registered, "entry_points", lambda *, group: [entry])
    assert left_with("--help") == 0
    assert capsys.readouterr().out.count(" keys ") == 1
    assert left_with("keys", "--help") == 0
    assert "A private key stays in its file" in capsys.readouterr().out
    assert MODULE not in sys.modules


def test_a_part_that_no_installation_registered_is_told_how_to_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registered, "entry_points", lambda *, group: [])
    assert left_with("bench", "--help") == 2
    told = capsys.readouterr().err
    assert "The command bench is not registered" in told
    assert "python -m ppaurora.bench" in told


@pytest.mark.parametrize("name", ["simulat", "mpc", "bench.main", "no such"])
def test_what_is_neither_a_command_nor_a_part_is_unknown(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registered, "entry_points", lambda *, group: [])
    assert left_with(name) == 2
    assert "No such command" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(("simulat",), "simulate"), (("study", "nwe"), "new"), (("bnech",), "bench")],
)
def test_a_command_that_is_close_to_another_is_told_which(
    typed: tuple[str, ...], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(*typed) == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err


def test_the_version_is_the_packages_and_says_what_computes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with without_library():
        assert left_with("--version") == 0
    assert capsys.readouterr().out == f"ppaurora {build()}, numpy\n"
