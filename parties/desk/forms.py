"""Forms of the desk, and what it answers, as elements that a screen reader tells apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ppaurora.parties.reports.markup import Element, element
from ppaurora.protocols.option import Option


def form(action: str, button: str, *fields: Element | None) -> Element:
    """A form whose fields go to one action of the desk."""
    shown = [one for one in fields if one is not None]
    return element("form", *shown, element("button", button, type="submit"), data_do=action)


def text_field(
    name: str, label: str, value: str = "", *, hint: str = "", kind: str = "text"
) -> Element:
    """A line to be typed; a passphrase, where the `kind` is "password", is not kept."""
    at = f"field-{name}"
    return element(
        "div",
        element("label", label, for_=at),
        element(
            "input",
            id=at,
            name=name,
            type=kind,
            value=value,
            autocomplete="off",
            spellcheck="false",
            aria_describedby=f"{at}-hint" if hint else None,
        ),
        *([element("span", hint, class_="hint", id=f"{at}-hint")] if hint else []),
        class_="field",
    )


def choice(name: str, label: str, offered: Sequence[tuple[str, str]], chosen: str = "") -> Element:
    """One of several: each is a value and its words."""
    at = f"field-{name}"
    options = [
        element("option", words, value=value, selected="" if value == chosen else None)
        for value, words in offered
    ]
    return element(
        "div",
        element("label", label, for_=at),
        element("select", *options, id=at, name=name),
        class_="field",
    )


def tick(name: str, label: str, *, checked: bool = False, required: bool = False) -> Element:
    """A sentence to be agreed to."""
    return element(
        "label",
        element(
            "input",
            type="checkbox",
            name=name,
            value="yes",
            checked="" if checked else None,
            required="" if required else None,
        ),
        element("span", label),
        class_="tick",
    )


def file_field(give: str, label: str, accept: str) -> Element:
    """A place for a file, chosen or dropped there."""
    at = f"file-{give}"
    return element(
        "div",
        element("label", label, for_=at),
        element("input", type="file", id=at, accept=accept, data_give=give),
        class_="field drop",
    )


def option_field(option: Option, value: object) -> Element:
    """The field of a declared option, named as the command line names it."""
    hint = ". ".join(one for one in (option.detail, f"--{option.flag}") if one)
    label = option.title[:1].upper() + option.title[1:]
    if option.kind is bool:
        return tick(option.name, f"{label} (--{option.flag})", checked=bool(value))
    if option.choices:
        return choice(option.name, label, [(one, one) for one in option.choices], str(value))
    text = "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text_field(option.name, label, text, hint=hint)


def told(title: str, lines: Iterable[str], *, alarming: bool = False) -> Element:
    """Sentences that a screen reader tells at once: what was done, or what was not."""
    return element(
        "section",
        element("h2", title),
        *(element("p", line) for line in lines),
        class_="alarming" if alarming else "done",
        role="alert" if alarming else "status",
    )


def lines_list(lines: Iterable[str]) -> Element:
    """The lines that the command line prints, one below the other."""
    return element("ul", *(element("li", line.strip()) for line in lines), class_="lines")


def part(heading: str, *children: Element | None, key: str | None = None) -> Element:
    """A part of a view under its heading."""
    shown = [one for one in children if one is not None]
    return element("section", element("h2", heading), *shown, id=key)
