"""A report in a real browser: silent, asking for nothing, and readable by everybody.

`python3 scripts/browser.py` runs these; they need a browser and axe-core, and fail without.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora import Options
from ppaurora.parties.columns.column import Extras, Values
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.reports.files import page_of_text, write_report
from ppaurora.parties.simulation.simulate import Simulation, simulate
from ppaurora.protocols.analyses.comparison import ModelComparison
from ppaurora.protocols.analyses.cross_validation import CrossValidation
from ppaurora.protocols.analyses.subgroups import Subgroups
from tests.parties.reports.browsing import AUDIT, Browsing
from tests.parties.reports.documents import document, figures, hostile
from tests.parties.reports.test_trend import APRIL, FEBRUARY, JANUARY, trend
from tests.parties.world import generated

pytestmark = [pytest.mark.browser, pytest.mark.zeromq]

METRICS = ("auroc", "auroc_ci", "auroc_above:than=0.6", "aupr", "precision_at_top:k=10/20")
ANALYSES = ("validation", "comparison", "subgroups", "cross-validation", "noisy")
PAGES = ("real", "full", "figures", "hostile", *ANALYSES)
A4_WIDTH = 665
"""Pixels between the margins of a page of paper."""
BROKEN = """
[...document.querySelectorAll('td, th, caption, figcaption')].flatMap(cell => {
    const found = [], walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) for (const word of walker.currentNode.data.matchAll(/[\\w.]+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const tops = new Set([...range.getClientRects()].map(one => Math.round(one.top)));
        if (tops.size > 1) found.push(word[0]);
    }
    return found;
})
"""
"""The words in tables and titles that are on two lines; a place for a break ends a word."""
SPLIT = """
[...document.querySelectorAll('.statistics, .points, figure, tr, dl')]
    .filter(one => getComputedStyle(one).breakInside !== 'avoid').length
"""
FOLDED_HEIGHTS = """
[...document.querySelectorAll('details')]
    .map(one => one.querySelector('table').checkVisibility({contentVisibilityAuto: true})
        ? one.getBoundingClientRect().height : 0)
"""
TOO_WIDE = """
[...document.querySelectorAll('table, svg, p, dl, ul')]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML)
"""


OVERPRINTED = """
[...document.querySelectorAll('svg')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text')].map(one => one.getBoundingClientRect());
    const own = svg.getBoundingClientRect();
    const outside = boxes.filter(one => one.left < own.left - 1 || one.right > own.right + 1);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    const over = boxes.filter((a, at) => boxes.slice(at + 1).some(b => meet(a, b)));
    return outside.length + over.length ? [svg.querySelector('title').textContent] : [];
})
"""
"""The titles of drawings in which a text lies on another one, or is cut off."""
SMALLEST = """
Math.min(...[...document.querySelectorAll('svg')].flatMap(svg => {
    const unit = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const texts = unit ? [...svg.querySelectorAll('text')] : [];
    return texts.map(one => parseFloat(getComputedStyle(one).fontSize) * unit);
}))
"""
"""The size in pixels of the smallest letters of all drawings that are shown."""
SHOWN_DRAWINGS = """
[...document.querySelectorAll('figure')].map(one => [...one.querySelectorAll('svg')]
    .filter(svg => svg.checkVisibility()).map(svg => svg.getAttribute('class')).join())
"""
LEAST_LETTER = 9
"""Pixels."""
DRAWN = ("figures", "full", "validation", "comparison", "subgroups", "trend")
"""Pages with every kind of drawing."""


@pytest.fixture(scope="module", name="pages")
def _pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of real studies, one with everything, and one by people who mean harm."""
    folder = tmp_path_factory.mktemp("pages")
    real = simulate([generated(60, seed=1), generated(50, seed=2)], Options(metrics=METRICS))
    texts = {
        "real": real.result.to_json(),
        "full": json.dumps(document()),
        "figures": json.dumps(figures()),
        "hostile": json.dumps(hostile()),
    }
    texts |= {name: _of_analysis(name).result.to_json() for name in ANALYSES}
    made = {name: page_of_text(text) for name, text in texts.items()}
    made["trend"] = trend(JANUARY, FEBRUARY, APRIL)
    return {
        name: next(write_report(page, html=folder / f"{name}.html")) for name, page in made.items()
    }


def _of_analysis(name: str) -> Simulation:
    """A study of three owners that asks this question."""
    compared, folded = name == ModelComparison.name, name == CrossValidation.name
    lists = []
    for size in (120, 150, 180):
        one, other = generated(size, seed=size), generated(size, seed=size + 1)
        extra: dict[str, Values] = {}
        if compared:
            extra |= {"old": other.scores, "older": other.scores[::-1]}
        if folded:
            extra["patient"] = [f"{size}-{row}" for row in range(size)]
        if name == Subgroups.name:
            extra["ward"] = [("north", "south")[row % 2] for row in range(size)]
        lists.append(replace(one, extra=extra))
    columns: Extras = ()
    if folded:
        columns = (FoldBy(column="patient"),)
    if name == Subgroups.name:
        columns = (GroupBy(column="ward"),)
    return simulate(
        lists,
        Options(
            analysis=name,
            folds=3 if folded else 0,
            against=("old", "older") if compared else (),
        ),
        extra=columns,
    )


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("light", "print")]
)
def test_a_report_is_silent_asks_for_nothing_and_is_readable_by_everybody(
    browsing: Browsing, axe: str, pages: dict[str, Path], name: str, scheme: str, media: str
) -> None:
    browsing.show(scheme, media)
    browsing.open(pages[name])
    assert browsing.evaluate("getComputedStyle(document.body).margin") == "0px", "it has its style"
    assert browsing.said == []
    assert browsing.requested == [pages[name].as_uri()]
    browsing.evaluate(axe)
    assert browsing.evaluate(AUDIT) == []


@pytest.mark.parametrize("name", DRAWN)
def test_every_text_of_a_figure_can_be_read_on_screens_of_any_width(
    browsing: Browsing, pages: dict[str, Path], name: str
) -> None:
    """None lies on another one, is cut off or has letters that are too small."""
    for width in (320, 400, 500, 560, A4_WIDTH, 1000):
        browsing.show(width=width)
        browsing.open(pages[name])
        form = "chart wide" if width > 544 else "chart narrow"
        shown = browsing.evaluate(SHOWN_DRAWINGS)
        assert shown
        assert {*shown} == {form}, width
        assert browsing.evaluate(OVERPRINTED) == [], width
        assert browsing.evaluate(SMALLEST) >= LEAST_LETTER, width


def test_paper_has_the_wide_form_of_a_figure(browsing: Browsing, pages: dict[str, Path]) -> None:
    browsing.show(media="print", width=500)
    browsing.open(pages["figures"])
    assert {*browsing.evaluate(SHOWN_DRAWINGS)} == {"chart wide"}


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_window_needs_no_scrolling_sideways(
    browsing: Browsing, pages: dict[str, Path], name: str
) -> None:
    browsing.show(width=320)
    browsing.open(pages[name])
    assert browsing.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 500, 320])
def test_no_word_and_no_number_is_broken_in_tables_and_titles(
    browsing: Browsing, pages: dict[str, Path], name: str, width: int
) -> None:
    browsing.show(width=width)
    browsing.open(pages[name])
    assert browsing.evaluate(BROKEN) == []


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_cut_and_no_figure_or_row_is_on_two_pages(
    browsing: Browsing, pages: dict[str, Path], name: str
) -> None:
    browsing.show(media="print", width=A4_WIDTH)
    browsing.open(pages[name])
    assert browsing.evaluate(TOO_WIDE) == []
    assert browsing.evaluate(SPLIT) == 0
    assert browsing.evaluate(BROKEN) == []


def test_folded_tables_are_open_on_paper(browsing: Browsing, pages: dict[str, Path]) -> None:
    seen = []
    for media in ("screen", "print"):
        browsing.show(media=media)
        browsing.open(pages["validation"])
        seen.append(browsing.evaluate(FOLDED_HEIGHTS))
    assert len(seen[0]) == len(seen[1]) == 2
    assert not any(seen[0])
    assert all(height > 100 for height in seen[1])


def test_dark_and_light_differ(browsing: Browsing, pages: dict[str, Path]) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        browsing.show(scheme)
        browsing.open(pages["real"])
        grounds.append(browsing.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(21, 25, 30)"]


def test_what_is_smuggled_into_a_report_is_stopped_and_noticed(
    browsing: Browsing, axe: str, pages: dict[str, Path], tmp_path: Path
) -> None:
    smuggled = (
        '<img src="http://127.0.0.1:9/x"><script>document.title = "run"</script>'
        '<p style="color: #eee">hardly to be read</p></body>'
    )
    spoilt = tmp_path / "spoilt.html"
    spoilt.write_text(pages["real"].read_text().replace("</body>", smuggled))
    browsing.show()
    browsing.open(spoilt)
    assert browsing.evaluate("document.title") != "run"
    assert len(browsing.said) >= 3
    browsing.evaluate(axe)
    assert "image-alt" in [found[0] for found in browsing.evaluate(AUDIT)]


def test_a_report_is_printed_by_the_browser(pages: dict[str, Path], tmp_path: Path) -> None:
    page = page_of_text(json.dumps(document()))
    (made,) = write_report(page, pdf=tmp_path / "report.pdf")
    assert made.read_bytes().startswith(b"%PDF-")
    assert made.stat().st_mode & 0o077 == 0
