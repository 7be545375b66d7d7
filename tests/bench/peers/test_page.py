"""The section of the page: both tables, the commit above them, and nothing else of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.measure.report import Report
from ppaurora.bench.peers import page
from ppaurora.bench.peers.contestants import CONTESTANTS
from ppaurora.bench.peers.side_by_side import OWN, terms_of
from tests.bench.peers.test_lines import row, run
from tests.docs.test_commits import NAMED, tables

PAGE = (
    "# Results\n\n## Peers\n\nThe text before.\n\n### Earlier\n\nkept\n\n## Kernels\n\nkept too\n"
)


def report() -> Report:
    made = Report("peers", command="bench peers --layouts 3x64")
    made.head |= {"commit": "0123456", "layouts": ["3x64"], "absent": {"mpyc": "no wheel"}}
    for name in ("ppaurora", "spu merge"):
        made.add(row("3x64", name), run(1.0))
    return made


def test_the_section_names_its_commit_its_command_and_who_is_absent() -> None:
    text = page.section(report())
    assert "`ppaurora bench peers --layouts 3x64`" in text
    assert "mpyc: no wheel" in text
    assert all(NAMED.search(above) for _, above in tables(text))


def test_every_contestant_of_the_section_has_its_terms_in_it() -> None:
    text = page.section(report())
    assert f"| spu merge | {terms_of('spu merge').computes} |" in text
    assert "| mpyc merge |" not in text


@pytest.mark.parametrize("name", [*OWN, *CONTESTANTS])
def test_terms_say_what_is_computed_with_whom_and_what_is_revealed(name: str) -> None:
    terms = terms_of(name)
    assert all((terms.computes, terms.parties, terms.reveals, terms.links))
    assert "|" not in "".join((terms.computes, terms.parties, terms.reveals, terms.links))


def test_only_the_section_is_written_anew(tmp_path: Path) -> None:
    at = tmp_path / "RESULTS.md"
    at.write_text(PAGE)
    page.write(report(), at)
    once = at.read_text()
    assert "The text before" not in once
    assert once.startswith("# Results\n\n## Peers\n\nCommit 0123456")
    assert once.endswith("\n\n### Earlier\n\nkept\n\n## Kernels\n\nkept too\n")
    page.write(report(), at)
    assert at.read_text() == once


def test_a_page_without_the_heading_is_refused() -> None:
    with pytest.raises(ReportRefused, match="no heading ## Peers"):
        page.written("# Results\n", "new")
