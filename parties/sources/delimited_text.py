"""Delimited text, such as CSV: read by the grammar of RFC 4180, all fields as texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.parties.sources.columns.collector import Collector
from ppaurora.parties.sources.columns.header import find
from ppaurora.parties.sources.engine.text_table import text_table
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import UNIT, FileSource, Relation
from ppaurora.parties.sources.text.dialect import dialect_of
from ppaurora.parties.sources.text.records import blocks, line_of
from ppaurora.parties.study.study import Scores

__all__ = ["DelimitedText"]


@dataclass(frozen=True, slots=True)
class DelimitedText(FileSource):
    """A text file whose first line names the columns. Every row counts, no line is a comment."""

    endings: ClassVar[tuple[str, ...]] = ("",)
    title: ClassVar[str] = "a delimited text"
    leaks: ClassVar[str] = "nothing leaves this machine; the whole file is read here"
    cost: ClassVar[str] = "one pass over the file; 18 bytes of memory a row and about 70 MB"

    def read(self, scores: Scores, code: str = UNIT) -> Labelled:
        dialect = dialect_of(self.path, self.columns.delimiter)
        score, label = find(self.columns, dialect.names, self.name)
        names = dialect.names[score].strip(), dialect.names[label].strip()
        rows = Collector(self.name, scores, code, *names, lambda offset: line_of(self.path, offset))
        for block in blocks(self.path, dialect):
            rows.add_texts(block.fields(score), block.fields(label), block.offsets)
        return rows.labelled()

    def relation(self) -> Relation:
        return text_table(self.path, self.columns.delimiter)
