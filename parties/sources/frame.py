"""A data frame or a stream of Arrow columns in this Python process: polars, pyarrow, pandas.

Anything with `__arrow_c_stream__` will do. The columns of a pandas frame are taken as NumPy or
Python have them, since NaN and a missing value would become one on their way through Arrow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.classes import UNKNOWN
from ppaurora.parties.sources.columns.collector import Collector, collected
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.numbers import EXACT_WHOLE, TOO_WIDE
from ppaurora.parties.sources.columns.objects import ObjectLabels, identifier_texts, values_of
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.engine.arrow_stream import is_stream, show
from ppaurora.parties.sources.engine.engine import engine
from ppaurora.parties.sources.engine.typed_columns import counted, identifier_column, labelled
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import NAME_EXTRA, Columns, Source, find, place_of
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale
from ppaurora.protocols.lists.tags import Side

TABLE = "list"
QUERY = f"SELECT * FROM {TABLE}"


@dataclass(frozen=True, slots=True)
class Frame(Source):
    """A data frame; messages call it as `called` says."""

    title: ClassVar[str] = "a data frame"
    leaks: ClassVar[str] = "nothing leaves this program"
    cost: ClassVar[str] = "one pass over two or three columns; about 40 bytes of memory a row"
    counting: ClassVar[str] = "it is counted here, in one pass"

    frame: Any = field(repr=False)
    columns: Columns = field(default_factory=Columns)
    called: str = "the data frame"

    def __post_init__(self) -> None:
        self.columns.check_no_text("a data frame")

    @classmethod
    def for_object(cls, given: object, columns: Columns) -> Frame | None:
        # a frame of Spark can be streamed, too, but is counted by Spark
        of_spark = type(given).__module__.startswith("pyspark.")
        streamed = is_stream(given) and not of_spark
        return cls(given, columns) if _is_pandas(given) or streamed else None

    @property
    def name(self) -> str:
        return self.called

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        if _is_pandas(self.frame):
            return self._of_pandas(scores, scale, extra)
        with self._shown() as (here, names):
            return labelled(here, QUERY, self.name, self.columns, scores, scale, names, extra)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        if _is_pandas(self.frame):
            names = [str(name) for name in self.frame.columns]
            place = place_of(self.columns.own_name(column), names, self.name, NAME_EXTRA)
            values = _without_nan(self.frame.iloc[:, place].tolist())
            return identifier_texts(values, self.name, names[place], numbers=numbers)
        if not hasattr(self.frame, "__getitem__"):
            raise DataError(
                f"{self.name} is a stream, which may be read only once, and the study's "
                f'column "{column}" is read by itself',
                advice="Collect it first, for example with pyarrow.table(...), and give that.",
            )
        with self._shown() as (here, names):
            own = self.columns.own_name(column)
            return identifier_column(here, TABLE, names, own, self.name, numbers=numbers)

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        if _is_pandas(self.frame):
            return Counted.of(self.read(scores, scale), grid)
        with self._shown() as (here, names):
            return counted(here, QUERY, self.name, self.columns, scores, grid, names, scale=scale)

    @contextlib.contextmanager
    def _shown(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, list[str]]]:
        """A DuckDB that sees the columns, and their names."""
        with engine({}) as here:
            yield here, show(here, TABLE, self.frame, self.name)

    def _of_pandas(self, scores: Scores, scale: Scale, extra: Sequence[str]) -> Labelled:
        names = [str(name) for name in self.frame.columns]
        label, *places = find(self.columns, names, self.name, extra)
        lists = []
        for place in places:
            rows = Collector(self.name, self.columns, scores, scale, names[place], names[label])
            values, faults = self._values(self.frame.iloc[:, place], names[place])
            classes, unlabelled = self._classes(self.frame.iloc[:, label], rows, names[label])
            single = getattr(self.frame.dtypes.iloc[place], "name", "").lower() == "float32"
            known = rows.classes.faults(classes, unlabelled)
            rows.add(values, faults, classes, known, single=single)
            lists.append(rows)
        return collected(lists, extra)

    def _values(
        self, column: Any, name: str
    ) -> tuple[NDArray[np.float64], dict[FaultKind, NDArray[np.bool_]]]:
        if self.columns.holds == Side.LABELS.word:
            return np.zeros(len(column)), {}
        kind = getattr(column.dtype, "kind", "O")
        if isinstance(column.dtype, np.dtype) and kind in "iuf" and column.dtype.itemsize <= 8:
            values = column.to_numpy().astype(np.float64)
            return values, {TOO_WIDE: np.abs(values) >= EXACT_WHOLE} if kind in "iu" else {}
        of_text = not isinstance(column.dtype, np.dtype) and kind not in "iuf"
        objects = column.tolist()
        return values_of(_without_nan(objects) if of_text else objects, self.name, name)

    def _classes(
        self, column: Any, rows: Collector, name: str
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """The class of each row, and which rows have no label."""
        if not (isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf"):
            labels = _without_nan(column.tolist())
            return ObjectLabels(rows.classes, self.name, name).column(labels)
        values = column.to_numpy()
        unlabelled = values != values
        classes = np.full(len(values), UNKNOWN, np.uint8)
        known = values[~unlabelled]
        classes[~unlabelled] = (
            rows.classes.of_truths(known)
            if column.dtype.kind == "b"
            else rows.classes.of_numbers(known.astype(np.float64))
        )
        return classes, unlabelled


def _is_pandas(given: object) -> bool:
    """Return whether it is a pandas frame, without an import of pandas."""
    kind = type(given)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"


def _without_nan(values: Sequence[object]) -> list[object]:
    """The values with None for NaN, by which pandas says that there is none."""
    return [None if isinstance(value, float) and value != value else value for value in values]
