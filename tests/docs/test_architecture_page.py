"""docs/ARCHITECTURE.md: packages, their imports, a share's path, the paper's names, the terms."""

from __future__ import annotations

import ast
import re
import runpy
from graphlib import TopologicalSorter

import pytest

from tests.docs.tree import HOME, page

PACKAGES = runpy.run_path(str(HOME / "docs" / "packages.py"))
STEPS = runpy.run_path(str(HOME / "docs" / "steps.py"))
PAGE = page("docs/ARCHITECTURE.md")
RENEW = "run `python3 docs/packages.py --write`"
PATH = PAGE.partition("## The path of a share")[2].partition("\n## ")[0]


def section(title: str) -> str:
    """The text under a heading of the page."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_package_has_a_line_on_its_purpose() -> None:
    described = re.findall(r"^\| `([\w/]+)` \| \S.* \|$", section("The packages"), re.M)
    assert sorted(described) == sorted(PACKAGES["packages"]())


def test_the_printed_arrows_are_those_of_the_code() -> None:
    assert PACKAGES["written"](PAGE) == PAGE, RENEW


def test_the_printed_steps_are_those_of_the_code() -> None:
    assert STEPS["written"](PAGE) == PAGE, "run `.venv/bin/python docs/steps.py --write`"


def test_no_arrow_leads_upwards() -> None:
    assert not PACKAGES["upward"](PACKAGES["between_packages"]())


def test_no_file_imports_itself_in_a_circle() -> None:
    files = PACKAGES["between_files"]()
    assert len(list(TopologicalSorter(files).static_order())) == len(files)


def test_the_measured_imports_are_found_where_they_stand() -> None:
    files = PACKAGES["between_files"]()
    assert "mpc/primitives/divide.py" in files["protocols/statistics/estimates.py"]
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


def test_the_path_of_a_share_leads_through_every_layer_that_computes() -> None:
    for layer in ("mpc/", "protocols/", "parties/"):
        assert f"`{layer}" in PATH


NAMES = dict(re.findall(r"^\| ([^|`]+) \| (`.*) \|$", section("The paper's names"), re.M))
TERMS = re.findall(r"^\| (.+) \| (\S.*) \|$", section("Glossary"), re.M)[1:]
MOST_TERMS = 25


def test_every_name_of_the_paper_has_its_file() -> None:
    assert [name.partition(",")[0] for name in NAMES] == [
        *("proxies", "MUL", "CMP", "MUX", "DIV", "merge with δ"),
        *(f"Algorithm {number}" for number in (1, 2, 3, 4)),
    ]
    for place in NAMES.values():
        named = re.findall(r"`([\w/]+\.py):\w+`", place)
        assert named
        assert [path for path in named if not (HOME / path).is_file()] == []


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_files_of_an_algorithm_cite_it(number: int) -> None:
    [place] = [place for name, place in NAMES.items() if name.startswith(f"Algorithm {number}")]
    for path in re.findall(r"`([\w/]+\.py):\w+`", place):
        cited = " ".join(re.findall(r"\[ppAURORA, Alg\. ([\d and]+)", page(path)))
        assert str(number) in cited, path


def test_the_glossary_is_short_and_in_order() -> None:
    terms = [term for term, _ in TERMS]
    assert 10 < len(terms) <= MOST_TERMS
    assert terms == sorted(set(terms))
