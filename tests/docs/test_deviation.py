"""The pages say of every primitive what a server that deviates receives, in the ledger's words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ppaurora.mpc import primitives
from ppaurora.mpc.cost import Primitive
from ppaurora.protocols.disclosure.ledger import DEVIATION

HOME = Path(__file__).resolve().parents[2]
THREATS = HOME / "docs" / "THREATS.md"
PARAGRAPH = "Whoever deviates"


def words(text: str) -> str:
    return " ".join(text.split())


def all_primitives() -> list[str]:
    return [name for name in primitives.__all__ if isinstance(getattr(primitives, name), Primitive)]


def test_every_primitive_says_what_whoever_deviates_receives() -> None:
    names = all_primitives()
    assert len(names) > 30
    for name in names:
        module = sys.modules[getattr(primitives, name).__module__]
        assert PARAGRAPH in (module.__doc__ or ""), module.__name__


def test_the_table_of_what_arrives_has_every_primitive() -> None:
    rows = [line for line in THREATS.read_text(encoding="utf-8").splitlines() if "|" in line]
    told = {word.strip("`") for row in rows for word in words(row).replace(",", " ").split()}
    missing = {*all_primitives()} - told
    assert not missing


@pytest.mark.parametrize("page", ["README.md", "docs/THREATS.md"])
def test_pages_say_the_claim_in_the_words_of_the_ledger(page: str) -> None:
    said = words((HOME / page).read_text(encoding="utf-8"))
    assert DEVIATION.format(runs="") in said
