"""What a server that deviates receives: said of every primitive, and everywhere in the same words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ppaurora.mpc import primitives
from ppaurora.mpc.cost import Primitive
from ppaurora.protocols.disclosure.ledger import DEVIATION, NO_CLAIM, ledger
from ppaurora.protocols.options import Options

HOME = Path(__file__).resolve().parents[2]
THREATS = HOME / "docs" / "THREATS.md"
PARAGRAPH = "Whoever deviates"


def words(text: str) -> str:
    return " ".join(text.split())


def all_primitives() -> list[str]:
    primitives.import_everything()
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


def test_every_option_is_claimed_or_refused_with_its_reason() -> None:
    """The options that the page names under the claim, and those of its table of attacks."""
    grid = {"mode": "grid", "bins": 8}
    claimed = [
        Options(merge="network"),
        Options(merge="delta", delta=1),
        Options(merge="network", assurance="covert"),
        Options(("auroc_bounds",), **grid),
    ]
    refused = [
        Options(merge="shuffled"),
        Options(merge="delta", delta=3),
        Options(merge="network", ties="helper"),
        Options(("auroc_difference",), merge="network"),
        Options(("calibration_slope",), **grid),
    ]
    for options in claimed:
        assert ledger(options, [50, 50, 50]).deviation.startswith(DEVIATION[:40]), options
    for options in refused:
        assert ledger(options, [50, 50, 50]).deviation.startswith(NO_CLAIM[:40]), options
