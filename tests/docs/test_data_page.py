"""The page on lists names every ending by which a source of files is chosen."""

from __future__ import annotations

from ppaurora.parties.sources.reader import sources
from ppaurora.parties.sources.source import FileSource
from tests.docs.tree import page

ANY_FILE, ANY_FOLDER = "", "/"


def test_the_page_names_every_ending_of_a_file() -> None:
    told = page("docs/DATA.md")
    endings = {
        ending for one in sources() if issubclass(one, FileSource) for ending in one.endings
    } - {ANY_FILE, ANY_FOLDER}
    assert ".parquet" in endings
    assert [ending for ending in sorted(endings) if f"`{ending}`" not in told] == []
