"""The rules of the house: who may import whom, and what files may be called."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
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


@dataclass
class Facts:
    """The facts about a file that the rules are about; its tree is not kept."""

    imports: list[tuple[str, str]] = field(default_factory=list)
    """Every import anywhere in the file: the module, and the name taken from it or nothing."""
    late: list[tuple[int, str]] = field(default_factory=list)
    """The imports of own modules in functions and classes: line and module."""
    classes: list[str] = field(default_factory=list)
    docstrings: list[tuple[int, str]] = field(default_factory=list)
    """The line and the first word of every string that stands by itself."""


@cache
def facts(path: Path) -> Facts:
    """Read the file once, however many rules there are."""
    tree, found = ast.parse(path.read_text(encoding="utf-8"), str(path)), Facts()
    found.late += inside_functions(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                found.imports += ((alias.name, "") for alias in names)
            case ast.ImportFrom(module, names, 0):
                found.imports += ((module or "", alias.name) for alias in names)
            case ast.ImportFrom():  # tests may share things with their neighbours
                assert path.is_relative_to(HOME / "tests"), f"{place(path)} imports relatively"
            case ast.ClassDef(name):
                found.classes.append(name)
            case ast.Expr(ast.Constant(str(text))):
                found.docstrings.append((node.lineno, text.split()[0]))
    return found


def imports(path: Path) -> list[tuple[str, str]]:
    return facts(path).imports


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


def inside_functions(tree: ast.AST, *, inside: bool = False) -> Iterator[tuple[int, str]]:
    """The imports of own modules in functions and classes: line and module."""
    for node in ast.iter_child_nodes(tree):
        if inside and isinstance(node, ast.Import | ast.ImportFrom):
            named = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
            own = [one for one in named if one.partition(".")[0] == PACKAGE]
            yield from ((node.lineno, one) for one in own)
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            within = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from inside_functions(node, inside=inside or within)


def test_own_modules_are_imported_at_the_top_of_files_but_for_commands() -> None:
    late = {
        f"{place(path)}:{line} imports {module}"
        for path in files(*ROOMS)
        if not any(path.is_relative_to(room) for room in COMMANDS)
        for line, module in facts(path).late
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
        for name in facts(path).classes:
            homes[name].add(place(path))
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
        f"{place(path)}:{line}"
        for folder in WORDED
        for path in sorted((HOME / folder).rglob("*.py"))
        for line, word in facts(path).docstrings
        if word in RIDDLES
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
