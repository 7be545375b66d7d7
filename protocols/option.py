"""Options of a study, each declared once, as a field of a frozen dataclass made by `option`.

A declaration says what the option is in a few words, its default, what it may be, where it stands
in study.toml, and when it has a meaning. The command line, the reading and the writing of
study.toml, the ledger, the schema of results and the reports go over the declarations: a new option
is a field, and nothing else names it but what uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.parameters import hint

_DECLARED = "option"
_KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _always(options: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of one option.

    `title` says what it is in a few words, for files and reports; `detail`, for the command line,
    what may be chosen. It stands in the `table` of study.toml at `key`, and is `--flag` on the
    command line; both are its `name` unless they are given. `choices` are the only texts that it
    may be, `least` and `most` the bounds of a number, which must be more than `above`. Where
    `applies` is false of the whole, the option has no meaning: it must have its default and stands
    in no file, and `without` says what to do. A list of texts is given on the command line one by
    one, or `joined` by a sign. A list is of texts, or of numbers where its default is; then it may
    also be one of the `words`. Shells complete the choices and what is `offered`.
    """

    default: Any
    title: str
    table: str
    name: str = ""
    key: str = ""
    flag: str = ""
    detail: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    above: float | None = None
    joined: str = ""
    words: tuple[str, ...] = ()
    offered: Callable[[], Iterable[str]] = tuple
    applies: Callable[[Any], bool] = _always
    without: str = "Leave it out."

    @property
    def kind(self) -> type:
        """The type of its values."""
        return type(self.default)

    @property
    def numbers(self) -> bool:
        """True if its values are lists of numbers."""
        return self.kind is tuple and any(type(one) is not str for one in self.default)

    @property
    def everywhere(self) -> bool:
        """True if it has a meaning whatever the others are."""
        return self.applies is _always

    @property
    def help(self) -> str:
        """The text for `--help`."""
        sentences = (self.title, self.detail or " or ".join(self.choices))
        return " ".join(
            f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence
        )

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        if self.choices:
            return " or ".join(f'"{choice}"' for choice in self.choices)
        if self.numbers:
            return "a list of numbers" + "".join(f' or "{word}"' for word in self.words)
        if self.kind is tuple:
            return "a list of texts"
        kind = _KINDS[self.kind]
        if self.above is not None:
            upto = "" if self.most is None else f" and at most {self.most:g}"
            return f"{kind}, more than {self.above:g}{upto}"
        if self.least is None:
            return kind
        if self.most is None:
            return f"{kind}, {self.least:g} or more"
        return f"{kind} from {self.least:g} to {self.most:g}"

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of its values."""
        if self.kind is tuple:
            items = ["number", "string"] if self.words else ["number" if self.numbers else "string"]
            only = items[0] if len(items) == 1 else items
            return {"description": self.title, "type": "array", "items": {"type": only}}
        types = {int: "integer", float: "number", str: "string", bool: "boolean"}
        bounds = {"minimum": self.least, "maximum": self.most, "exclusiveMinimum": self.above}
        return {
            "description": self.title,
            "type": types[self.kind],
            **({"enum": list(self.choices)} if self.choices else {}),
            **{name: bound for name, bound in bounds.items() if bound is not None},
        }

    def plain(self, value: Any) -> Any:
        """The value as files have it: a list where it is several, one of the words by itself."""
        if self.kind is not tuple:
            return value
        return value[0] if len(value) == 1 and value[0] in self.words else list(value)

    def refuse(self, what: str, advice: str = "") -> OptionRefused:
        """The error that names this option."""
        return OptionRefused(self.name, what, advice=advice)

    def checked(self, value: object) -> object:
        """The value, a list of texts as a tuple; refused where it may not be."""
        if self.kind is tuple:
            return self._listed(value)
        if self.kind is float and type(value) is int:
            value = float(value)
        if self.kind is str and isinstance(value, StrEnum):
            value = value.value
        if type(value) is not self.kind:
            raise self.refuse(f"must be {self.accepts}")
        if self.choices and value not in self.choices:
            listing = ", ".join(f'"{choice}"' for choice in self.choices)
            raise self.refuse(
                f'names "{value}"', f"Choose from {listing}.{hint(str(value), self.choices)}"
            )
        if isinstance(value, int | float) and not self._within(value):
            raise self.refuse(f"must be {self.accepts}")
        return value

    def _within(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
        )

    def _listed(self, value: object) -> tuple[float | str, ...]:
        if self.numbers:
            return self._listed_numbers(value)
        if isinstance(value, str):
            raise self.refuse(
                f'is the text "{value}" and not a list of texts', f'Write ("{value}",).'
            )
        if not isinstance(value, Sequence) or not all(isinstance(text, str) for text in value):
            raise self.refuse(f"must be {self.accepts}")
        return tuple(value)

    def _listed_numbers(self, value: object) -> tuple[float | str, ...]:
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, Sequence):
            raise self.refuse(f"must be {self.accepts}")
        if len(value) == 1 and value[0] in self.words:
            return (str(value[0]),)
        if not all(type(one) in (int, float) for one in value):
            raise self.refuse(f"must be {self.accepts}")
        # whole numbers are written as such
        return tuple(int(one) if float(one).is_integer() else float(one) for one in value)


def option(
    default: Any, title: str, *, table: str, choices: Iterable[str] = (), **more: Any
) -> Any:
    """A field of a `OptionSet` dataclass that is an option, as `Option` describes it."""
    declared = Option(default, title, table, choices=tuple(choices), **more)
    return field(default=default, metadata={_DECLARED: declared})


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSet:
    """Some options of a study; every value is checked when they are made.

    A class whose options do not all go together says so in `check`, which follows.
    """

    def __post_init__(self) -> None:
        options = self.options()
        for declared in options.values():
            object.__setattr__(self, declared.name, declared.checked(getattr(self, declared.name)))
        self.complete()
        for declared in options.values():
            if getattr(self, declared.name) != declared.default and not declared.applies(self):
                raise declared.refuse("has no meaning in this study", declared.without)
        self.check()

    def complete(self) -> None:
        """Fill in what was left open and follows from other options."""

    def check(self) -> None:
        """Raise `OptionRefused` where options do not go together."""

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The declarations by name, in their order."""
        return _options_of(cls)  # type: ignore[arg-type]  # a class is hashable; its slots hide it

    @property
    def chosen(self) -> list[tuple[Option, Any]]:
        """The options that have a meaning here, each with its value: a list where it is several."""
        return [
            (declared, declared.plain(value))
            for declared in self.options().values()
            if declared.applies(self)
            for value in [getattr(self, declared.name)]
        ]

    @property
    def stated(self) -> list[tuple[Option, Any]]:
        """Those of the chosen options whose value is not their default."""
        return [(one, value) for one, value in self.chosen if value != one.plain(one.default)]


@cache
def _options_of(kind: type[OptionSet]) -> dict[str, Option]:
    found = {
        field.name: field.metadata[_DECLARED]
        for field in fields(kind)
        if _DECLARED in field.metadata
    }
    return {
        name: replace(one, name=name, key=one.key or name, flag=one.flag or name.replace("_", "-"))
        for name, one in found.items()
    }
