"""Reading an owner's list from wherever it lies: the sources of this package, and which reads what.

A module of this package that defines a `Source` is a source; there is no other list of them.
"""

from __future__ import annotations

import contextlib
import os
import pkgutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from inspect import isabstract
from itertools import compress
from pathlib import Path

from ppaurora.parties.columns.column import ExtraColumn, Extras, of_list
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.in_memory import InMemory
from ppaurora.parties.sources.labelled import Labelled, beside
from ppaurora.parties.sources.source import Columns, FileSource, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import PROBABILITIES, Resolution, Scale
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options

__all__ = [
    "Columns",
    "Labelled",
    "Source",
    "file_source",
    "read",
    "source_of",
    "sources",
    "study_data",
]

PACKAGE = __name__.rpartition(".")[0]


def read(
    given: object,
    columns: Columns | None = None,
    scores: Scores | None = None,
    *,
    resolution: str = Resolution.FULL.value,
    range: tuple[float | str, ...] = (0, 1),
    extra: Sequence[str] = (),
) -> Labelled:
    """The list in `given`: a path, a data frame, Arrow columns, a `Source`, or a `Labelled`.

    `columns` names its columns, `scores` its labels, `resolution` and `range` the numbers that may
    be scores, as a study says them; range=("any",) allows any. `extra` columns are read as scores.

    >>> import polars
    >>> frame = polars.DataFrame({"risk": [0.75, 0.5], "outcome": ["sick", "well"]})
    >>> read(frame, Columns("risk", "outcome"), Scores(positive="sick", negative="well"))
    <Labelled, 2 samples>
    """
    for name, value, kind in (("columns", columns, Columns), ("scores", scores, Scores)):
        if not isinstance(value, kind | None):
            raise ConfigurationError(
                f"`{name}` of read is of the type {type(value).__name__}, not {kind.__name__}",
                advice='For example read(path, Columns("score", "label"), Scores(positive="1")).',
            )
    scale = Scale.of(resolution, tuple(range))
    return source_of(given, columns).read(scores or Scores(), scale, extra)


def study_data(
    source: Source, scores: Scores, options: Options, extra: Extras = ()
) -> Labelled | Counted:
    """The data of a list that a study with these options needs: counts where they are enough.

    The rows come with the `extra` columns, under the names that the study gives them.
    """
    form: Columns = getattr(source, "columns", Columns())
    form.check_renamed([name for one in extra for name in one.columns])
    extra = of_list(extra, options, holds_of(source))
    if not options.least_join:
        check_whole(source)
    grid = options.pipeline.counting_grid
    if grid is not None and source.counts and not form.round:
        return source.count(scores, grid, options.scale)
    source = _with_labels(source, extra)
    rest = [one for one in extra if not one.is_label]
    # what is read by itself must be of the same rows
    apart = any(not one.numeric or one.scale is not None for one in rest)
    with source.kept() if apart else contextlib.nullcontext(source) as rows:
        return _rows_of(rows, scores, options, rest)


def _rows_of(
    source: Source, scores: Scores, options: Options, rest: Sequence[ExtraColumn]
) -> Labelled:
    """The rows of a list with the columns that the study needs beside its labels."""
    alike = [name for one in rest if one.numeric and one.scale is None for name in one.columns]
    table = source.read(scores, options.scale, alike)
    for one in rest:
        if one.scale is not None:
            table = beside(table, numbers_in(source, scores, one), one.column)
    texts = {
        name: source.texts(name, numbers=one.decimals)
        for one in rest
        if not one.numeric
        for name in one.columns
    }
    if table.kept is not None:
        texts = {name: list(compress(values, table.kept)) for name, values in texts.items()}
    return replace(table, extra={**table.extra, **texts}) if texts else table


def holds_of(source: Source) -> str:
    """The word for what the rows of a list have: scores, labels or both."""
    form: Columns = getattr(source, "columns", Columns())
    table = getattr(source, "table", None)
    return table.holds if isinstance(table, Labelled) else form.holds


def check_whole(source: Source) -> None:
    """Refuse a list without scores or without labels, for a study that joins none."""
    holds = holds_of(source)
    if holds != Side.BOTH.word:
        raise ConfigurationError(
            f"{source.name} holds {holds} only, and the study joins no lists",
            advice="Give a list with both, or agree on a study that joins them (--join-by).",
        )


def numbers_in(source: Source, scores: Scores, column: ExtraColumn, extra: Extras = ()) -> Labelled:
    """The labels of a list with the numbers of a column, which has a scale of its own, as scores.

    The label is in the column that one of `extra` names, if any does.
    """
    source = _with_labels(source, extra)
    if isinstance(source, InMemory):
        source = source.of_numbers(column.column)
    else:
        form: Columns = getattr(source, "columns", Columns())
        source = _with_columns(source, form.of_numbers(column.column))
    return source.read(scores, column.scale or PROBABILITIES)


def _with_labels(source: Source, extra: Extras) -> Source:
    """The source whose labels are in the column that the study names for them, if it names one."""
    named = [one.column for one in extra if one.is_label]
    form: Columns | None = getattr(source, "columns", None)
    return _with_columns(source, form.of_labels(*named)) if named and form else source


def _with_columns(source: Source, columns: Columns) -> Source:
    """The same source with other columns; those of a list in memory have no names."""
    return replace(source, columns=columns)  # type: ignore[type-var]


def source_of(given: object, columns: Columns | None = None) -> Source:
    """The source that reads what is given; a `Source` is its own, with columns of its own."""
    if isinstance(given, str | os.PathLike):
        return file_source(Path(given), columns)
    if columns is not None and isinstance(given, Source | Labelled):
        raise ConfigurationError(
            f"Columns are named for a file or a data frame, not for a {type(given).__name__}",
            advice="Leave them out, or name them where the source is made.",
        )
    if isinstance(given, Source):
        return given
    for kind in sources():
        if (source := kind.for_object(given, columns or Columns())) is not None:
            return source
    raise DataError(
        f"A list of type {type(given).__name__} is not understood",
        advice="Give each owner's list as the path of a CSV or Parquet file, as a data frame "
        "(pandas, polars, pyarrow), as a Source, or as Labelled(scores, labels) of two arrays.",
    )


def file_source(path: Path, columns: Columns | None = None) -> FileSource:
    """The source of the file or folder at `path`, chosen by the ending of its name."""
    name = path.name.lower() + ("/" if path.is_dir() else "")
    fitting = [
        (len(ending), kind)
        for kind in sources()
        if issubclass(kind, FileSource)
        for ending in kind.endings
        if name.endswith(ending)
    ]
    _, kind = max(fitting, key=lambda one: one[0])
    return kind(path, columns or Columns())


@cache
def sources() -> tuple[type[Source], ...]:
    """Every source that a module of this package defines, by name."""
    kinds: set[type[Source]] = set()
    for module in pkgutil.iter_modules(import_module(PACKAGE).__path__, PACKAGE + "."):
        for one in vars(import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, Source) and not isabstract(one):
                kinds.add(one)
    return tuple(sorted(kinds, key=lambda kind: kind.__name__))
