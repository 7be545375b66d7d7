"""Errors: each says what happened, where, and what to do, and whose fault it was."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ppaurora import mpc
from ppaurora.mpc import errors
from ppaurora.mpc.errors import (
    AuroraError,
    BadFrame,
    LocalProtocolError,
    PeerError,
    RemoteProtocolError,
)

SIDES = (LocalProtocolError, RemoteProtocolError, PeerError)
ALL = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, AuroraError) and each is not AuroraError
]
MODULES = sorted(Path(path) for path in Path(mpc.__file__).parent.rglob("*.py"))


def test_an_error_says_what_happened_where_and_what_to_do() -> None:
    error = BadFrame("P1 sent noise", advice="Start anew.", session="0f", step="3", peer="P1")
    assert str(error) == "P1 sent noise (session 0f, step 3, peer P1). Start anew."


def test_an_error_without_a_place_or_advice_says_what_happened() -> None:
    assert str(LocalProtocolError("no words")) == "no words"


@pytest.mark.parametrize("error", ALL)
def test_every_error_is_the_fault_of_exactly_one_side(error: type[AuroraError]) -> None:
    assert sum(issubclass(error, side) for side in SIDES) == 1


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_the_root_of_the_tree_is_never_made(module: Path) -> None:
    made = [
        node.func.id
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert "AuroraError" not in made
