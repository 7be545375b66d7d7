"""The project's own description: one version, five papers, a workflow that runs the scripts."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from tests.docs.tree import HOME, page

PROJECT = tomllib.loads(page("pyproject.toml"))["project"]
CITATION = yaml.safe_load(page("CITATION.cff"))


def plain(text: str) -> str:
    """The text on one line, without emphasis."""
    return " ".join(text.replace("*", "").split())


def test_the_citation_has_the_version_and_the_licence_of_the_package() -> None:
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"]


def test_the_parts_for_other_frameworks_have_the_version_of_the_package() -> None:
    app = tomllib.loads(page("integrations/flower/pyproject.toml"))["project"]
    assert app["version"] == PROJECT["version"]
    assert f"\nVersion: {PROJECT['version']}\n" in page("integrations/r/DESCRIPTION")


def test_the_citation_names_the_five_papers_as_their_page_does() -> None:
    papers = page("docs/PAPERS.md").partition("## The five papers")[2].partition("\n## ")[0]
    told = [plain(part) for part in papers.split("\n### ")[1:]]
    assert len(told) == len(CITATION["references"]) == 5
    for part, paper in zip(told, CITATION["references"], strict=True):
        assert f"{paper['title']}." in part
        assert paper.get("doi", "") in part
        assert all(one.get("family-names", "") in part for one in paper["authors"])
        assert str(paper.get("year", "")) in part


def test_the_workflow_calls_the_scripts_that_run_anywhere() -> None:
    jobs = yaml.safe_load(page(".github/workflows/ci.yml"))["jobs"]
    called = [job["steps"][-1]["run"].split()[-1] for job in jobs.values()]
    assert called == [".ci/run", ".ci/weekly"]
    assert all((HOME / script).stat().st_mode & 0o111 for script in called)


def test_the_weekly_run_is_over_after_three_hours() -> None:
    minutes = re.findall(r"^ *part \w+ (\d+) ", page(".ci/weekly"), re.M)
    assert len(minutes) == 7
    assert sum(map(int, minutes)) <= 180


@pytest.mark.parametrize("kind", ["browser", "engines"])
def test_the_run_for_every_change_names_the_folders_of_tests_in(kind: str) -> None:
    """It collects no others, which takes longer than to run these."""
    [told] = re.findall(rf"^python3 scripts/{kind}\.py (.+)$", page(".ci/run"), re.M)
    named = [HOME / folder for folder in told.split()]
    marked = [
        path
        for path in (HOME / "tests").rglob("test_*.py")
        if f"pytest.mark.{kind}" in path.read_text(encoding="utf-8")
    ]
    assert len(marked) >= len(named)
    assert all(any(path.is_relative_to(folder) for folder in named) for path in marked)
