"""The form of a list that somebody looks at: its columns, its words, its writing, found by looking.

This is for a list that is only looked at on this machine: `ppaurora check`, `simulate`, `study new
--like`. An upload guesses nothing; its owner says the form, as `check` proposes it. What is stated
is taken as it is; what cannot be told apart is left to the reader, which refuses it by name.
"""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.numbers import MISSING as MISSING_WORD
from ppaurora.parties.sources.columns.numbers import NAN, fault_of, is_number
from ppaurora.parties.sources.delimited_text import DelimitedText
from ppaurora.parties.sources.engine.engine import table_of
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns, FileSource
from ppaurora.parties.sources.text.records import blocks, dialect_of
from ppaurora.parties.sources.text.text_file import ENCODINGS, TextFile, check_start
from ppaurora.parties.study.study import Scores

LOOKED_AT = 10_000
"""Rows from the beginning."""
SCORE_NAMES = (
    *("score", "risk", "probability", "prob", "proba", "prediction", "predicted", "pred"),
    *("y_score", "y_prob", "y_pred", "p"),
)
LABEL_NAMES = (
    *("label", "outcome", "y", "y_true", "target", "class", "event", "truth", "diagnosis"),
)
PAIRS = (
    *(("1", "0"), ("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("pos", "neg")),
    *(("positive", "negative"), ("case", "control"), ("sick", "well"), ("ja", "nein")),
    *(("oui", "non"), ("sí", "no"), ("si", "no")),
)
"""Words for the positive class and for the other that leave no doubt."""
WITH_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+ ?%?")
WITH_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+ ?%?")
PART, SIGNED = 1 << 20, 64
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def form_of(path: Path, stated: Columns, scores: Scores) -> Columns:
    """The form of the list at `path`, as far as it can be told from its first rows."""
    found = stated
    text = isinstance(file_source(path, found), DelimitedText)
    if text and found.encoding == ENCODINGS[0] and path.is_file():
        found = replace(found, encoding=_encoding(path))
    names, rows = _sample(file_source(path, found))
    found = replace(
        found,
        score=_name(found.score, SCORE_NAMES, names),
        label=_name(found.label, LABEL_NAMES, names),
    )
    plain = [name.strip().casefold() for name in names]
    if text and not found.number_format.stated and found.score.casefold() in plain:
        found = _written(found, _column(rows, plain.index(found.score.casefold())))
    if not found.positive and found.label.casefold() in plain:
        words = set(_column(rows, plain.index(found.label.casefold())))
        found = _worded(found, words, scores)
    return found


def _sample(source: FileSource) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """The names of the columns, and some rows as texts; nothing of what is no table by itself."""
    if not isinstance(source, DelimitedText):
        try:
            return table_of(source, LOOKED_AT)
        except DataError:
            return (), []
    file = TextFile(source.path, source.columns.encoding)
    dialect = dialect_of(file, source.columns.delimiter)
    rows: list[tuple[str, ...]] = []
    for block in blocks(file, dialect):
        columns = [block.fields(place) for place in range(len(dialect.names))]
        rows += [tuple(fields.text(row) for fields in columns) for row in range(len(block))]
        if len(rows) >= LOOKED_AT:
            break
    return dialect.names, rows


def options_text(columns: Columns) -> str:
    """The options by which a command line says a form; empty for the usual one."""
    said = [
        f"--{one.flag}" if each is True else f"--{one.flag}={shlex.quote(str(each))}"
        for one, value in columns.stated
        for each in (value if one.kind is tuple else [value])
    ]
    return " ".join(said)


def _encoding(path: Path) -> str:
    """UTF-8 if all of the file is; UTF-16 by its mark; else Latin-1, which any bytes are."""
    with TextFile(path).open() as opened:
        start = opened.read(SIGNED)
    if start.startswith(UTF16) and not start.startswith(codecs.BOM_UTF32_LE):
        return "utf-16"
    check_start(str(path), start)
    decoder = codecs.getincrementaldecoder("utf-8")()
    with TextFile(path).open() as opened:
        while True:
            part = opened.read(PART)
            try:
                decoder.decode(part, final=not part)
            except UnicodeDecodeError:
                return "latin-1"
            if not part:
                return ENCODINGS[0]


def _name(asked: str, usual: Sequence[str], names: Sequence[str]) -> str:
    """The column that is asked for if it is there, else the only one with a usual name."""
    plain = [name.strip().casefold() for name in names]
    if asked.casefold() in plain or asked != usual[0]:
        return asked
    fitting = [name.strip() for name in names if name.strip().casefold() in usual]
    return fitting[0] if len(fitting) == 1 else asked


def _column(rows: Iterable[Sequence[str]], place: int) -> list[str]:
    """The texts of a column that are no missing values."""
    texts = (row[place].strip() for row in rows)
    return [text for text in texts if text and fault_of(text) not in (NAN, MISSING_WORD)]


def _written(found: Columns, texts: Sequence[str]) -> Columns:
    comma = any(map(WITH_COMMA.fullmatch, texts)) and not any(map(WITH_POINT.fullmatch, texts))
    percent = bool(texts) and all(text.endswith("%") for text in texts)
    return replace(found, decimal_comma=comma, percent=percent)


def _worded(found: Columns, words: set[str], scores: Scores) -> Columns:
    """With the list's own words, where they are another pair than the study's."""
    if {*map(_plain, words)} <= {_plain(scores.positive), _plain(scores.negative)}:
        return found
    for positive, negative in PAIRS:
        own = {word.casefold(): word for word in words}
        if len(own) == len(words) and own.keys() <= {positive, negative}:
            missing = next(iter(words))
            return replace(
                found,
                positive=own.get(positive, _like(positive, missing)),
                negative=own.get(negative, _like(negative, missing)),
            )
    return found


def _plain(word: str) -> str | float:
    """A word as labels are compared: numbers by their value."""
    return float(word) if is_number(word) else word


def _like(word: str, other: str) -> str:
    """A word that does not occur, written as the other one is."""
    if other.isupper():
        return word.upper()
    return word.capitalize() if other[:1].isupper() else word
