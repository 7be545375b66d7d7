"""HTML and SVG as trees of elements: whatever is no element is text, and text is escaped.

Nothing in a report is ever pasted together from strings. A name that looks like markup is shown as
it is written, and a control character becomes a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.printable import printable

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
EMPTY = {"input", "meta", "wbr"}
STYLE = "style"


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with attributes, and what stands in it."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Element | str, ...]


def element(
    tag: str, /, *children: Element | str, **attributes: str | float | int | None
) -> Element:
    """An element; `class_` and `for_` lose their line, `stroke_width` gets a hyphen.

    An attribute that is None is left out.

    >>> "".join(written(element("p", "1 < 2 & ", element("b", "x"), class_="note")))
    '<p class="note">1 &lt; 2 &amp; <b>x</b></p>'
    """
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    for name in (tag, *named):
        if not NAME.fullmatch(name):
            raise LocalProtocolError("an element or attribute whose name is none")
    if tag == STYLE:
        raise LocalProtocolError("a style sheet that is not made by style_sheet")
    kept = tuple((key, _plain(value)) for key, value in named.items() if value is not None)
    return Element(tag, kept, children)


def style_sheet(text: str) -> Element:
    """The one element whose text is not escaped: it must hold no tag."""
    if "<" in text:
        raise LocalProtocolError("a style sheet with a tag in it")
    return Element(STYLE, (), (text,))


def written(one: Element | str) -> Iterator[str]:
    """The markup of an element or a text, piece by piece."""
    if isinstance(one, str):
        yield escape(printable(one, len(one)), quote=False)
        return
    attributes = "".join(
        f' {name}="{escape(printable(value, len(value)))}"' for name, value in one.attributes
    )
    yield f"<{one.tag}{attributes}>"
    if one.tag in EMPTY:
        return
    for child in one.children:
        if one.tag == STYLE:
            yield str(child)
        else:
            yield from written(child)
    yield f"</{one.tag}>"


def _plain(value: str | float | int) -> str:
    """A number with as many digits as a drawing needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
