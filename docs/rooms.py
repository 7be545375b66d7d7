#!/usr/bin/env python3
"""The rooms of this house and which room imports which, measured from the code.

    python3 docs/rooms.py           print the part of docs/ARCHITECTURE.md that is measured
    python3 docs/rooms.py --write   put it into the page

Reads the source as text; nothing is imported and nothing needs to be installed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "ARCHITECTURE.md"
FLOORS = ("mpc", "protocols", "parties", "bench")
"""From the ground up: a floor imports from itself and from those before it."""
PACKAGE = "ppaurora"
BEGIN, END = "<!-- measured by docs/rooms.py -->", "<!-- end of what is measured -->"

Arrows = Mapping[str, set[str]]
"""The imports of each file, by paths below the top folder."""


def rooms() -> list[str]:
    """Every folder of the package, floor by floor."""
    return [
        found.parent.relative_to(HOME).as_posix()
        for floor in FLOORS
        for found in sorted((HOME / floor).rglob("__init__.py"))
    ]


def between_files() -> Arrows:
    """For each file, the other files from which it imports."""
    found = {}
    for room in rooms():
        for path in sorted((HOME / room).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = path.relative_to(HOME).as_posix()
            found[name] = {file for one in _imported(tree) if (file := _file_of(one))} - {name}
    return found


def between_rooms() -> Arrows:
    """For each room, the other rooms from which its files import."""
    found: dict[str, set[str]] = {room: set() for room in rooms()}
    for file, others in between_files().items():
        room = _room_of(file)
        found[room] |= {_room_of(other) for other in others} - {room}
    return found


def upward(found: Arrows) -> list[tuple[str, str]]:
    """The arrows that lead from a floor to a higher one."""
    return [
        (room, other)
        for room, others in found.items()
        for other in sorted(others)
        if FLOORS.index(_floor_of(other)) > FLOORS.index(_floor_of(room))
    ]


def mutual(found: Arrows) -> list[tuple[str, str]]:
    """The pairs of rooms that import each other, none inside the other."""
    return [
        (room, other)
        for room, others in found.items()
        for other in sorted(others)
        if room < other and room in found[other] and not other.startswith(f"{room}/")
    ]


def measured() -> str:
    """The table of all arrows between rooms, and the two lists below it."""
    found = between_rooms()
    lines = ["| room | imports |", "|---|---|"]
    lines += [f"| `{room}` | {_listed(others)} |" for room, others in found.items()]
    lines += ["", f"Against the order of the floors: {_pairs(upward(found), 'to')}."]
    lines += ["", f"In both directions: {_pairs(mutual(found), 'and')}."]
    return "\n".join(lines) + "\n"


def written(page: str) -> str:
    """The page with the measured part renewed."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE} has lost the two comments around what is measured")
    return f"{before}{BEGIN}\n\n{measured()}\n{END}{after}"


def _imported(tree: ast.AST) -> Iterator[str]:
    """The dotted names that a file imports, wherever in the file the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _file_of(name: str) -> str:
    """The file of an imported module, or of a name in it; empty for what is not ours."""
    package, *parts = name.split(".")
    while package == PACKAGE and parts:
        path = HOME.joinpath(*parts)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file.relative_to(HOME).as_posix()
        parts.pop()
    return ""


def _room_of(file: str) -> str:
    return file.rpartition("/")[0]


def _floor_of(room: str) -> str:
    return room.partition("/")[0]


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"


def _pairs(pairs: list[tuple[str, str]], word: str) -> str:
    return "; ".join(f"`{one}` {word} `{other}`" for one, other in pairs) or "none"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(measured(), end="")
