"""Papers are cited by the keys of docs/PAPERS.md, and what is cited stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.docs.tree import HOME, page, texts

KEYS = ("ppAURORA", "ROC-GLM", "Thesis", "tpAUC", "Folds")
BY_NUMBER = re.compile(r"[Pp]aper 0\d|\b00[0-4], (?:section|[AE]lgorithm|Table|Eq)")
ERRATUM = re.compile(r"\berrat(?:um|a) (\d+(?:(?:, | and |, and )\d+)*)")
PLACE = r"(?:Alg|Eq|Fig|Tables?|Thm|Lemma|Def|Cor|section|chapter|errat(?:um|a))\b"
CITATION = re.compile(r"\[([A-Za-z][\w-]*), ([^\[\]]*)\]")
WORDS = re.compile(r"\s*\n[ \t]*#?[ \t]*")


def one_line(text: str) -> str:
    """The text with line breaks as spaces: a citation may run over the end of a line."""
    return WORDS.sub(" ", text)


def citations() -> Iterator[tuple[str, str, str]]:
    """Every citation in the tree: the file, the key and the place."""
    for name, text in texts():
        for key, place in CITATION.findall(one_line(text)):
            if key in KEYS or re.match(PLACE, place):
                yield name, key, place


def numbers(place: str) -> list[int]:
    """The errata that a place names."""
    return [int(n) for found in ERRATUM.findall(place) for n in re.findall(r"\d+", found)]


def errata() -> dict[str, list[int]]:
    """The numbers of each paper's errata, in the order of the page."""
    headings = re.findall(r"^### \[([\w-]+), erratum (\d+)\] \S", page("docs/PAPERS.md"), re.M)
    return {key: [int(number) for found, number in headings if found == key] for key in KEYS}


def test_no_paper_is_cited_by_a_number() -> None:
    found = [(name, match) for name, text in texts() for match in BY_NUMBER.findall(text)]
    assert not found, "cite by key, as docs/PAPERS.md says"


def test_every_erratum_is_cited_with_its_paper() -> None:
    bare = []
    for name, text in texts():
        line = one_line(text)
        inside = [match.span() for match in CITATION.finditer(line) if match[1] in KEYS]
        bare += [
            (name, match[0])
            for match in ERRATUM.finditer(line)
            if not any(start < match.start() < stop for start, stop in inside)
        ]
    assert not bare, "write it as [ppAURORA, erratum 1]"


def test_every_key_that_is_cited_stands_on_the_page() -> None:
    cited = {key: name for name, key, _ in citations()}
    assert cited.keys() <= set(KEYS), cited
    assert "ppAURORA" in cited
    for key in KEYS:
        assert f"\n### [{key}]\n" in page("docs/PAPERS.md")


def test_every_erratum_that_is_cited_stands_on_the_page() -> None:
    there = errata()
    cited = [(name, key, number) for name, key, place in citations() for number in numbers(place)]
    assert [one for one in cited if one[2] not in there[one[1]]] == []
    in_code = {(key, number) for name, key, number in cited if name.endswith(".py")}
    assert ("ppAURORA", 3) in in_code


def test_the_errata_of_each_paper_are_numbered_from_one() -> None:
    for key, found in errata().items():
        assert found == list(range(1, len(found) + 1)), key
        assert found


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([\w./]+(?:\.py|\.csv|/))`", page("docs/PAPERS.md"))
    assert len(named) > 20
    assert [path for path in named if not (HOME / path).exists()] == []


OTHER_WORKS = re.findall(
    r"^\| ([^|]+) \| [^|]+ \| `([\w./]+\.py)` \|$", page("docs/PAPERS.md"), re.M
)


@pytest.mark.parametrize(("work", "path"), OTHER_WORKS)
def test_other_works_are_named_where_the_page_says(work: str, path: str) -> None:
    assert work in page(path)


def test_other_works_are_listed() -> None:
    assert {work for work, _ in OTHER_WORKS} >= {"SecureNN", "Beaver", "Batcher"}
