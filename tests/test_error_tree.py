"""Every error that is raised anywhere says whose fault it was: no root of the tree is raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppaurora.mpc.errors import AuroraError, LocalProtocolError

ROOT = Path(__file__).parents[1]
ROOMS = ("mpc", "protocols", "parties", "bench", "scripts")
ROOTS = {"AuroraError", "BaseException", "Exception", "PeerError", "RuntimeError"}


def made(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every exception that is raised by its class, or made by calling it."""
    for node in ast.walk(tree):
        named = None
        if isinstance(node, ast.Raise):
            named = node.exc
        elif isinstance(node, ast.Call):
            named = node.func
        if isinstance(named, ast.Attribute):
            yield node.lineno, named.attr
        elif isinstance(named, ast.Name):
            yield node.lineno, named.id


def bare_roots(source: str) -> list[int]:
    return [line for line, name in made(ast.parse(source)) if name in ROOTS]


def test_no_room_raises_a_root() -> None:
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    assert len(files) > 100
    found = [f"{path}:{line}" for path in files for line in bare_roots(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "raise AuroraError('x')",
        "raise AuroraError",
        "raise errors.AuroraError('x') from None",
        "error = PeerError('x')\nraise error",
        "raise Exception",
    ],
)
def test_a_raised_root_would_be_found(source: str) -> None:
    assert bare_roots(source) == [1]


def test_the_root_cannot_even_be_made() -> None:
    with pytest.raises(TypeError, match="choose a kind of error"):
        AuroraError("something happened")
    assert LocalProtocolError("something happened").what == "something happened"
