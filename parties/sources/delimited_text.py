"""Delimited text, such as CSV: read by the grammar of RFC 4180, all fields as texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.parties.sources.columns.collector import Collector
from ppaurora.parties.sources.columns.header import NAME_FOLDS, find, place_of
from ppaurora.parties.sources.engine.text_table import text_table
from ppaurora.parties.sources.labelled import Labelled, with_second
from ppaurora.parties.sources.source import UNIT, FileSource, Relation
from ppaurora.parties.sources.text.dialect import dialect_of
from ppaurora.parties.sources.text.records import blocks, line_of
from ppaurora.parties.sources.text.text_file import TextFile
from ppaurora.parties.study.study import Scores

__all__ = ["DelimitedText"]


@dataclass(frozen=True, slots=True)
class DelimitedText(FileSource):
    """A text file whose first line names the columns. Every row counts, no line is a comment."""

    endings: ClassVar[tuple[str, ...]] = ("",)
    title: ClassVar[str] = "a delimited text"
    leaks: ClassVar[str] = "nothing leaves this machine; the whole file is read here"
    cost: ClassVar[str] = "one pass over the file; 18 bytes of memory a row and score, about 30 MB"

    def read(self, scores: Scores, code: str = UNIT) -> Labelled:
        file = self._file
        dialect = dialect_of(file, self.columns.delimiter)
        label, *places = find(self.columns.of_study(scores), dialect.names, self.name)
        names = [name.strip() for name in dialect.names]
        lists = [
            Collector(
                self.name, scores, code, names[place], names[label],
                lambda offset: line_of(file, offset),
            )
            for place in places
        ]  # fmt: skip
        for block in blocks(file, dialect):
            for rows, place in zip(lists, places, strict=True):
                rows.add_texts(
                    block.fields(place), block.fields(label), self.columns.written, block.offsets
                )
        return with_second([rows.labelled() for rows in lists])

    def identifiers(self, column: str) -> list[str]:
        file = self._file
        dialect = dialect_of(file, self.columns.delimiter)
        place = place_of(column, dialect.names, self.name, NAME_FOLDS)
        return [
            fields.text(row)
            for block in blocks(file, dialect)
            for fields in [block.fields(place)]
            for row in range(len(fields))
        ]

    def relation(self) -> Relation:
        return text_table(self._file, self.columns.delimiter)

    @property
    def _file(self) -> TextFile:
        return TextFile(self.path, self.columns.encoding)
