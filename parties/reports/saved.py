"""A result document as its readers have it: typed, checked, and fit to be shown.

The file may come from anybody. What a report needs must be there and of its type, or the file is
refused with the place; what a later version of the program has added is left alone. Every text is
made printable here, once: a name may hold control characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.evidence.statement import OLDER_ADVICE, OLDER_FORM
from ppaurora.parties.requests.json_document import json_object
from ppaurora.protocols.release.values import (
    WITHHELD,
    Decision,
    Interval,
    Released,
    Scalar,
    Table,
)

FORMAT = "ppaurora result"
VERSION = 4
OLDER = 2
MOST_LETTERS_OF_RESULT = 1 << 22
"""Of the whole document: one table may take a twentieth of it."""
MOST_LETTERS = 500
MOST_CELLS = 100_000
NAMES = ("model", "against", "class", "site")
"""Columns of tables that hold names."""
AGAINST = "against"
"""The option that names columns of the lists."""
NUMBER = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")
END = re.compile(rf"(at least |at most |less than )?{NUMBER.pattern}")
"""A number, or one beyond which nothing is told."""

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class SavedResult:
    """The content of a result document; `cost` is None where it depends on the data.

    `options` are those of the study by table and key, but for lists.
    """

    values: Mapping[str, Released]
    id: str
    title: str
    hash: str
    decimals: int
    options: Mapping[str, Mapping[str, str]]
    session: str
    owners: Mapping[str, int]
    refused: Sequence[str]
    missing: Sequence[str]
    samples: int
    cost: Took | None
    assumption: str
    deviation: str
    learns: Mapping[str, Sequence[str]]
    summary: str
    warnings: Sequence[str]
    software: str
    fetched: str

    @classmethod
    def from_json(cls, text: str) -> SavedResult:
        """The document that a text holds; raises `DocumentRefused` for anything else."""
        return cls.of(json_object(text, MOST_LETTERS_OF_RESULT))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> SavedResult:
        """The document whose content this is."""
        check_form(content)
        top = _Place(content, "")
        study, options, ledger = top.inner("study"), top.inner("options"), top.inner("ledger")
        return cls(
            values=top.inner("values").each(_value),
            id=study.text("id"),
            title=study.text("title"),
            hash=study.text("hash"),
            decimals=options.inner("metrics").whole("decimals"),
            options=options.each(lambda place, name: place.inner(name).words()),
            session=top.text("session"),
            owners=top.inner("owners").each(lambda place, name: place.whole(name)),
            refused=top.texts("refused"),
            missing=top.texts("missing"),
            samples=top.whole("samples"),
            cost=None if top.absent("cost") else Took.of(top.inner("cost")),
            assumption=ledger.text("assumption"),
            deviation=ledger.text("deviation"),
            learns=ledger.inner("learns").each(lambda place, name: place.texts(name)),
            summary=ledger.text("summary"),
            warnings=ledger.texts("warnings"),
            software=top.text("software"),
            fetched=top.text("fetched"),
        )

    def option(self, table: str, key: str) -> str | None:
        """The choice that the study makes there; None if it makes none."""
        return self.options.get(table, {}).get(key)


@dataclass(frozen=True, slots=True)
class Took:
    """The cost of the session: in all, over each link, and for each phase at P0 and P1."""

    bytes: int
    hops: int
    seconds: float
    links: Mapping[str, int]
    phases: Mapping[str, Sequence[tuple[str, float, int]]]

    @classmethod
    def of(cls, place: _Place) -> Took:
        """The `cost` of a document; of a phase its name, seconds and hops."""
        return cls(
            bytes=place.whole("bytes"),
            hops=place.whole("hops"),
            seconds=place.number("seconds"),
            links=place.inner("links").each(lambda at, name: at.inner(name).whole("bytes")),
            phases=place.inner("phases").each(
                lambda at, name: tuple(
                    (one.text("name"), one.number("seconds"), one.whole("hops"))
                    for one in at.several(name)
                )
            ),
        )


def check_form(content: Mapping[str, Any]) -> None:
    """Refuse a document of another form than this program's; of an older one, say why."""
    top = _Place(content, "")
    if (top.text("format"), top.whole("version")) == (FORMAT, OLDER):
        raise DocumentRefused(f"This {FORMAT} of version {OLDER} {OLDER_FORM}", advice=OLDER_ADVICE)
    if top.text("format") == FORMAT and top.whole("version") > VERSION:
        raise DocumentRefused(
            f"This {FORMAT} is of version {top.whole('version')}, written by a newer version of "
            f"ppaurora; this one reads version {VERSION}",
            advice="Install the version whose `ppaurora result` saved it, or a later one.",
        )
    if (top.text("format"), top.whole("version")) != (FORMAT, VERSION):
        raise DocumentRefused(
            f"This is no {FORMAT} of version {VERSION}",
            advice="Give the file that `ppaurora result` saved.",
        )


class _Place:
    """One object of the document, with the way to it; every reader refuses what is of no use."""

    def __init__(self, content: Mapping[str, Any], way: str) -> None:
        self._content = content
        self._way = way

    def absent(self, name: str) -> bool:
        """Return whether the entry is missing or null."""
        return self._content.get(name) is None

    def text(self, name: str) -> str:
        """A text, printable."""
        return printable(self._of(str, name), MOST_LETTERS)

    def whole(self, name: str) -> int:
        """A whole number from 0 up."""
        number = self._of(int, name)
        if not 0 <= number < 1 << 63:
            raise self.fault(name)
        return number

    def number(self, name: str) -> float:
        """A number from 0 up."""
        number = self._content.get(name)
        if not isinstance(number, int | float) or not 0 <= number < 1e15:
            raise self.fault(name)
        return float(number)

    def word(self, name: str) -> str:
        """A text or a number, as a text."""
        text = self._content.get(name)
        if type(text) is str:
            return self.text(name)
        return f"{self.number(name):g}"

    def words(self) -> dict[str, str]:
        """The entries of this object that are texts, numbers, two numbers (from and to), or names
        of columns."""
        found = {}
        for name, one in self._content.items():
            if type(one) in (str, int, float):
                found[printable(name, MOST_LETTERS)] = self.word(name)
            elif type(one) is list and len(one) == 2 and {*map(type, one)} <= {int, float}:
                found[printable(name, MOST_LETTERS)] = f"{one[0]} to {one[1]}"
            elif name == AGAINST:
                found[AGAINST] = ", ".join(self.texts(name))
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, printable."""
        texts = self._of(list, name)
        if any(type(text) is not str for text in texts):
            raise self.fault(name)
        return tuple(printable(text, MOST_LETTERS) for text in texts)

    def truth(self, name: str) -> bool:
        """True or false."""
        return self._of(bool, name)

    def inner(self, name: str) -> _Place:
        """The object that stands there."""
        return _Place(self._of(dict, name), f"{self._way}{name}.")

    def several(self, name: str) -> list[_Place]:
        """A list of objects."""
        entries = self._of(list, name)
        if any(type(entry) is not dict for entry in entries):
            raise self.fault(name)
        return [_Place(entry, f"{self._way}{name}[{at}].") for at, entry in enumerate(entries)]

    def decimal(self, name: str) -> str | None:
        """A decimal number as its text, or None."""
        return self._decimal(self._content.get(name), name)

    def end(self, name: str) -> str:
        """A decimal number as its text, or what it is at least or at most."""
        number = self.text(name)
        if not END.fullmatch(number):
            raise self.fault(name)
        return number

    def cells(
        self, name: str, columns: tuple[str, ...]
    ) -> tuple[tuple[str | None, ...], ...] | None:
        """The rows of a table with these columns, of which some hold names, or None."""
        if self.absent(name):
            return None
        rows = self._of(list, name)
        fitting = (type(row) is list and len(row) == len(columns) for row in rows)
        if len(rows) * len(columns) > MOST_CELLS or not all(fitting):
            raise self.fault(name)
        return tuple(
            tuple(
                self._named(cell, name) if column in NAMES else self._cell(cell, name)
                for column, cell in zip(columns, row, strict=True)
            )
            for row in rows
        )

    def each(self, read: Callable[[_Place, str], Kind]) -> dict[str, Kind]:
        """Every entry of this object, read alike, under its printable name."""
        entries = {printable(name, MOST_LETTERS): read(self, name) for name in self._content}
        if len(entries) != len(self._content):
            raise DocumentRefused("A document with two names that look alike")
        return entries

    def fault(self, name: str) -> DocumentRefused:
        """The error that this entry is missing or of no use."""
        way = printable(self._way + name, 200)
        return DocumentRefused(
            f"A result document whose {way} is missing or not what it should be",
            advice="Give the file as `ppaurora result` saved it.",
        )

    def _of(self, kind: type[Kind], name: str) -> Kind:
        value = self._content.get(name)
        if type(value) is not kind:
            raise self.fault(name)
        return value

    def _named(self, given: object, name: str) -> str:
        """The name of a model or a class, printable."""
        if type(given) is not str:
            raise self.fault(name)
        return printable(given, MOST_LETTERS)

    def _cell(self, given: object, name: str) -> str | None:
        """A decimal number as its text, a bound of one, the word for one withheld, or None."""
        if given == WITHHELD:
            return WITHHELD
        if given is not None and (type(given) is not str or not END.fullmatch(given)):
            raise self.fault(name)
        return given

    def _decimal(self, given: object, name: str) -> str | None:
        if given is not None and (type(given) is not str or not NUMBER.fullmatch(given)):
            raise self.fault(name)
        return given


def _value(values: _Place, name: str) -> Released:
    """One released value, by its kind."""
    place = values.inner(name)
    undefined, withheld = (
        "" if place.absent(name) else place.text(name) for name in ("undefined", "withheld")
    )
    read = {"scalar": _scalar, "interval": _interval, "test": _decision, "table": _table}
    kind = read.get(place.text("kind"))
    if kind is None:
        raise place.fault("kind")
    estimate = replace(kind(place), undefined=undefined, withheld=withheld)
    if not estimate.missing and None in estimate.numbers().values():
        raise place.fault("undefined")
    return estimate


def _scalar(place: _Place) -> Released:
    return Scalar(place.decimal("value"), place.decimal("noise"))


def _interval(place: _Place) -> Released:
    value, lower, upper = (place.decimal(name) for name in ("value", "lower", "upper"))
    z = None if place.absent("z") else place.end("z")
    skipped = None if place.absent("skipped") else place.whole("skipped")
    note = None if place.absent("note") else place.text("note")
    return Interval(value, lower, upper, z, skipped, note)


def _decision(place: _Place) -> Released:
    rejected = None if place.absent("rejected") else place.truth("rejected")
    return Decision(rejected)


def _table(place: _Place) -> Released:
    columns = place.texts("columns")
    return Table(columns, place.cells("rows", columns) or ())
