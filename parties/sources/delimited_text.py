"""Delimited text, such as CSV: read by the grammar of RFC 4180, all fields as texts.

For queries it is a table in which every column is a text and an empty field NULL. The file is first
read by our own rules, which refuse what is no table; DuckDB is then told everything that it would
otherwise guess, and has to find as many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ppaurora.parties.sources.columns.collector import Collector, collected
from ppaurora.parties.sources.engine.engine import literal, path_text
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import (
    NAME_EXTRA,
    FileSource,
    Relation,
    check_unique,
    find,
    place_of,
)
from ppaurora.parties.sources.text.records import blocks, dialect_of, line_of
from ppaurora.parties.sources.text.text_file import TextFile
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale


@dataclass(frozen=True, slots=True)
class DelimitedText(FileSource):
    """A text file whose first line names the columns. Every row counts, no line is a comment."""

    endings: ClassVar[tuple[str, ...]] = ("",)
    title: ClassVar[str] = "a delimited text"
    leaks: ClassVar[str] = "nothing leaves this machine; the whole file is read here"
    cost: ClassVar[str] = "one pass over the file; 18 bytes of memory a row and score, about 30 MB"

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        file = self._file
        dialect = dialect_of(file, self.columns.delimiter)
        label, *places = find(self.columns, dialect.names, self.name, extra)
        names = [name.strip() for name in dialect.names]
        lists = [
            Collector(
                self.name, self.columns, scores, scale, names[place], names[label],
                lambda offset: line_of(file, offset),
            )
            for place in places
        ]  # fmt: skip
        for block in blocks(file, dialect):
            for rows, place in zip(lists, places, strict=True):
                rows.add_texts(
                    block.fields(place),
                    block.fields(label),
                    self.columns.number_format,
                    block.offsets,
                )
        return collected(lists, extra)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        file = self._file
        dialect = dialect_of(file, self.columns.delimiter)
        place = place_of(self.columns.own_name(column), dialect.names, self.name, NAME_EXTRA)
        found = [
            fields.text(row)
            for block in blocks(file, dialect)
            for fields in [block.fields(place)]
            for row in range(len(fields))
        ]
        # a sign of percent belongs to the scores
        form = replace(self.columns.number_format, percent=False)
        if not numbers or not form.stated:
            return found
        return [form.plain(text.strip()) or text for text in found]

    def relation(self) -> Relation:
        return text_table(self._file, self.columns.delimiter)

    @property
    def _file(self) -> TextFile:
        return TextFile(self.path, self.columns.encoding)


def text_table(file: TextFile, delimiter: str = "") -> Relation:
    """The file as DuckDB sees it; a column without a name is called by its place, as `column1`."""
    dialect = dialect_of(file, delimiter)
    names = [name.strip() or f"column{place}" for place, name in enumerate(dialect.names, start=1)]
    check_unique(names, str(file))
    rows = sum(len(block) for block in blocks(file, dialect))
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    options = {
        "auto_detect": "false",
        "columns": f"{{{columns}}}",
        "header": "true",
        "skip": "0",
        "delim": literal(dialect.delimiter),
        "quote": "'\"'",
        "escape": "'\"'",
        "comment": "''",
        "nullstr": "''",
        "encoding": literal(file.encoding),
        "compression": "'gzip'" if file.packed else "'none'",
        "strict_mode": "true",
        "null_padding": "false",
        "ignore_errors": "false",
        "normalize_names": "false",
        "filename": "false",
        "union_by_name": "false",
        "hive_partitioning": "false",
    }
    stated = ", ".join(f"{name} = {value}" for name, value in options.items())
    return Relation(f"read_csv({path_text(file.path)}, {stated})", (file.path,), rows)
