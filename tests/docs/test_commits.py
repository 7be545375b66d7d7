"""Every table of figures says of which commit it is, and that commit is one of this history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from subprocess import run

import pytest

from ppaurora.bench.papers.experiments.aurora_tables import BYTES, SECONDS, Tables
from ppaurora.bench.papers.kept import Kept
from tests.docs.tree import HOME, page

MEASURED = ("README.md", "bench/CROSSOVER.md", "bench/PAPERS.md", "bench/RESULTS.md")
COMMIT = re.compile(r"\b[0-9a-f]{7}\b")
NAMED = re.compile(rf"[Cc]ommits? (?:up to )?({COMMIT.pattern})")
# The tables of figures in the README stand in this section.
OF_README = "## What it costs"


def tables(text: str) -> Iterator[tuple[str, str]]:
    """The first line of every table, and what stands between the heading above and it."""
    above: list[str] = []
    for line in text.splitlines():
        if line.startswith("#"):
            above = []
        if line.startswith("|") and not above[-1].startswith("|"):
            yield line, " ".join(above)
        above.append(line)


def figures(name: str) -> str:
    text = page(name)
    if name != "README.md":
        return text
    _, _, behind = text.partition(OF_README)
    return OF_README + behind.partition("\n## ")[0]


@pytest.mark.parametrize("name", MEASURED)
def test_every_table_of_figures_names_a_commit(name: str) -> None:
    found = list(tables(figures(name)))
    assert found
    assert [line for line, above in found if not NAMED.search(above)] == []


def trials() -> list[list[str]]:
    rows = [line.split("|") for line in page("bench/TRIALS.md").splitlines() if line[:2] == "| "]
    return [[cell.strip() for cell in row] for row in rows[1:]]


def test_every_trial_names_the_commit_that_it_tried() -> None:
    assert len(trials()) > 100
    without = [row[1][:60] for row in trials() if not COMMIT.search(row[-3])]
    assert without == [], "commit the code, run the trial, then write its line"


def test_every_commit_that_a_page_names_is_one_of_this_history() -> None:
    told = [row[-3] for row in trials()] + [
        match for name in MEASURED for match in NAMED.findall(figures(name).replace("\n", " "))
    ]
    named = {commit for text in told for commit in COMMIT.findall(text)}
    assert len(named) > 20
    asked = "".join(f"{commit}^{{commit}}\n" for commit in sorted(named))
    git = ["git", "-C", str(HOME)]
    shallow = run(
        [*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=True
    )
    assert shallow.stdout.strip() == "false", "the history is needed: git fetch --unshallow"
    found = run(
        [*git, "cat-file", "--batch-check"], input=asked, capture_output=True, text=True, check=True
    )
    assert [line for line in found.stdout.splitlines() if line.endswith("missing")] == []


@pytest.mark.parametrize("merge", ["auto", "network"])
def test_readme_and_results_have_the_recorded_figures_of_the_largest_row(merge: str) -> None:
    recorded = Kept(HOME / "bench/papers/recorded", Tables()).found()
    cells = {cell.settings: recorded.get(cell.name) for cell, _ in Tables().cells()}
    sent, timed = (cells["8x1000", "auroc", merge, figure] for figure in (BYTES, SECONDS))
    assert sent is not None
    assert timed is not None
    megabytes, hops = sent["megabytes, all"].mean, f"{sent['hops'].mean:.0f}"
    [row] = [
        [cell.strip() for cell in line.split("|")]
        for line in page("README.md").splitlines()
        if f"--merges {merge}`" in line
    ]
    assert row[2] == f"{timed['seconds'].mean:.2f} s"
    assert row[3] == f"{megabytes:.2f} MB"
    what = {"auto": "the same: hops, MB", "network": "the same by `network`: hops, MB"}[merge]
    [promised] = [
        line.split("|")[4].strip()
        for line in page("bench/RESULTS.md").splitlines()
        if line.startswith(f"| {what} |")
    ]
    assert promised == f"{hops}, {megabytes:.2f}"
