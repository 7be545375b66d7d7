"""docs/ARCHITECTURE.md says which rooms there are, what they import, and which way a share goes."""

from __future__ import annotations

import ast
import re
import runpy
from graphlib import TopologicalSorter

import pytest

from tests.docs.tree import HOME, page

ROOMS = runpy.run_path(str(HOME / "docs" / "rooms.py"))
STEPS = runpy.run_path(str(HOME / "docs" / "steps.py"))
PAGE = page("docs/ARCHITECTURE.md")
RENEW = "run `python3 docs/rooms.py --write`"
WAY = PAGE.partition("## A share's way")[2].partition("\n## ")[0]


def section(title: str) -> str:
    """The text under a heading of the page."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_room_has_a_line_that_says_what_it_is_for() -> None:
    described = re.findall(r"^\| `([\w/]+)` \| \S.* \|$", section("The rooms"), re.M)
    assert sorted(described) == sorted(ROOMS["rooms"]())


def test_the_printed_arrows_are_those_of_the_code() -> None:
    assert ROOMS["written"](PAGE) == PAGE, RENEW


def test_the_printed_steps_are_those_of_the_code() -> None:
    assert STEPS["written"](PAGE) == PAGE, "run `.venv/bin/python docs/steps.py --write`"


def test_no_arrow_leads_upwards() -> None:
    assert not ROOMS["upward"](ROOMS["between_rooms"]())


def test_no_file_imports_itself_in_a_circle() -> None:
    files = ROOMS["between_files"]()
    assert len(list(TopologicalSorter(files).static_order())) == len(files)


def test_the_measured_imports_are_found_where_they_stand() -> None:
    files = ROOMS["between_files"]()
    assert "mpc/primitives/divide.py" in files["protocols/statistics/one_number.py"]
    assert "bench/main.py" not in files["parties/commands/main.py"]
    assert files["bench/peers/programs/mpyc_auroc.py"] == set()


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([\w/]+\.py:[\w.]+)`", PAGE))))
def test_what_the_page_names_in_a_file_is_defined_there(named: str) -> None:
    path, _, name = named.partition(":")
    scope: list[ast.stmt] = ast.parse(page(path)).body
    for part in name.split("."):
        found = [
            one
            for one in scope
            if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == part
        ]
        assert found, f"{path} defines no {name}"
        scope = found[0].body


def test_the_way_of_a_share_leads_through_every_floor_that_computes() -> None:
    for floor in ("mpc/", "protocols/", "parties/"):
        assert f"`{floor}" in WAY
