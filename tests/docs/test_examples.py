"""The examples of the pages name commands, options and names that there are."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

import ppaurora
from ppaurora.bench.main import app as bench_app
from ppaurora.parties.commands.program import app
from ppaurora.protocols.statistics.registry import statistics
from tests.docs.tree import HOME, page, texts

PAGES = sorted(name for name, _ in texts() if name.endswith(".md") and name != "bench/RESULTS.md")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
FIRST_SCREEN = 40
COMMANDS = get_command(app)
BENCH_COMMANDS = get_command(bench_app)


def blocks(name: str, language: str) -> list[str]:
    return [text for kind, text in FENCED.findall(page(name)) if kind == language]


def commands(name: str) -> Iterator[list[str]]:
    """Every call of `ppaurora` on a page, in a block or within a sentence, in words."""
    lines = "".join(blocks(name, "")).replace("\\\n", " ").splitlines()
    lines = [line.removeprefix(".venv/bin/") for line in lines]
    lines += re.findall(r"`(ppaurora [^`]*)`", re.sub(r"\s*\n\s*", " ", page(name)))
    for line in lines:
        if line.startswith("ppaurora "):
            yield shlex.split(line, comments=True)[1:]


def meant(words: list[str]) -> tuple[Any, list[str]]:
    """The subcommand that the words call, and what is left of them."""
    found, rest = COMMANDS, list(words)
    while rest and hasattr(found, "get_command"):
        known = BENCH_COMMANDS if rest[0] == "bench" else found.get_command(None, rest[0])
        assert known is not None, f"there is no `ppaurora {' '.join(words)}`"
        found = getattr(known, "loaded", known)
        rest = rest[1:]
    return found, rest


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_their_options_are_known(name: str) -> None:
    for words in commands(name):
        command, rest = meant(words)
        known = {"--help"}
        for parameter in command.params:
            known |= {*parameter.opts, *parameter.secondary_opts}
        used = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert used <= known, words


def test_the_page_of_studies_shows_every_step() -> None:
    shown = [words[0] for words in commands("docs/STUDIES.md") if words]
    assert {"keys", "study", "server", "outsource", "status", "result"} <= set(shown)


def test_the_readme_names_statistics_that_there_are() -> None:
    table = page("README.md").partition("| question | statistics |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([a-z0-9_]+)`", table))
    assert len(named) > 20
    assert named <= set(statistics())


def test_the_first_screen_of_the_readme_is_short_and_leads_everybody_on() -> None:
    first = page("README.md").partition("\n## ")[0]
    assert len(first.splitlines()) <= FIRST_SCREEN
    for command in ("scripts/quickstart.py", "scripts/test.py", "ppaurora simulate"):
        assert command in first
    led_to = {link for _, link in re.findall(r"\[([^\]]*)\]\((\S+?)\)", first)}
    pages = ("STATISTICS", "THREATS", "OPERATING", "ARCHITECTURE")
    assert {"CONTRIBUTING.md", *(f"docs/{name}.md" for name in pages)} <= led_to


@pytest.mark.parametrize("name", PAGES)
def test_scripts_that_are_named_exist(name: str) -> None:
    named = re.findall(r"(?<![\w/])((?:scripts|docs|\.ci)/(?:\w+\.py|run))\b", page(name))
    assert [path for path in named if not (HOME / path).is_file()] == []


def test_the_markers_are_those_that_are_declared() -> None:
    settings = tomllib.loads(page("pyproject.toml"))["tool"]["pytest"]["ini_options"]
    declared = {marker.partition(":")[0] for marker in settings["markers"]}
    listed = page("CONTRIBUTING.md").partition("| marker |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", listed, re.M)) == declared


@pytest.mark.parametrize(
    "text", [text for text in blocks("docs/PYTHON.md", "python") if "import" in text]
)
def test_what_the_page_of_python_imports_and_calls_is_public(text: str) -> None:
    tree = ast.parse(text)
    imported = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    names = [name.name for one in imported if one.module == "ppaurora" for name in one.names]
    assert names
    assert set(names) <= set(ppaurora.__all__)
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id in names:
            signature = inspect.signature(getattr(ppaurora, call.func.id))
            keywords = {key.arg: None for key in call.keywords if key.arg}
            signature.bind(*call.args, **keywords)
