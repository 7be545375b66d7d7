"""The parameters of a statistic: declared as fields, read from texts, printed back.

A statistic is a frozen dataclass; each of its fields is made by one of the functions below and says
what it accepts. Numbers are exact: 0.95 is 19/20, never the nearest double.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, ClassVar

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused

_LEAST = (
    "The study has one for all: least_cell under [release], or --least-cell. `ppaurora study "
    "convert` writes an older file anew."
)
OF_STUDY = {"least": _LEAST, "both_classes": _LEAST}
"""Parameters of older versions, and the options of the study that took their place."""
OPTION = "metrics"
MOST_DIGITS = 18
_KEY = "parameter"


@dataclass(frozen=True, slots=True)
class Parameter:
    """The values that a parameter accepts; `several` are written with a slash between them."""

    help: str
    several: bool = False
    rest: ClassVar[bool] = False
    """True of the last one, which takes all that follows it."""

    def read(self, text: str) -> object:
        """The value that a text stands for; a ValueError says what is wanted instead."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """The text that stands for a value."""
        return str(value)

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Number(Parameter):
    """An exact decimal number from `least` to `most`, the ends themselves only if `closed`."""

    least: Fraction = Fraction(0)
    most: Fraction = Fraction(1)
    closed: bool = True

    @property
    def accepts(self) -> str:
        low, high = (decimal(end) for end in (self.least, self.most))
        return f"a number from {low} to {high}" if self.closed else f"between {low} and {high}"

    def read(self, text: str) -> Fraction:
        digits = text.removeprefix("-")
        if not digits.replace(".", "", 1).isascii() or not digits.replace(".", "", 1).isdecimal():
            raise ValueError(self.accepts)
        if len(digits) > MOST_DIGITS:
            raise ValueError(f"{self.accepts}, written with at most {MOST_DIGITS} digits")
        value = Fraction(text)
        inside = self.least <= value <= self.most if self.closed else self.least < value < self.most
        if not inside:
            raise ValueError(self.accepts)
        return value

    def written(self, value: Any) -> str:
        return decimal(value)


MOST_SCORE = Fraction(10**15)


@dataclass(frozen=True, slots=True)
class Score(Number):
    """A score of the owners, in their own units."""

    least: Fraction = -MOST_SCORE
    most: Fraction = MOST_SCORE

    @property
    def accepts(self) -> str:
        return "a score"


@dataclass(frozen=True, slots=True)
class Whole(Parameter):
    """A whole number from `least` to `most`."""

    least: int = 0
    most: int = (1 << 31) - 1

    @property
    def accepts(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def read(self, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
            raise ValueError(self.accepts)
        value = int(text)
        if not self.least <= value <= self.most:
            raise ValueError(self.accepts)
        return value


@dataclass(frozen=True, slots=True)
class TextChoice(Parameter):
    """One of a few words."""

    choices: tuple[str, ...] = ()

    @property
    def accepts(self) -> str:
        return " or ".join(self.choices)

    def read(self, text: str) -> str:
        if text not in self.choices:
            raise ValueError(f"{self.accepts}{hint(text, self.choices)}")
        return text


@dataclass(frozen=True, slots=True)
class Flag(Parameter):
    """True or false."""

    @property
    def accepts(self) -> str:
        return "true or false"

    def read(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError(self.accepts)
        return text == "true"

    def written(self, value: Any) -> str:
        return "true" if value else "false"


@dataclass(frozen=True, slots=True)
class Metric(Parameter):
    """The text of another statistic, with its own parameters."""

    rest: ClassVar[bool] = True

    @property
    def accepts(self) -> str:
        return "a metric with its parameters, and stands last"

    def read(self, text: str) -> str:
        return text


def metric(help: str, default: str) -> Any:
    """A field that holds the text of another statistic; it is the last one."""
    return _field(Metric(help), default)


def number(
    help: str,
    default: str | None = None,
    *,
    least: str = "0",
    most: str = "1",
    closed: bool = True,
    several: bool = False,
    optional: bool = False,
) -> Any:
    """A field that holds an exact decimal number, or a tuple of `several`.

    An `optional` one is None where it is not given.
    """
    kind = Number(help, several, Fraction(least), Fraction(most), closed)
    return _field(kind, default, optional=optional)


@dataclass(frozen=True, slots=True)
class Time(Number):
    """A time in the unit of the lists, of more than 0."""

    least: Fraction = Fraction(0)
    most: Fraction = MOST_SCORE

    @property
    def accepts(self) -> str:
        return "a time"


def time(help: str) -> Any:
    """A field that holds several times of the owners, or None where they are not given."""
    return _field(Time(help, True), None, optional=True)


def score(help: str, *, several: bool = False) -> Any:
    """A field that holds a score of the owners, or a tuple of `several`."""
    return _field(Score(help, several), None)


def whole(
    help: str,
    default: int | None = None,
    *,
    least: int = 0,
    most: int = (1 << 31) - 1,
    several: bool = False,
    optional: bool = False,
) -> Any:
    """A field that holds a whole number, or a tuple of `several`.

    An `optional` one is None where it is not given.
    """
    kind = Whole(help, several, least, most)
    return _field(kind, None if default is None else str(default), optional=optional)


def choice(help: str, default: str | None, choices: Sequence[str]) -> Any:
    """A field that holds one of a few words."""
    return _field(TextChoice(help, choices=tuple(choices)), default)


def flag(help: str) -> Any:
    """A field that is true or false, false unless it is given."""
    return _field(Flag(help), Flag(help).written(False))


def _field(kind: Parameter, default: str | None, *, optional: bool = False) -> Any:
    if optional:
        return field(default=None, metadata={_KEY: kind})
    if default is None:
        return field(metadata={_KEY: kind})
    return field(default=_read(kind, default), metadata={_KEY: kind})


def parameters(statistic: type) -> dict[str, Field[Any]]:
    """The fields of a statistic that are parameters, by name, in their order."""
    return {field.name: field for field in fields(statistic) if _KEY in field.metadata}


def parameter(of: Field[Any]) -> Parameter:
    """The declaration of the field."""
    found: Parameter = of.metadata[_KEY]
    return found


def read_parameters(statistic: type, name: str, text: str) -> dict[str, object]:
    """The parameters in "key=value,key=value"; every fault is refused with what is known here."""
    known = parameters(statistic)
    values: dict[str, object] = {}
    for part in _parts(known, text) if text else ():
        key, sign, given = part.partition("=")
        if not sign or not key or not given:
            raise OptionRefused(
                OPTION,
                f'asks for "{name}:{text}", in which "{part}" does not read key=value',
                advice=f"Write it like {usage(statistic, name)}.",
            )
        if key not in known:
            listing = f"It takes {', '.join(known)}." if known else "It takes no parameters."
            raise OptionRefused(
                OPTION,
                f'asks for {name} with "{key}", which it does not know',
                advice=OF_STUDY.get(key) or hint(key, known).strip() or listing,
            )
        if key in values:
            raise OptionRefused(OPTION, f"asks for {name} and says {key} twice")
        try:
            values[key] = _read(parameter(known[key]), given)
        except ValueError as wanted:
            raise OptionRefused(
                OPTION, f'asks for {name} with {key}="{given}"', advice=f"{key} is {wanted}."
            ) from None
    for key, one in known.items():
        if key not in values and one.default is MISSING:
            raise OptionRefused(
                OPTION,
                f"asks for {name} without {key}",
                advice=f"Write it like {usage(statistic, name)}: {key} is "
                f"{parameter(one).accepts}, {parameter(one).help}.",
            )
    return values


def _parts(known: dict[str, Field[Any]], text: str) -> list[str]:
    """The parts between commas, but for one that takes the rest."""
    parts = text.split(",")
    for place, part in enumerate(parts):
        field = known.get(part.partition("=")[0])
        if field is not None and parameter(field).rest:
            return [*parts[:place], ",".join(parts[place:])]
    return parts


def written_parameters(statistic: object) -> str:
    """The parameters that differ from their defaults, as `read_parameters` reads them."""
    return ",".join(
        f"{name}={_written(parameter(one), getattr(statistic, name))}"
        for name, one in parameters(type(statistic)).items()
        if getattr(statistic, name) != one.default
    )


def settings(statistic: object) -> dict[str, tuple[str, str]]:
    """Every parameter by name, the usual ones among them: its value as written, and its help.

    Optional ones that are not given are left out.
    """
    values = {name: getattr(statistic, name) for name in parameters(type(statistic))}
    return {
        name: (_written(parameter(one), values[name]), parameter(one).help)
        for name, one in parameters(type(statistic)).items()
        if values[name] is not None
    }


def usage(statistic: type, name: str) -> str:
    """The text that asks for the statistic with all its parameters."""
    known = parameters(statistic)
    shown = ",".join(
        f"{key}={'...' if one.default in (MISSING, None) else _usual(one)}"
        for key, one in known.items()
    )
    return f"{name}:{shown}" if shown else name


def hint(text: str, known: Iterable[str]) -> str:
    """A question that names what was probably meant; empty where nothing is close."""
    close = get_close_matches(text, list(known), n=1)
    return f' Did you mean "{close[0]}"?' if close else ""


def _read(kind: Parameter, text: str) -> object:
    if not kind.several:
        return kind.read(text)
    values = tuple(kind.read(part) for part in text.split("/"))
    if len(set(values)) != len(values):
        raise ValueError("a list that names no value twice")
    return values


def _usual(field: Field[Any]) -> str:
    return _written(parameter(field), field.default)


def _written(kind: Parameter, value: Any) -> str:
    return "/".join(map(kind.written, value)) if kind.several else kind.written(value)
