"""A Parquet file, or a folder of them as clusters write: each file by itself, in order of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import duckdb

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.counted import Counted, added
from ppaurora.parties.sources.engine.engine import engine, path_text, run
from ppaurora.parties.sources.engine.typed_columns import counted, identifier_column, labelled
from ppaurora.parties.sources.labelled import Labelled, joined
from ppaurora.parties.sources.source import FileSource, Relation, check_unique
from ppaurora.parties.sources.text.text_file import check_file
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

GUESSES_OFF = "hive_partitioning = false, union_by_name = false, filename = false"
MARK = b"PAR1"


@dataclass(frozen=True, slots=True)
class ParquetFiles(FileSource):
    """A Parquet file or a folder of them. No column ever comes from a folder's name."""

    endings: ClassVar[tuple[str, ...]] = (".parquet", ".pq", "/")
    title: ClassVar[str] = "Parquet"
    leaks: ClassVar[str] = "nothing leaves this machine; two or three columns are read here"
    cost: ClassVar[str] = "one pass over them; about 50 bytes of memory a row while reading"
    counting: ClassVar[str] = "DuckDB counts here, in one pass; no row is kept in memory"

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        return joined([self._read(file, scores, scale, extra) for file in self.files()])

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        own = self.columns.own_name(column)
        return [text for file in self.files() for text in self._texts(file, own, numbers)]

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        return added([self._count(file, scores, grid, scale) for file in self.files()])

    def relation(self) -> Relation:
        files = self.files()
        names, *others = [_names_and_types(file) for file in files]
        if any(other != names for other in others):
            raise DataError(
                f"The files of {self.path} do not all have the same columns of the same types",
                advice="Write them again by one program, or give the folder without --sql.",
            )
        check_unique([name for name, _ in names], self.name)
        paths = ", ".join(path_text(file) for file in files)
        return Relation(f"read_parquet([{paths}], {GUESSES_OFF})", files)

    def files(self) -> tuple[Path, ...]:
        """The Parquet files, in order of their names.

        Of a folder names that begin with _ or . are left out, as clusters mark their own files.
        Anything else that is no Parquet file is refused, folders of partitions too: they hold
        values in their names.
        """
        if not self.path.is_dir():
            _check_parquet(self.path)
            return (self.path,)
        files = sorted(one for one in self.path.iterdir() if one.name[0] not in "_.")
        for file in files:
            if file.is_dir():
                raise DataError(
                    f"{self.path} holds the folder {file.name}, so it is no plain folder of files",
                    advice="Write the list without partitions.",
                )
            if not file.name.lower().endswith(self.endings[:-1]):
                raise DataError(
                    f"{self.path} holds {file.name}, which is no Parquet file by its name",
                    advice="Give a folder that holds the list's Parquet files only.",
                )
            _check_parquet(file)
        if not files:
            raise DataError(
                f"{self.path} is a folder without Parquet files",
                advice="Give the file or the folder that holds your list.",
            )
        return tuple(files)

    def _read(self, file: Path, scores: Scores, scale: Scale, extra: Sequence[str]) -> Labelled:
        with engine({"list": _relation(file)}) as connection:
            names = _names(connection, file)
            query = "SELECT * FROM list"
            return labelled(connection, query, str(file), self.columns, scores, scale, names, extra)

    def _texts(self, file: Path, column: str, numbers: bool) -> list[str]:
        with engine({"list": _relation(file)}) as connection:
            names = _names(connection, file)
            return identifier_column(connection, "list", names, column, str(file), numbers=numbers)

    def _count(self, file: Path, scores: Scores, grid: Grid, scale: Scale) -> Counted:
        with engine({"list": _relation(file)}) as connection:
            names = _names(connection, file)
            query = "SELECT * FROM list"
            return counted(
                connection, query, str(file), self.columns, scores, grid, names, scale=scale
            )


def _relation(file: Path) -> Relation:
    return Relation(f"read_parquet({path_text(file)}, {GUESSES_OFF})", (file,))


def _check_parquet(file: Path) -> None:
    check_file(file)
    with file.open("rb") as opened:
        if opened.read(len(MARK)) != MARK:
            raise DataError(
                f"{file} is no Parquet file, whatever its name says",
                advice="Give a Parquet file, or a text whose name ends in .csv.",
            )


def _names(connection: duckdb.DuckDBPyConnection, file: Path) -> list[str]:
    """The columns' names as the file has them: DuckDB renames one that it finds twice."""
    schema = f"SELECT name, num_children FROM parquet_schema({path_text(file)})"
    nodes = iter(run(connection, schema, str(file)).fetchall())

    def skip(children: int | None) -> None:
        for _ in range(children or 0):
            skip(next(nodes)[1])

    names = []
    _, count = next(nodes)
    for _ in range(count or 0):
        name, children = next(nodes)
        names.append(str(name))
        skip(children)
    return names


def _names_and_types(file: Path) -> list[tuple[str, str]]:
    with engine({"list": _relation(file)}) as connection:
        names = _names(connection, file)
        described = run(connection, "DESCRIBE SELECT * FROM list", str(file)).fetchall()
    return [(name, str(row[1])) for name, row in zip(names, described, strict=True)]
