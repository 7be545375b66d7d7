"""Strict reading of TOML tables: every key has a type, and a key nobody knows is an error."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, cast

from ppaurora.parties.errors import ConfigurationError

T = TypeVar("T")

MOST_DOTS = 32
QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*+("|$)|'[^']*+('|$)|#.*)""")
"""A text in quotes within one line, or a comment."""

_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
}


class TomlTable:
    """One table of a TOML file; `take` each key once, then `finish`."""

    def __init__(self, content: dict[str, Any], place: str, file: str) -> None:
        self._content = dict(content)
        self._known: list[str] = []
        self.place = place
        self.file = file

    @classmethod
    def load(cls, path: Path, advice: str = "Check the path you gave.") -> TomlTable:
        """The top table of the file at `path`; `advice` is given where there is none."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"), str(path))
        except FileNotFoundError:
            raise ConfigurationError(f"There is no file {path}", advice=advice) from None
        except IsADirectoryError:
            raise ConfigurationError(
                f"{path} is a folder, not a file", advice="Give the file that lies in it."
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"{path} cannot be read: {type(error).__name__}",
                advice="Check that it is a text file you may read.",
            ) from None

    @classmethod
    def parse(cls, text: str, file: str) -> TomlTable:
        """The top table of a text.

        A key of many parts would take the parser hours, so such lines are refused unread.
        """
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > MOST_DOTS and _bare(line).count(".") > MOST_DOTS:
                raise ConfigurationError(
                    f"{file}: line {number} has more than {MOST_DOTS} dots outside of quotes",
                    advice="No key has as many parts; numbers can stand in several lines.",
                )
        try:
            return cls(tomllib.loads(text), "", file)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(
                f"{file} is not valid TOML: {error}", advice="Correct that line and try again."
            ) from None

    def fault(self, key: str, what: str, advice: str = "") -> ConfigurationError:
        """The error that names this file and the full path of `key`."""
        return ConfigurationError(
            f"{self.file}: {self._path(key)} {what}",
            advice=advice or "Correct it there and try again.",
        )

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value at `key`; a missing one is the default, or an error where there is none."""
        self._known.append(key)
        if key not in self._content:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        value: Any = self._content.pop(key)
        if kind is float and type(value) is int:
            value = float(value)
        if kind is not object and type(value) is not kind:
            raise self.fault(key, f"must be {_NAMES.get(kind, kind.__name__)}")
        self._refuse_unprintable(key, [value])
        return cast(T, value)

    def holds(self, key: str) -> bool:
        """Return whether there is a value at `key` that was not taken."""
        return key in self._content

    def take_list(self, key: str, kind: type[T], default: tuple[T, ...] | None = None) -> list[T]:
        """The list at `key`, every item of `kind`."""
        if default is not None and key not in self._content:
            self._known.append(key)
            return list(default)
        if kind is str and isinstance(text := self._content.get(key), str) and text.isprintable():
            raise self.fault(key, "must be a list of texts", f'Write {key} = ["{text}"].')
        items: list[Any] = self.take(key, list)
        if any(type(item) is not kind for item in items):
            raise self.fault(key, f"must be a list whose items are {_NAMES.get(kind, 'tables')}")
        self._refuse_unprintable(key, items)
        return items

    def table(self, key: str, *, optional: bool = False) -> TomlTable:
        """The table at `key`; an optional one that is missing counts as empty."""
        content: dict[str, Any] = self.take(key, dict, {} if optional else None)
        return TomlTable(content, self._path(key), self.file)

    def tables(self, key: str) -> Iterator[TomlTable]:
        """The tables of the array at `key`, in their order."""
        for number, content in enumerate(self.take_list(key, dict), start=1):
            yield TomlTable(content, f"{self._path(key)}[{number}]", self.file)

    def finish(self) -> None:
        """Refuse whatever was not taken: a misspelt option must not pass in silence."""
        for key in self._content:
            if not key.isprintable():
                raise self.fault("one key", "holds a character that cannot be printed")
            close = get_close_matches(key, self._known, n=1)
            hint = f'Did you mean "{close[0]}"?' if close else f"Known here: {self._listing()}."
            raise self.fault(key, "is not a known option", hint)

    def _refuse_unprintable(self, key: str, values: Sequence[object]) -> None:
        """Texts are shown where people compare hashes: none may rewrite what stands there."""
        if any(isinstance(value, str) and not value.isprintable() for value in values):
            raise self.fault(
                key,
                "holds a character that cannot be printed",
                "Write it in one line, without control characters.",
            )

    def _listing(self) -> str:
        return ", ".join(sorted(set(self._known)))

    def _path(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def _bare(line: str) -> str:
    """The line without its texts; where one may go on in other lines, the whole line."""
    return line if '"""' in line or "'''" in line else QUOTED.sub("", line)
