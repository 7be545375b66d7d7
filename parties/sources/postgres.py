"""The result of one SELECT in PostgreSQL, whose doubles travel as the bytes that they are.

The extra `ppaurora[postgres]` brings the driver, ADBC. It hands over columns, which DuckDB reads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import duckdb

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.counting.statement import (
    counting,
    heading,
    listing,
    one_query,
    refusal,
)
from ppaurora.parties.sources.counting.tally import tally
from ppaurora.parties.sources.engine.arrow_stream import show
from ppaurora.parties.sources.engine.engine import engine, run, tried
from ppaurora.parties.sources.engine.kept_rows import keep
from ppaurora.parties.sources.engine.typed_columns import labelled
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns, Source, find
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

SCHEMES = ("postgresql", "postgres")
SECRETS = ("password", "sslpassword")
WAITS = {"connect_timeout": "10", "keepalives_idle": "30", "tcp_user_timeout": "60000"}
"""The settings that end the waiting for a dead server, in seconds and milliseconds."""
ALONE = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
TABLE = "SELECT * FROM list"


@dataclass(frozen=True, slots=True)
class Postgres(Source):
    """One SELECT at an address such as postgresql://user@host/database.

    The password is never part of it: PGPASSWORD or the file ~/.pgpass have it, as for every program
    that is made with libpq. All is read in one transaction that can only read, and sees one state
    of the data.

    >>> source = Postgres("postgresql://anna@db.hospital.org/icu", "SELECT score, label FROM risks")
    >>> source.leaks
    'two or three columns travel from the database to this program'
    """

    title: ClassVar[str] = "a query in PostgreSQL"
    leaks: ClassVar[str] = "two or three columns travel from the database to this program"
    cost: ClassVar[str] = "one query; about 60 bytes of memory a row while reading"
    counting: ClassVar[str] = (
        "the database counts; nothing leaves it but a number for each bin and label"
    )

    address: str
    query: str
    columns: Columns = field(default_factory=Columns)

    def __post_init__(self) -> None:
        self.columns.check_no_text("a database")
        parts = urlsplit(self.address)
        if parts.scheme not in SCHEMES:
            raise ConfigurationError(
                "The database's address does not begin with postgresql://",
                advice="For example postgresql://user@host/database.",
            )
        named = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        if ":" in parts.netloc.rpartition("@")[0] or named & {*SECRETS}:
            # other programs on this machine see the arguments of this one
            raise ConfigurationError(
                "The database's address holds a password",
                advice="Leave it out; give it in PGPASSWORD or in the file ~/.pgpass.",
            )

    def __repr__(self) -> str:
        return f"<Postgres {self.name}>"

    @property
    def name(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        query = one_query(self.query)
        with self._connected() as connection:
            names = self._names(connection, query)
            places = find(self.columns, names, self.name, extra)
            statement = listing(query, len(names), places)
            header = [names[place] for place in places]
            with self._shown(connection, statement) as (here, _):
                return labelled(here, TABLE, self.name, self.columns, scores, scale, header, extra)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Source]:
        query = one_query(self.query)
        with self._connected() as connection:
            names = self._names(connection, query)
            statement = listing(query, len(names), range(len(names)))
            with self._shown(connection, statement) as (here, _):
                yield keep(here, TABLE, names, self.name, self.columns)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        with self.kept() as rows:
            return rows.texts(column, numbers=numbers)

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        query = one_query(self.query)
        with self._connected() as connection:
            with self._shown(connection, heading(query)) as (here, names):
                kinds = run(here, f"DESCRIBE {TABLE}", self.name).fetchall()
            places = label, score = find(self.columns, names, self.name)
            single = str(kinds[score][1]) == "FLOAT"
            statement = counting(query, len(names), places, grid, scale, single=single)
            with self._shown(connection, statement) as (here, _):
                rows = tried(run(here, TABLE, self.name).fetchall, self.name)
        return tally(
            rows,
            self.name,
            self.columns,
            scores,
            grid,
            scale,
            score=names[score],
            label=names[label],
        )

    def _names(self, connection: Any, query: str) -> list[str]:
        with self._shown(connection, heading(query)) as (_, names):
            return names

    @contextlib.contextmanager
    def _shown(
        self, connection: Any, statement: str
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, list[str]]]:
        """A DuckDB that sees the statement's result, a stream of columns, and their names."""
        with self._executed(connection, statement) as stream, engine({}) as here:
            yield here, show(here, "list", stream, self.name)

    @contextlib.contextmanager
    def _executed(self, connection: Any, statement: str) -> Iterator[Any]:
        import adbc_driver_manager as adbc

        with adbc.AdbcStatement(connection) as asked:
            try:
                asked.set_sql_query(statement)
                stream, _ = asked.execute_query()
            except adbc.Error as error:
                raise refusal(error, "The query") from None
            yield stream

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Any]:
        """A connection of its own, in a transaction that only reads and is never committed."""
        try:
            import adbc_driver_manager as adbc
            import adbc_driver_postgresql as driver
        except ImportError:
            raise ConfigurationError(
                "PostgreSQL is read with the driver ADBC, which is not installed",
                advice='Run `pip install ".[postgres]"` in your clone of the repository.',
            ) from None
        with contextlib.ExitStack() as stack:
            try:
                database = stack.enter_context(driver.connect(self._with_waits()))
                connection = stack.enter_context(adbc.AdbcConnection(database))
            except adbc.Error as error:
                # there is no password in these words, since there is none in the address
                words = next(iter(str(error).splitlines()), "").rpartition("connect: ")[2].strip()
                raise DataError(
                    f"{self.name} cannot be reached: {words}",
                    advice="Check address, user and password (PGPASSWORD or ~/.pgpass), and "
                    "whether the server runs.",
                ) from None
            connection.set_autocommit(False)
            with self._executed(connection, ALONE):
                pass
            yield connection

    def _with_waits(self) -> str:
        """The address, with an end to the waiting for a server that is gone."""
        parts = urlsplit(self.address)
        stated = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        waits = [f"{name}={value}" for name, value in WAITS.items() if name not in stated]
        # what is stated stays as it is: libpq reads a + otherwise than browsers do
        return parts._replace(query="&".join(filter(None, [parts.query, *waits]))).geturl()
