"""A server's records in SQLite, each with a digest of its own that is checked at every read.

A row whose digest differs is never returned: it is set aside in `damaged_rows`, and the store is
told, which knows what the row was for. SQLite's own structure is checked when the file is opened.

The file names the form of its tables. What an older version has written is brought into this
program's form as the file is opened, in one transaction: after a crash it has the one or the other.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import msgpack

from ppaurora.parties.errors import ConfigurationError, DiskCode, DiskFault
from ppaurora.parties.kept_form import KeptForm
from ppaurora.parties.server.keeping.disk_faults import no_room, reading, writing

Value: TypeAlias = bytes | str | int | float
Row: TypeAlias = tuple[Value, ...]
NewRows: TypeAlias = Mapping[str, Callable[[Row], Row]]
"""The tables whose rows have changed from one form to the next, each with its new row of an old."""

DATABASE = "server.sqlite"
LOCK_SECONDS = 1.0
RETRIES = (0.02, 0.1, 0.5)
SYNCHRONOUS = "FULL"
DIGEST_BYTES = 16
FORM: KeptForm[NewRows] = KeptForm(6)
NEWER = (
    "Start that version again: it finishes the studies that wait here. To stay with this one, "
    "finish or end them there (`ppaurora study end`), then give [server] state a new folder. A "
    "copy of the folder from before the upgrade would undo the withdrawals since."
)
OLDER = "Finish its studies with that version, or give [server] state a new folder."
MOST_SET_ASIDE = 1000
TABLES = {
    "studies": "id TEXT PRIMARY KEY, hash BLOB NOT NULL",
    "uploads": "study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL, "
    "samples INTEGER NOT NULL, size INTEGER NOT NULL, content BLOB NOT NULL, "
    "stored INTEGER NOT NULL, at REAL NOT NULL, folds TEXT NOT NULL",
    "deletions": "study BLOB NOT NULL, upload BLOB NOT NULL",
    "damaged": "study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL",
    "asked": "study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL",
    "results": "study BLOB NOT NULL, session BLOB NOT NULL, sealed INTEGER NOT NULL, "
    "words BLOB NOT NULL, about TEXT NOT NULL, at REAL NOT NULL",
    "counted": "study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL",
    "saved": "study BLOB NOT NULL, name TEXT NOT NULL",
    "closed": "study BLOB NOT NULL, why TEXT NOT NULL, at REAL NOT NULL",
    "halts": "study BLOB NOT NULL, session BLOB NOT NULL, why TEXT NOT NULL, "
    "restarted INTEGER NOT NULL",
    "checks": "study BLOB NOT NULL, session BLOB NOT NULL",
    "superseded": "study BLOB NOT NULL, follower BLOB NOT NULL, at REAL NOT NULL",
    "rosters": "id TEXT NOT NULL, roster BLOB NOT NULL",
    "verdicts": "id TEXT NOT NULL, upload BLOB NOT NULL, run INTEGER NOT NULL, "
    "sound INTEGER NOT NULL",
    "openings": "id TEXT NOT NULL, session BLOB NOT NULL",
    "events": "study BLOB NOT NULL, at REAL NOT NULL, text TEXT NOT NULL",
    "revoked": "study BLOB NOT NULL, key TEXT NOT NULL",
    "withdrawn": "study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL",
    "withdrawals": "study BLOB NOT NULL, owner TEXT NOT NULL, count INTEGER NOT NULL",
    "forgotten": "study BLOB NOT NULL, count INTEGER NOT NULL",
    "audit_head": "number INTEGER NOT NULL, line TEXT NOT NULL",
}
"""Every table with its columns; each row has its digest besides."""
SCHEMA = "".join(
    f"CREATE TABLE IF NOT EXISTS {name} ({columns}, digest BLOB NOT NULL);\n"
    for name, columns in TABLES.items()
)
SET_ASIDE = (
    "CREATE TABLE IF NOT EXISTS damaged_rows "
    "(at REAL NOT NULL, name TEXT NOT NULL, study BLOB, content BLOB NOT NULL);"
)
_EXPECTED = {
    statement.split()[5]: statement.replace("IF NOT EXISTS ", "").rstrip(";")
    for statement in [*SCHEMA.splitlines(), SET_ASIDE]
}
"""Tables as SQLite's own catalogue has them, by name."""


class Database:
    """The rows of one server; `on_damage` is told the table and the values of a damaged one."""

    def __init__(self, path: Path, on_damage: Callable[[str, Row], None]) -> None:
        self._lock = threading.RLock()
        self._on_damage = on_damage
        self._afterwards: list[Callable[[], object]] = []
        self._db = sqlite3.connect(
            path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
        )
        # text that is no UTF-8 any more must be readable to be found damaged
        self._db.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
        try:
            self._prepare(path)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file; nothing is written any more."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and on the disk once it is left; a fault of the disk is told as such.

        What was put off by `afterwards` is done once everything is on the disk.
        """
        with self._lock, writing():
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                self._afterwards.clear()
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            actions, self._afterwards = self._afterwards, []
            for action in actions:
                action()

    def afterwards(self, action: Callable[[], object]) -> None:
        """Call `action` when the transaction is on the disk."""
        self._afterwards.append(action)

    def put(self, table: str, *row: Value) -> None:
        """Add a row."""
        with self.transaction():
            self._insert(table, row)

    def delete(self, table: str, **where: Value) -> None:
        """Delete the rows with these values."""
        with self.transaction():
            self._db.execute(f"DELETE FROM {table}{_condition(where)}", tuple(where.values()))

    def replace(self, table: str, *row: Value, **where: Value) -> None:
        """Delete the rows with these values and add `row` instead."""
        with self.transaction():
            self.delete(table, **where)
            self.put(table, *row)

    def forget_oldest(self, table: str, keep: int, **where: Value) -> int:
        """Delete all but the last `keep` of these rows; how many were deleted."""
        query = f"SELECT rowid FROM {table}{_condition(where)} ORDER BY rowid DESC"
        with self.transaction():
            found = self._db.execute(query, tuple(where.values())).fetchall()[keep:]
            self._db.executemany(f"DELETE FROM {table} WHERE rowid = ?", found)
        return len(found)

    def rows(self, table: str, **where: Value) -> list[Row]:
        """The sound rows with these values, oldest first; damaged ones are set aside."""
        query = f"SELECT rowid, * FROM {table}{_condition(where)} ORDER BY rowid"
        with self._lock:
            with reading():
                found = self._db.execute(query, tuple(where.values())).fetchall()
            sound = [one[1:-1] for one in found if one[-1] == _digest(table, one[1:-1])]
            if len(sound) != len(found):
                with self.transaction():
                    for number, *row, digest in found:
                        if digest != _digest(table, tuple(row)):
                            self._set_aside(table, number, tuple(row))
        return sound

    def forget_set_aside(self, study: bytes) -> None:
        """Delete the damaged rows of this study for good."""
        with self.transaction():
            self._db.execute("DELETE FROM damaged_rows WHERE study = ?", (study,))

    def _insert(self, table: str, row: Row) -> None:
        marks = ", ".join("?" * (len(row) + 1))
        self._db.execute(f"INSERT INTO {table} VALUES ({marks})", (*row, _digest(table, row)))

    def _set_aside(self, table: str, number: int, row: Row) -> None:
        study = row[0] if isinstance(row[0], bytes) else None
        self._db.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))
        self._db.execute(
            "INSERT INTO damaged_rows SELECT ?, ?, ?, ? "
            "WHERE (SELECT COUNT(*) FROM damaged_rows) < ?",
            (time.time(), table, study, msgpack.packb(row), MOST_SET_ASIDE),
        )
        self._on_damage(table, row)

    def _prepare(self, path: Path) -> None:
        """Check the file's own structure, and make the tables that are missing."""
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            for pragma in (
                "journal_mode=TRUNCATE",
                f"synchronous={SYNCHRONOUS}",
                "secure_delete=ON",
            ):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.execute("BEGIN EXCLUSIVE")
            faults = [row[0] for row in self._db.execute("PRAGMA integrity_check")]
            if faults != ["ok"]:
                raise _damaged(path, str(faults[0]))
            form = self._db.execute("PRAGMA user_version").fetchone()[0]
            tables = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
            steps = _steps_from(form, path) if tables else ()
            renewed = {name for step in steps for name in step} & tables
            rows = {name: self._renewed(path, name, steps) for name in sorted(renewed)}
            self._db.execute(f"PRAGMA user_version = {FORM.number}")
            for statement in [*SCHEMA.splitlines(), SET_ASIDE]:
                self._db.execute(statement)
            for name in rows:
                for row in rows[name]:
                    self._insert(name, row)
            found = dict(self._db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOTNULL"))
            if found != _EXPECTED:
                raise _damaged(path, "its tables are not those of this program")
            self._db.execute("COMMIT")
        except UnicodeDecodeError:  # what SQLite says repeats a damaged byte
            raise _damaged(path, "SQLite cannot read it") from None
        except sqlite3.Error as error:
            raise _at_start(path, error) from None

    def _renewed(self, path: Path, table: str, steps: Sequence[NewRows]) -> list[Row]:
        """The rows of a table whose form has changed since, in this program's; it is dropped."""
        found = self._db.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
        rows: list[Row] = [one[:-1] for one in found if one[-1] == _digest(table, one[:-1])]
        if len(rows) != len(found):
            raise DiskFault(
                f"A row of the table {table} in {path} is damaged, so the file cannot be brought "
                "into the form of this version",
                code=DiskCode.STATE_DAMAGED,
                advice="Nothing was changed. Start the version before this one: it sets the row "
                "aside and says whose it was. Then upgrade again.",
            )
        self._db.execute(f"DROP TABLE {table}")
        return _in_this_form(table, rows, steps)


def read_beside(path: Path, table: str) -> list[Row]:
    """The rows of a table in the file of a server, which may run and write meanwhile.

    Nothing is locked, so what is read may be half written: then its digest does not fit, and it is
    read again. Raises `DiskFault` if that lasts. A file of a form that this program does not read
    is refused.
    """
    for pause in (*RETRIES, 0.0):
        address = f"file:{quote(str(path))}?mode=ro&immutable=1"
        try:
            with contextlib.closing(sqlite3.connect(address, uri=True)) as file:
                form = file.execute("PRAGMA user_version").fetchone()[0]
                steps = _steps_from(form, path) if form else ()  # else it is being made
                found = file.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
            if all(one[-1] == _digest(table, one[:-1]) for one in found):
                return _in_this_form(table, [one[:-1] for one in found], steps)
        except (sqlite3.Error, UnicodeDecodeError):
            pass
        time.sleep(pause)
    raise _damaged(path, f"the table {table} cannot be read")


def _steps_from(form: int, path: Path) -> tuple[NewRows, ...]:
    return FORM.steps_from(form, str(path), newer=NEWER, older=OLDER)


def _in_this_form(table: str, rows: list[Row], steps: Sequence[NewRows]) -> list[Row]:
    for step in steps:
        rows = [step[table](row) for row in rows] if table in step else rows
    return rows


def _condition(where: dict[str, Value]) -> str:
    return " WHERE " + " AND ".join(f"{name} = ?" for name in where) if where else ""


def _digest(table: str, row: Row) -> bytes:
    """SHA-256 of the table's name and all values, cut short: against damage, not against a foe."""
    packed: bytes = msgpack.packb([table, *row])
    return hashlib.sha256(packed).digest()[:DIGEST_BYTES]


def _at_start(path: Path, error: sqlite3.Error) -> Exception:
    """Error of a file that cannot be used: damaged, in use, no room, or what SQLite says."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    # statements that are always the same fail as such only if the file is not what it was
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
        return _damaged(path, str(error))
    if code == sqlite3.SQLITE_FULL:
        return no_room(path.parent)
    return ConfigurationError(
        f"The state directory {path.parent} cannot be used: {error}",
        advice="It must be writable, and belong to one running server only.",
    )


def _damaged(path: Path, what: str) -> DiskFault:
    return DiskFault(
        f"The records of this server are damaged: {path}: {what}",
        code=DiskCode.STATE_DAMAGED,
        advice="Look after the disk and bring back a sound copy of this file; without one, move it "
        "away and start again: then all owners upload again, and a result that nobody fetched "
        "needs a new study.",
    )
