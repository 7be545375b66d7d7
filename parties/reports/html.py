"""A report as one HTML file: no script, nothing fetched, for eyes, screen readers and paper.

The Content-Security-Policy in it allows the style sheet of this very text, by its digest, and
nothing else. The same report is the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import singledispatch
from importlib.resources import files

from ppaurora.parties.reports.markup import Element, element, style_sheet, written
from ppaurora.parties.reports.model import (
    Bullets,
    Caterpillar,
    Chart,
    Facts,
    Page,
    Paragraph,
    Piece,
    Section,
    Sheet,
)
from ppaurora.parties.reports.names import heading
from ppaurora.parties.reports.svg import chart_style, figures

FOLDED = 10
"""Longer tables of points are folded away."""
PRINTED = 100
"""Longer ones stay folded on paper, too."""
JOINT = re.compile(r"(?:(?<=[_:,/=])|(?<=\S\())(?=[^\s_:,(/=])|(?<=[a-z]\.)(?=[a-z])")
"""Places within a word at which it may be broken: never within a number."""
RUN = re.compile(r"(\S{20})(?=\S)")
"""So many letters of a longer word stay together."""
WHOLE = re.compile(
    r"\(?-?[0-9.]+ to -?[0-9.]+\)?|\(?\b(?:SE|z|p) -?[0-9.]+\)?|\(?[0-9.]+% CI\)?|[0-9.]+ %"
    r"|[0-9]+ rows?, below"
)
"""Numbers with what belongs to them, within which no line ends."""
PROSE = 40
"""Cells with more letters than this are sentences, whose column needs some width."""
FOOTER = (
    "Made by ppaurora from a result document. Whoever has that document can make this report "
    "again, to the last byte, with the same version of the program."
)


def html_of(page: Page) -> str:
    """The page as one HTML file."""
    style = report_style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    root = element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="referrer", content="no-referrer"),
            element("title", f"{page.title} - ppAURORA report"),
            style_sheet(style),
        ),
        element(
            "body",
            element(
                "header",
                element("h1", page.title),
                element("p", page.subtitle, class_="subtitle"),
            ),
            _contents(page),
            element("main", *map(section_element, page.sections)),
            element("footer", element("p", FOOTER)),
        ),
        lang="en",
    )
    return "<!DOCTYPE html>\n" + "".join(written(root)) + "\n"


def section_markup(section: Section) -> str:
    """One section by itself, for a page that somebody else makes."""
    return "".join(written(section_element(section)))


def report_style() -> str:
    """The style sheet of reports, for a page with more of its own."""
    page = (files("ppaurora.parties.reports") / "page.css").read_text(encoding="utf-8")
    return page + chart_style()


def _contents(page: Page) -> Element:
    entries = (
        element("li", element("a", section.heading, href=f"#{section.key}"))
        for section in page.sections
    )
    return element("nav", element("ul", *entries), aria_label="Contents")


def section_element(section: Section) -> Element:
    """One section as an element of another page."""
    heading = f"heading-{section.key}"
    return element(
        "section",
        element("h2", section.heading, id=heading),
        *(one for piece in section.pieces for one in _elements(piece)),
        id=section.key,
        class_="alarming" if section.alarming else None,
        aria_labelledby=heading,
    )


@singledispatch
def _elements(piece: Piece) -> Iterator[Element]:
    """One piece of the page as HTML elements."""
    raise NotImplementedError


@_elements.register
def _(piece: Paragraph) -> Iterator[Element]:
    yield element("p", piece.text)


@_elements.register
def _(piece: Bullets) -> Iterator[Element]:
    if piece.lead:
        yield element("p", piece.lead, class_="lead")
    yield element("ul", *(element("li", item) for item in piece.items))


@_elements.register
def _(piece: Facts) -> Iterator[Element]:
    pairs = (
        one for name, text in piece.pairs for one in (element("dt", name), element("dd", text))
    )
    yield element("dl", *pairs)


@_elements.register
def _(piece: Sheet) -> Iterator[Element]:
    points = len(piece.numbers) == len(piece.columns)
    head = element(
        "tr",
        *(
            element(
                "th",
                *_breakable(heading(name) if points else name),
                scope="col",
                class_="number" if at in piece.numbers else None,
            )
            for at, name in enumerate(piece.columns)
        ),
    )
    kind = "points" if points else "statistics" if piece.name == "statistics" else None
    sheet = element(
        "div",
        element(
            "table",
            element("caption", piece.caption),
            element("thead", head),
            element("tbody", *(_row(piece, row) for row in piece.rows)),
            class_=kind,
        ),
        class_="sheet",
        tabindex=0,
        role="group",
        aria_label=f"Table: {piece.caption}",
    )
    if points and len(piece.rows) > FOLDED:
        summary = element("summary", f"{piece.caption} ({len(piece.rows)} rows)")
        printed = "printed" if len(piece.rows) <= PRINTED else None
        sheet = element("details", summary, sheet, class_=printed)
    yield sheet


@_elements.register(Chart)
@_elements.register(Caterpillar)
def _(piece: Chart | Caterpillar) -> Iterator[Element]:
    yield element("figure", element("figcaption", *_breakable(piece.title)), *figures(piece))


def _row(piece: Sheet, row: tuple[str, ...]) -> Element:
    """A row of a table; its first cell is its heading."""
    cells = []
    for at, cell in enumerate(row):
        kind = "number" if at in piece.numbers else "prose" if len(cell) > PROSE else None
        tag, scope = ("th", "row") if at == 0 else ("td", None)
        cells.append(element(tag, *_breakable(cell), scope=scope, class_=kind))
    return element("tr", *cells)


def _breakable(text: str) -> Iterator[Element | str]:
    """A text whose numbers hold together, and whose long words may be broken at their joints."""
    start = 0
    for whole in WHOLE.finditer(text):
        yield from _words(text[start : whole.start()])
        yield element("span", whole[0], class_="whole")
        start = whole.end()
    yield from _words(text[start:])


def _words(text: str) -> Iterator[Element | str]:
    """The text with a place for a break at each joint, and within each run of letters."""
    for at, part in enumerate(JOINT.split(text)):
        if at:
            yield element("wbr")
        for again, run in enumerate(RUN.split(part)):
            yield run
            if again % 2:
                yield element("wbr")
