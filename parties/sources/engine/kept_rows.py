"""The rows of a query, kept in memory while they are read in more than one way.

A query that runs twice may give its rows in another order, or other rows. A study that needs the
identifiers of rows beside their scores or labels reads them one after the other, so both are read
from one run of the query, which a DuckDB of its own holds in columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ppaurora.parties.sources.engine.engine import run
from ppaurora.parties.sources.engine.typed_columns import identifier_column, labelled
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

KEPT = '"rows kept by ppaurora"'


@dataclass(frozen=True, slots=True)
class KeptRows(Source):
    """The rows of a table that `keep` made; `names` are those of its columns."""

    title: ClassVar[str] = "rows that are kept in memory"
    leaks: ClassVar[str] = "nothing leaves this program"
    cost: ClassVar[str] = "the columns of all rows, in memory"

    connection: Any = field(repr=False)
    names: Sequence[str]
    called: str
    columns: Columns

    @property
    def name(self) -> str:
        return self.called

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        query = f"SELECT * FROM {KEPT}"
        return labelled(
            self.connection, query, self.name, self.columns, scores, scale, self.names, extra
        )

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        own = self.columns.own_name(column)
        return identifier_column(self.connection, KEPT, self.names, own, self.name, numbers=numbers)


def keep(
    connection: Any, query: str, names: Sequence[str], called: str, columns: Columns
) -> KeptRows:
    """The rows that a query gives in this DuckDB, in the order in which it gives them."""
    places = ", ".join(f"c{place}" for place in range(len(names)))
    chosen = f"SELECT * FROM ({query}) AS chosen({places})"
    run(connection, f"CREATE TABLE {KEPT} AS {chosen}", called)
    return KeptRows(connection, names, called, columns)
