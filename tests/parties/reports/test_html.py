"""The HTML file fetches nothing, runs nothing, can be read aloud, and is always the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.html import html_of
from tests.parties.reports.documents import SHOWN, document, hostile
from tests.parties.reports.test_markup import Reader

REACHING_OUT = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping"}
RUNNING = {"script", "iframe", "object", "embed", "link", "base", "form", "img", "foreignobject"}


def made(content: dict[str, Any]) -> str:
    return html_of(page_of_text(json.dumps(content)))


def test_the_same_result_is_the_same_bytes() -> None:
    assert made(document()) == made(document())


def test_nothing_runs_and_nothing_is_fetched() -> None:
    for content in (document(), hostile()):
        markup = made(content)
        read = Reader(markup)
        assert not RUNNING & {tag for tag, _ in read.tags}
        attributes = [(name, value or "") for _, given in read.tags for name, value in given]
        assert not REACHING_OUT & {name for name, _ in attributes}
        assert not [name for name, _ in attributes if name.startswith("on") or name == "style"]
        links = [value for name, value in attributes if name == "href"]
        assert links
        assert all(link.startswith("#") for link in links)
        assert "url(" not in markup
        assert "@import" not in markup


def test_the_policy_allows_this_style_sheet_and_nothing_else() -> None:
    markup = made(document())
    policy = next(
        dict(given)["content"]
        for tag, given in Reader(markup).tags
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in given
    )
    style = re.search("<style>(.*?)</style>", markup, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy is not None
    assert policy.split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert "unsafe" not in policy


def test_hostile_names_are_shown_and_do_nothing() -> None:
    plain, evil = Reader(made(document())), Reader(made(hostile()))
    assert {tag for tag, _ in evil.tags} == {tag for tag, _ in plain.tags}
    assert evil.texts.count(SHOWN) > 15
    assert "\x1b" not in made(hostile())


def test_tables_have_captions_and_headers_and_figures_are_described() -> None:
    read = Reader(made(document()))
    count = [tag for tag, _ in read.tags].count
    assert count("table") == count("caption") == count("thead") > 8
    headers = [dict(given) for tag, given in read.tags if tag == "th"]
    assert {given["scope"] for given in headers} == {"col", "row"}
    drawings = [dict(given) for tag, given in read.tags if tag == "svg"]
    assert count("figure") == count("figcaption") == 5
    assert [one["class"] for one in drawings] == ["chart wide", "chart narrow"] * 5
    ids = [value for _, given in read.tags for name, value in given if name == "id"]
    assert len(ids) == len(set(ids))
    for drawing in drawings:
        assert drawing["role"] == "img"
        named = (drawing["aria-labelledby"] or "").split()
        assert len(named) == 2
        assert set(named) <= set(ids)
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert count(landmark) == 1
