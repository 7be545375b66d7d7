"""Every link between the project's pages leads somewhere, and every page can be found."""

from __future__ import annotations

import re

import pytest

from tests.docs.tree import HOME, texts

PAGES = {name: text for name, text in texts() if name.endswith(".md")}
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def slug(heading: str) -> str:
    """The anchor that a code host gives to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")


def anchors(text: str) -> set[str]:
    outside = re.sub(r"```.*?```", "", text, flags=re.S)
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", outside, re.M)}


def links(text: str) -> list[str]:
    return [one for one in LINK.findall(CODE.sub("", text)) if "://" not in one]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_link_of_a_page_leads_somewhere(name: str) -> None:
    lost = []
    for link in links(PAGES[name]):
        path, _, anchor = link.partition("#")
        target = (HOME / name).parent / path if path else HOME / name
        known = target.resolve().relative_to(HOME).as_posix() if target.exists() else ""
        if not known or (anchor and anchor not in anchors(PAGES[known])):
            lost.append(link)
    assert lost == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    found, new = set(), {"README.md"}
    while new:
        found |= new
        targets = set()
        for name in new:
            for link in links(PAGES[name]):
                path = (HOME / name).parent / link.partition("#")[0]
                if path.suffix == ".md":
                    targets.add(path.resolve().relative_to(HOME).as_posix())
        new = targets - found
    assert found == set(PAGES)
