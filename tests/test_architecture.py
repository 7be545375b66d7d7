"""The rules of the house: who may import whom, and what files may be called."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
PACKAGE = "ppaurora"
ROOMS = ("mpc", "protocols", "parties", "bench")
"""From the bottom to the top: a room imports from those before it, and never from one behind it."""
SOCKETS = {"socket", "ssl", "zmq"}
SAYING_NOTHING = {"common", "helpers", "manager", "misc", "utils"}
# What is still to be moved or renamed. These lists get shorter, never longer.
STILL_FROM_LOCAL = {("parties/reports/result.py", "reconstruct")}
STILL_TWICE = {"Code"}


def files(*folders: str) -> list[Path]:
    """The Python files below these folders of the checkout."""
    return sorted(path for folder in folders for path in (HOME / folder).rglob("*.py"))


def place(path: Path) -> str:
    """The file's path in the checkout, as it is written in messages."""
    return path.relative_to(HOME).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Every import anywhere in the file: the module, and the name taken from it or nothing."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield from ((node.module or "", alias.name) for alias in node.names)
            else:  # tests may share things with their neighbours
                assert path.is_relative_to(HOME / "tests"), f"{place(path)} imports relatively"


def module_of(path: Path) -> str:
    """The name under which a file of a room is imported."""
    parts = path.relative_to(HOME).with_suffix("").parts
    return ".".join((PACKAGE, *(part for part in parts if part != "__init__")))


@cache
def graph() -> dict[str, set[str]]:
    """Each module of the rooms, and the modules that it imports."""
    modules = {module_of(path): path for path in files(*ROOMS)}
    return {
        name: {
            whole if (whole := f"{module}.{taken}") in modules else module
            for module, taken in imports(path)
            if module in modules or f"{module}.{taken}" in modules
        }
        for name, path in modules.items()
    }


def test_the_rooms_are_found_with_their_imports() -> None:
    assert all(f"{PACKAGE}.{room}" in graph() for room in ROOMS)
    assert f"{PACKAGE}.mpc.party" in graph()[f"{PACKAGE}.protocols.evaluate"]
    assert f"{PACKAGE}.mpc.primitives" in graph()[f"{PACKAGE}.protocols.evaluate"]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_one_way(room: str) -> None:
    above = tuple(f"{PACKAGE}.{other}" for other in ROOMS[ROOMS.index(room) + 1 :])
    wrong = {
        f"{module} imports {other}"
        for module, others in graph().items()
        if module.startswith(f"{PACKAGE}.{room}")
        for other in others
        if other.startswith(above)
    }
    assert not wrong


def test_no_module_imports_itself_by_a_detour() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as circle:
        pytest.fail(" <- ".join(circle.args[1]))


COMMANDS = (HOME / "parties" / "commands", HOME / "bench" / "main.py")
"""A command may import what it runs when it is called."""


def inside_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The imports of own modules in functions and classes: line and module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            for inner in ast.walk(node):
                modules = (
                    [inner.module or ""]
                    if isinstance(inner, ast.ImportFrom)
                    else [alias.name for alias in inner.names]
                    if isinstance(inner, ast.Import)
                    else []
                )
                own = [one for one in modules if one.partition(".")[0] == PACKAGE]
                yield from ((inner.lineno, one) for one in own)


def test_own_modules_are_imported_at_the_top_of_files_but_for_commands() -> None:
    late = {
        f"{place(path)}:{line} imports {module}"
        for path in files(*ROOMS)
        if not any(path.is_relative_to(room) for room in COMMANDS)
        for line, module in inside_functions(parsed(path))
    }
    assert late == set()


def test_an_import_in_a_function_is_seen() -> None:
    text = "def f():\n    import numpy\n    if g:\n        from ppaurora.mpc.role import Role\n"
    assert [*inside_functions(ast.parse(text))] == [(4, "ppaurora.mpc.role")]


def test_nothing_below_the_benchmark_names_it() -> None:
    naming = re.compile(r"\bbench\b")
    assert [place(path) for path in files(*ROOMS[:-1]) if naming.search(path.read_text())] == []


def test_sockets_are_known_to_the_links_and_the_requests_only() -> None:
    knowing = {
        place(path.parent)
        for path in files(*ROOMS[:-1])
        for module, _ in imports(path)
        if module.partition(".")[0] in SOCKETS
    }
    # a simulation looks for ports that are free, and opens no connection
    assert knowing <= {"mpc/link", "parties/requests", "parties/simulation"}


def test_a_statistic_knows_neither_parties_nor_links() -> None:
    above = (f"{PACKAGE}.parties", f"{PACKAGE}.bench", f"{PACKAGE}.mpc.link")
    known = {
        module
        for path in files("protocols/statistics")
        for module, _ in imports(path)
        if module.startswith(PACKAGE)
    }
    assert known
    assert not {module for module in known if module.startswith(above)}


def test_everybody_imports_the_package_and_never_a_bare_room() -> None:
    bare = {
        f"{place(path)} imports {module}"
        for path in files(*ROOMS, "scripts", "tests", PACKAGE)
        for module, _ in imports(path)
        if module.partition(".")[0] in ROOMS
    }
    assert not bare


def test_the_scripts_start_the_package_and_import_nothing_of_it() -> None:
    known = {module.partition(".")[0] for path in files("scripts") for module, _ in imports(path)}
    assert "environment" in known
    assert PACKAGE not in known


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(set)
    for path in files(*ROOMS):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(place(path))
    assert {name: at for name, at in homes.items() if len(at) > 1 and name not in STILL_TWICE} == {}


def test_what_serves_tests_and_the_benchmark_is_not_used_in_production() -> None:
    """`mpc.local` runs all three parties in one process: no server and no owner does that."""
    used = {
        (place(path), name)
        for path in files(*ROOMS[:-1])
        for module, name in imports(path)
        if f"{module}.{name}".startswith(f"{PACKAGE}.mpc.local")
    }
    assert used <= STILL_FROM_LOCAL


def test_every_module_is_called_by_what_it_is() -> None:
    names = {
        name
        for path in files(*ROOMS, "scripts", "tests")
        for name in path.relative_to(HOME).with_suffix("").parts
    }
    assert not names & SAYING_NOTHING


def rooms_inside() -> set[str]:
    """Every folder with modules below the four rooms."""
    return {place(path.parent) for path in files(*ROOMS)}


def test_every_statistic_has_a_test_of_its_name() -> None:
    room = HOME / "protocols" / "statistics"
    tests = HOME / "tests" / "protocols" / "statistics"
    modules = {path.stem for path in room.glob("*.py")} - {"__init__"}
    assert "auroc" in modules
    assert [name for name in sorted(modules) if not (tests / f"test_{name}.py").is_file()] == []


RIDDLES = {"What", "How", "Whether", "Who", "Whose", "Where", "Which", "That"}


WORDED = (
    "bench",
    "docs",
    "examples",
    "integrations",
    "mpc",
    "parties",
    "ppaurora",
    "protocols",
    "scripts",
    "tests",
)


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    begun = [
        f"{path.relative_to(HOME)}:{node.lineno}"
        for folder in WORDED
        for path in sorted((HOME / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str) and node.value.value.split()[0] in RIDDLES
    ]
    assert begun == []


TOLD = {
    "README.md": {*ROOMS, "scripts", "tests"},
    "docs/ARCHITECTURE.md": rooms_inside(),
}


@pytest.mark.parametrize("document", [name for name in TOLD if (HOME / name).exists()])
def test_the_documents_name_every_room(document: str) -> None:
    text = (HOME / document).read_text(encoding="utf-8")
    unnamed = {
        room
        for room in TOLD[document]
        if f"{room.rpartition('/')[2]}/" not in text and f"`{room}`" not in text
    }
    assert not unnamed
