"""Command line options made from classes: the option sets of a study, and groups of options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import chain
from typing import Annotated, Any, get_type_hints

import typer

from ppaurora.parties.columns.column import Extras, column_kinds
from ppaurora.protocols.option import Option, OptionSet


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """The base of a dataclass whose fields are options that several commands have in common.

    Each field is annotated as Typer wants it. A command has a parameter of the dataclass, and its
    options with it; a default of the parameter gives the command's own defaults.
    """


def with_declared_options(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: a parameter of an `OptionSet` or `OptionGroup` becomes its several options.

    One of `Extras` becomes those of all kinds of columns. The command is called with the object, or
    the objects, that they make. Options of the names `left_out` keep their
    defaults. An option of several sets is offered once, and is the first set's.
    """

    def expanded(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        declared: dict[str, list[type[OptionSet]]] = {
            name: [*column_kinds().values()] if kind == Extras else [kind]
            for name, kind in hints.items()
            if kind == Extras or (isinstance(kind, type) and issubclass(kind, OptionSet))
        }
        groups = {
            name: kind
            for name, kind in hints.items()
            if isinstance(kind, type) and issubclass(kind, OptionGroup)
        }
        taken = set(left_out)
        offered: dict[type[OptionSet], list[Option]] = {}
        for kind in chain.from_iterable(declared.values()):
            offered[kind] = [one for one in kind.options().values() if one.flag not in taken]
            taken |= {one.flag for one in offered[kind]}

        def call(**given: Any) -> None:
            sets = {
                kind: kind(
                    **{
                        one.name: _value(one, given.pop(_name(one)))
                        for one in options
                        if _name(one) in given
                    }
                )
                for kind, options in offered.items()
            }
            made = {
                name: tuple(map(sets.get, kinds)) if hints[name] == Extras else sets[kinds[0]]
                for name, kinds in declared.items()
            }
            shared = {
                name: kind(
                    **{one.name: given.pop(one.name) for one in fields(kind) if one.name in given}
                )
                for name, kind in groups.items()
                if any(one.name in given for one in fields(kind))
            }
            command(**given, **made, **shared)

        parameters: list[inspect.Parameter] = []
        for name, one in inspect.signature(command).parameters.items():
            if name in declared:
                for kind in declared[name]:
                    parameters += map(_parameter, offered[kind])
            elif name in groups:
                parameters += _parameters(groups[name], one.default)
            else:
                parameters.append(one.replace(annotation=hints[name]))
        kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__annotations__ = {one.name: one.annotation for one in kept}
        call.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
        return call

    return expanded


def _name(option: Option) -> str:
    return option.flag.replace("-", "_")


def _parameter(option: Option) -> inspect.Parameter:
    """The function parameter that Typer makes the command line option of."""

    def begun(incomplete: str) -> list[str]:
        return [one for one in (*option.choices, *option.offered()) if one.startswith(incomplete)]

    kind: Any = option.kind
    default: Any = option.default
    help_text = option.help
    if kind is tuple and option.joined:
        kind, default = str, option.joined.join(map(str, default))
    elif kind is tuple:
        help_text = f"{help_text} One --{option.flag} for each."
        kind, default = list[str], list(default)
    return inspect.Parameter(
        _name(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[
            kind, typer.Option(f"--{option.flag}", help=help_text, autocompletion=begun)
        ],
    )


def _parameters(kind: Any, default: object) -> list[inspect.Parameter]:
    """An `inspect.Parameter` for each field of the dataclass `kind`.

    Where `default` is an instance of it, its values are the defaults.
    """
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(default, one.name, one.default),
            annotation=hints[one.name],
        )
        for one in fields(kind)
    ]


def _value(option: Option, given: Any) -> Any:
    """The value that was given on the command line, as the option has it."""
    if option.kind is not tuple:
        return given
    if option.joined:
        items = given.split(option.joined) if given else []
        return tuple(map(_number, items) if option.numbers else items)
    return tuple(given)


def _number(text: str) -> float | str:
    """The number that a text is; a text that is none is left for the option to refuse."""
    try:
        return float(text)
    except ValueError:
        return text
