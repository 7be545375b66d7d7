"""Whatever a text holds, the parsed page has it as a text: markup cannot be smuggled in."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.printable import printable
from ppaurora.parties.reports.markup import Element, element, style_sheet, written


class Reader(HTMLParser):
    """A parser of what a browser would see: tags with attributes, and texts."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.texts = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.texts += data


def shown(one: Element) -> str:
    return "".join(written(one))


@given(st.text(), st.text())
def test_any_text_stays_a_text_and_any_attribute_an_attribute(text: str, value: str) -> None:
    read = Reader(shown(element("p", text, title=value)))
    assert read.tags == [("p", [("title", printable(value, len(value)))])]
    assert read.texts == printable(text, len(text))


def test_control_characters_and_turned_writing_never_reach_the_page() -> None:
    markup = shown(element("p", "a\x00\x1b\u202eb", title="\x9c\u2066"))
    assert markup == '<p title="??">a???b</p>'


def test_an_element_without_content_has_no_end() -> None:
    assert shown(element("p", element("wbr"), "x")) == "<p><wbr>x</p>"


def test_an_absent_attribute_is_left_out_and_numbers_are_short() -> None:
    assert shown(element("g", x=1.50001, y=2, class_=None)) == '<g x="1.5" y="2"></g>'


@pytest.mark.parametrize("name", ["", "a b", "1", "a>", 'a"', "a/"])
def test_a_tag_or_attribute_must_have_a_plain_name(name: str) -> None:
    with pytest.raises(LocalProtocolError):
        element(name)
    with pytest.raises(LocalProtocolError):
        element("p", **{name: "x"})


def test_only_a_style_sheet_without_tags_is_written_as_it_is() -> None:
    assert shown(style_sheet("a > b { }")) == "<style>a > b { }</style>"
    with pytest.raises(LocalProtocolError):
        style_sheet("</style><script>")
    with pytest.raises(LocalProtocolError):
        element("style", "a")
