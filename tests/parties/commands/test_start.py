"""A command is imported when it is called; shells complete names and options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from ppaurora.parties.commands.group import WHOLE_SENTENCE
from ppaurora.parties.commands.program import OwnCommands, app
from ppaurora.parties.simulation.processes import environment
from tests import forked
from tests.until import SECONDS

HEAVY = ("duckdb", "matplotlib", "pandas", "sklearn")
HELP_IN_COLOUR = ("typer.rich_utils", "rich.markdown", "markdown_it", "pygments")


def commands() -> Any:
    """The group of all commands."""
    return get_group(app)


def modules_after(*arguments: str) -> set[str]:
    """The modules that a process has imported when the command has ended."""
    program = (
        "import sys\n"
        "from ppaurora.parties.commands.main import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    sys.stderr.write('\\n'.join(['', *sys.modules]))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return set(ended.stderr.splitlines())


@pytest.mark.parametrize("asked", [["--help"], ["study", "--help"], ["status", "--no-such-option"]])
def test_a_help_text_loads_no_engine_and_nothing_that_would_draw_it(asked: list[str]) -> None:
    loaded = modules_after(*asked)
    assert "ppaurora.parties.commands.main" in loaded
    assert not loaded & {*HEAVY, *HELP_IN_COLOUR}


@pytest.mark.parametrize("name", OwnCommands.own)
def test_the_summary_of_a_command_is_the_first_sentence_of_its_help_text(name: str) -> None:
    found = commands().get_command(None, name)
    assert OwnCommands.own[name].summary == found.get_short_help_str(WHOLE_SENTENCE)


@pytest.mark.parametrize("name", OwnCommands.own)
def test_completion_is_a_command_of_its_own_and_no_option_of_another(name: str) -> None:
    options = [option for one in commands().get_command(None, name).params for option in one.opts]
    assert not {"--install-completion", "--show-completion"} & {*options}


@pytest.mark.parametrize(
    ("shell", "typed", "proposed", "others"),
    [
        ("bash", "ppaurora stu", "study", "server"),
        ("bash", "ppaurora outsource --wi", "--withdraw", "--yes"),
        ("bash", "ppaurora keys n", "new", "show"),
        ("bash", "ppaurora simulate --metric auroc_c", "auroc_ci", "auroc_dp"),
        ("bash", "ppaurora study new --analysis no", "noisy", "validation"),
        ("zsh", "ppaurora stu", '"study":', "server"),
        ("fish", "ppaurora stu", "study\t", "server"),
    ],
)
def test_a_shell_completes_commands_and_options(
    shell: str,
    typed: str,
    proposed: str,
    others: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables = {
        "_PPAURORA_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    told = forked.run((), tmp_path)
    assert proposed in told.stdout, told.stderr
    assert others not in told.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_this_program(shell: str, tmp_path: Path) -> None:
    ended = forked.run(("completion", shell), tmp_path)
    assert ended.returncode == 0, ended.stderr
    told = ended.stdout
    assert "_PPAURORA_COMPLETE" in told
    assert "ppaurora" in told
    if shell == "bash":
        checked = subprocess.run(["bash", "-n"], input=told, text=True, check=False)
        assert checked.returncode == 0


def every_command(group: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all commands, the group itself first."""
    found = [path]
    for name in group.list_commands(None) if hasattr(group, "list_commands") else ():
        command_here = group.get_command(None, name)
        if command_here is not None:
            found += every_command(command_here, (*path, name))
    return found


def test_every_help_page_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pages = every_command(commands())
    assert ("study", "new") in pages
    for path in pages:
        shown = CliRunner().invoke(app, [*path, "--help"])
        assert shown.exit_code == 0, path
        assert max(map(len, shown.stdout.splitlines())) <= 80, path
