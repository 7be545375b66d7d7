"""A Spark data frame, for instance of `spark.sql("SELECT ...")`: counted by the cluster.

The extra `ppaurora[spark]` brings Spark's own package, with what it needs to hand over columns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.counting.statement import most_rows, place, refusal
from ppaurora.parties.sources.counting.tally import tally
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns, Source, find
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

NUMBERS = ("double", "float", "tinyint", "smallint", "int", "bigint", "decimal")
Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class Spark(Source):
    """A data frame of `pyspark.sql`; nothing of its session is changed."""

    title: ClassVar[str] = "a Spark data frame"
    leaks: ClassVar[str] = "two or three columns travel from the cluster to this program"
    cost: ClassVar[str] = "one job; about 100 bytes of memory a row while reading"
    counting: ClassVar[str] = (
        "the cluster counts; nothing leaves it but a number for each bin and label"
    )

    frame: Any = field(repr=False)
    columns: Columns = field(default_factory=Columns)

    def __post_init__(self) -> None:
        self.columns.check_no_text("a Spark data frame")

    @classmethod
    def for_object(cls, given: object, columns: Columns) -> Spark | None:
        kind = type(given)
        ours = kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"
        return cls(given, columns) if ours else None

    @property
    def name(self) -> str:
        return "the Spark data frame"

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        places = find(self.columns, self.frame.columns, self.name, extra)
        names = [self.frame.columns[place] for place in places]
        table = _tried(lambda: self.frame.select(*map(_quoted, names)).toArrow())
        return Frame(table, self.columns, self.name).read(scores, scale, extra)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Source]:
        yield Frame(_tried(self.frame.toArrow), self.columns, self.name)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        with self.kept() as rows:
            return rows.texts(column, numbers=numbers)

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        names = self.frame.columns
        label, score = (names[one] for one in find(self.columns, names, self.name))
        kind = dict(self.frame.dtypes)[score]
        if not kind.startswith(NUMBERS):
            raise DataError(
                f'{self.name}, column "{score}": {kind} values are no scores that Spark can count',
                advice="Name the column that holds the scores, or cast it to double.",
            )
        doubles = f"CAST({_quoted(score)} AS DOUBLE) AS x"
        counts = (
            self.frame.selectExpr(doubles, f"{_quoted(label)} AS y")
            .selectExpr(f"{place('x', grid, scale, single=kind == 'float')} AS k", "y")
            .groupBy("k", "y")
            .count()
            .limit(most_rows(grid) + 1)
        )
        rows = _tried(counts.collect)
        return tally(rows, self.name, self.columns, scores, grid, scale, score=score, label=label)


def _quoted(name: str) -> str:
    """A name in Spark's SQL."""
    return "`" + name.replace("`", "``") + "`"


def _tried(action: Callable[[], Given]) -> Given:
    """The result of a job; Spark's own messages may repeat a value and are replaced."""
    try:
        return action()
    except Exception as error:
        raise refusal(error, "The Spark data frame") from None
