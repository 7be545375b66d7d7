#!/usr/bin/env python3
"""The packages of this project and which package imports which, measured from the code.

    python3 docs/packages.py           print the part of docs/ARCHITECTURE.md that is measured
    python3 docs/packages.py --write   put it into the page

Reads the source as text; nothing is imported and nothing needs to be installed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "ARCHITECTURE.md"
LAYERS = ("mpc", "protocols", "parties", "bench")
"""From the lowest: a layer imports from itself and from those before it."""
WHOLE = "ppaurora"
BEGIN, END = "<!-- measured by docs/packages.py -->", "<!-- end of what is measured -->"

Arrows = Mapping[str, set[str]]
"""The imports of each file, by paths below the top folder."""


def packages() -> list[str]:
    """Every folder with an `__init__.py`, layer by layer."""
    return [
        found.parent.relative_to(HOME).as_posix()
        for layer in LAYERS
        for found in sorted((HOME / layer).rglob("__init__.py"))
    ]


@cache
def between_files() -> Arrows:
    """For each file, the other files from which it imports."""
    found = {}
    for package in packages():
        for path in sorted((HOME / package).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = path.relative_to(HOME).as_posix()
            found[name] = {file for one in _imported(tree) if (file := _file_of(one))} - {name}
    return found


def between_packages() -> Arrows:
    """For each package, the other packages from which its files import."""
    found: dict[str, set[str]] = {package: set() for package in packages()}
    for file, others in between_files().items():
        package = _package_of(file)
        found[package] |= {_package_of(other) for other in others} - {package}
    return found


def upward(found: Arrows) -> list[tuple[str, str]]:
    """The arrows that lead from a layer to a higher one."""
    return [
        (package, other)
        for package, others in found.items()
        for other in sorted(others)
        if LAYERS.index(_layer_of(other)) > LAYERS.index(_layer_of(package))
    ]


def mutual(found: Arrows) -> list[tuple[str, str]]:
    """The pairs of packages that import each other, none inside the other."""
    return [
        (package, other)
        for package, others in found.items()
        for other in sorted(others)
        if package < other and package in found[other] and not other.startswith(f"{package}/")
    ]


def measured() -> str:
    """The table of all arrows between packages, and the two lists below it."""
    found = between_packages()
    lines = ["| package | imports |", "|---|---|"]
    lines += [f"| `{package}` | {_listed(others)} |" for package, others in found.items()]
    lines += ["", f"Against the order of the layers: {_pairs(upward(found), 'to')}."]
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
    whole, *parts = name.split(".")
    while whole == WHOLE and parts:
        path = HOME.joinpath(*parts)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file.relative_to(HOME).as_posix()
        parts.pop()
    return ""


def _package_of(file: str) -> str:
    return file.rpartition("/")[0]


def _layer_of(package: str) -> str:
    return package.partition("/")[0]


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"


def _pairs(pairs: list[tuple[str, str]], word: str) -> str:
    return "; ".join(f"`{one}` {word} `{other}`" for one, other in pairs) or "none"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(measured(), end="")
