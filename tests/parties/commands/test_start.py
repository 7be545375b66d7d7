"""A command imports what it needs when it is called; shells complete names and options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ppaurora.parties.commands.deferred import Deferred
from ppaurora.parties.commands.program import OwnCommands
from ppaurora.parties.simulation.processes import command, environment
from tests.parties.world import World
from tests.until import SECONDS

HEAVY = ("numpy", "zmq", "duckdb", "cryptography", "ppaurora.protocols.options")


def modules_after(*arguments: str, folder: Path | None = None) -> set[str]:
    """What a process has imported when the command has ended."""
    program = (
        "import sys\n"
        "from ppaurora.parties.commands.main import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    sys.stderr.write('\\n'.join(['', *sys.modules]))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return set(ended.stderr.splitlines())


@pytest.mark.parametrize("asked", [["--version"], ["--help"], ["completion", "bash"]])
def test_what_computes_nothing_loads_nothing_that_computes(asked: list[str]) -> None:
    loaded = modules_after(*asked)
    assert "ppaurora.parties.commands.main" in loaded
    assert not loaded & set(HEAVY)


HELP_IN_COLOUR = {"typer.rich_utils", "rich.markdown", "markdown_it", "pygments"}


@pytest.mark.parametrize(
    "asked", [["--help"], ["study", "--help"], ["status", "--help"], ["status", "--no-such-option"]]
)
def test_a_help_text_loads_nothing_that_would_draw_it(asked: list[str]) -> None:
    assert not modules_after(*asked) & HELP_IN_COLOUR


OF_SERVERS = (
    "duckdb",
    "numpy.ma",
    "pandas",
    "scipy",
    "asyncio",
    "matplotlib",
    "ppaurora.bench",
    "ppaurora.mpc.link.zeromq",
    "ppaurora.parties.server.server",
    "ppaurora.parties.simulation.simulate",
    "ppaurora.protocols.evaluate",
    "ppaurora.protocols.pipelines.folds",
    "ppaurora.protocols.pipelines.histogram",
    "ppaurora.protocols.pipelines.pairs",
    "ppaurora.protocols.ranking.binned",
    "ppaurora.protocols.statistics.youden_max",
)
"""What no participant needs; and what the study below does not ask for."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An owner's files of a study whose servers do not run."""
    with World(tmp_path_factory.mktemp("start")) as world:
        rows = "".join(f"0.{row:03},{row % 2}\n" for row in range(200))
        (world.folder / "list.csv").write_text(f"score,label\n{rows}")
        return world.folder


@pytest.mark.zeromq
@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        (["study", "show", "study.toml"], "ppaurora.protocols.disclosure.ledger"),
        (["status", "--site", "ann.toml"], "zmq"),
        (["result", "--site", "ann.toml"], "zmq"),
        (["outsource", "--withdraw", "--site", "ann.toml"], "zmq"),
        (
            ["outsource", "list.csv", "--check-only", "--site", "ann.toml"],
            "ppaurora.parties.sources.columns.collector",
        ),
    ],
)
def test_a_participants_command_loads_neither_servers_nor_other_statistics(
    folder: Path, asked: list[str], needed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    loaded = modules_after(*asked)
    assert {needed, "ppaurora.protocols.statistics.auroc"} <= loaded
    assert not loaded & set(OF_SERVERS)


COMPUTING = {
    "numpy",
    "ppaurora.mpc.committed.exchange",
    "ppaurora.mpc.gates",
    "ppaurora.mpc.link.link",
    "ppaurora.mpc.primitives.multiply",
    "ppaurora.protocols.sorting.network",
    "ppaurora.protocols.statistics.average_precision_ci",
}
"""What is needed where something is computed, and not where a study is read."""


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        (["--help"], 15),
        (["status", "--help"], 30),
        (["result", "--help"], 30),
        (["outsource", "--help"], 30),
        (["init", "--help"], 35),
        (["keys", "--help"], 40),
        (["status", "--site", "ann.toml"], 170),
        (["result", "--site", "ann.toml"], 180),
        (["outsource", "--withdraw", "--site", "ann.toml"], 170),
    ],
)
def test_a_command_that_computes_nothing_loads_few_modules_and_none_that_computes(
    folder: Path, asked: list[str], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    loaded = modules_after(*asked)
    assert loaded & {*COMPUTING, *OF_SERVERS} == set()
    assert 0 < len([name for name in loaded if name.startswith("ppaurora.")]) <= most


def test_the_help_text_of_a_study_names_all_sorts_and_loads_nothing_that_computes() -> None:
    loaded = modules_after("study", "new", "--help")
    assert "ppaurora.protocols.sorting.network" in loaded
    assert not loaded & {"numpy", "zmq", "ppaurora.mpc.primitives.multiply"}


@pytest.mark.zeromq
def test_only_who_shows_a_result_loads_what_makes_reports(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for asked in (
        ["study", "show", "study.toml"],
        ["status", "--site", "ann.toml"],
        ["outsource", "--withdraw", "--site", "ann.toml"],
    ):
        loaded = modules_after(*asked)
        assert not loaded & {"ppaurora.parties.reports.html", "rich.prompt", "rich.markdown"}
    assert "zmq" not in modules_after("study", "show", "study.toml")


def test_once_a_command_is_loaded_garbage_is_collected_again_of_what_comes_after_it() -> None:
    program = (
        "import gc, sys\n"
        "from ppaurora.parties.commands.deferred import Deferred\n"
        "from ppaurora.parties.commands.program import OwnCommands\n"
        "Deferred('keys', OwnCommands.own['keys']).loaded\n"
        "assert gc.isenabled()\n"
        "looked_at = [one for one in gc.get_objects() if one is sys.modules]\n"
        "assert gc.get_freeze_count() and not looked_at\n"
    )
    subprocess.run([sys.executable, "-c", program], env=environment(), timeout=SECONDS, check=True)


def test_a_command_that_loads_the_engine_ends_without_a_complaint_of_it() -> None:
    told = subprocess.run(
        command("simulate", "--help"),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert told.stdout
    assert not told.stderr


def test_making_a_key_loads_no_statistics(tmp_path: Path) -> None:
    loaded = modules_after("keys", "new", str(tmp_path / "site.key"))
    assert "cryptography" in loaded
    assert not loaded & {"numpy", "zmq", "duckdb", "ppaurora.protocols.options"}


@pytest.mark.parametrize("name", OwnCommands.own)
def test_the_help_text_that_is_read_is_the_one_that_is_shown(name: str) -> None:
    deferred = Deferred(name, OwnCommands.own[name])
    assert deferred.help
    assert deferred.loaded.help == deferred.help


@pytest.mark.parametrize("name", OwnCommands.own)
def test_completion_is_a_command_of_its_own_and_no_option_of_another(name: str) -> None:
    options = [
        option for one in Deferred(name, OwnCommands.own[name]).loaded.params for option in one.opts
    ]
    assert not {"--install-completion", "--show-completion"} & {*options}


@pytest.mark.parametrize(
    ("shell", "typed", "proposed", "others"),
    [
        ("bash", "ppaurora stu", "study", "server"),
        ("bash", "ppaurora outsource --wi", "--withdraw", "--yes"),
        ("bash", "ppaurora keys n", "new", "show"),
        ("zsh", "ppaurora stu", '"study":', "server"),
        ("fish", "ppaurora stu", "study\t", "server"),
    ],
)
def test_a_shell_completes_commands_and_options(
    shell: str, typed: str, proposed: str, others: str
) -> None:
    variables = {
        "_PPAURORA_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    told = subprocess.run(
        command(),
        env={**os.environ, **environment(), **variables},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert proposed in told.stdout, told.stderr
    assert others not in told.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_this_program(shell: str) -> None:
    told = subprocess.run(
        command("completion", shell),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout
    assert "_PPAURORA_COMPLETE" in told
    assert "ppaurora" in told
    if shell == "bash":
        checked = subprocess.run(["bash", "-n"], input=told, text=True, check=False)
        assert checked.returncode == 0
