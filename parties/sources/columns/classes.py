"""The classes that labels stand for: 1 for the study's positive label, 0 for its negative one.

A label is one of the two if it is the study's word, letter by letter and without outer blanks, or
if both are numbers of the same value (1, 1.0 and +1). Truth values of a typed column also match the
words true and false in any case. Nothing else is taken for a class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.fields import WIDEST, WORD_BYTES, Fields
from ppaurora.parties.sources.columns.numbers import is_number
from ppaurora.parties.study.study import Scores

UNKNOWN = 2
SHOWN_LABELS = 5
LONGEST_SHOWN = 20
LARGEST_SHOWN = 1000
FRACTION = re.compile(r"[.,][0-9]")
UNLABELLED = FaultKind(
    "no label", "Remove these rows, leave them out with --drop-missing, or give them their labels."
)

Marks = NDArray[np.bool_]


class Classes:
    """The two labels of a study; remembers which others it has met, to tell their owner."""

    def __init__(self, scores: Scores) -> None:
        self._codes = {scores.positive.strip(): 1, scores.negative.strip(): 0}
        self._numbers = {float(word): code for word, code in self._codes.items() if is_number(word)}
        if len(self._codes) < 2 or _same_number(self._codes):
            raise ConfigurationError(
                "The positive and the negative label are the same",
                advice="Give two different ones: --positive and --negative, [list] in your site "
                "file, or [scores] in study.toml.",
            )
        self._met: set[str] = set()
        self.unknown = FaultKind(
            "a label that is neither of the study's two classes",
            f'Asked for are "{scores.positive}" and "{scores.negative}". Say what this list '
            "writes: --positive WORD --negative WORD, or [list] in your site file; or name another "
            "column with --label.",
        )

    def of_texts(self, fields: Fields) -> NDArray[np.uint8]:
        """The class of each row, 2 where it is neither."""
        classes = np.full(len(fields), UNKNOWN, np.uint8)
        for rows, part in fields.steps():
            classes[rows] = self._part(part)
        return classes

    def of_numbers(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """The classes of labels that are numbers already."""
        classes = np.full(len(values), UNKNOWN, np.uint8)
        for number, code in self._numbers.items():
            classes[values == number] = code
        rest = np.unique(values[classes == UNKNOWN])
        self._meet([f"{value:.17g}" for value in rest[: SHOWN_LABELS + 1].tolist()])
        return classes

    def of_truths(self, values: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """The classes of labels that are truth values."""
        words = {word.lower(): code for word, code in self._codes.items()}
        codes = [
            words.get(str(truth).lower(), self._numbers.get(float(truth), UNKNOWN))
            for truth in (False, True)
        ]
        met = (bool(one) for one in np.unique(values))
        self._meet([str(one).lower() for one in met if codes[one] == UNKNOWN])
        return np.array(codes, np.uint8)[values.astype(np.uint8)]

    def faults(self, classes: NDArray[np.uint8], unlabelled: Marks) -> dict[FaultKind, Marks]:
        """The rows without a class, by kind of fault."""
        return {UNLABELLED: unlabelled, self.unknown: (classes == UNKNOWN) & ~unlabelled}

    def hint(self, kind: FaultKind) -> str:
        """The other labels that were met, where there are few and they cannot be scores."""
        if kind is not self.unknown or not 0 < len(self._met) <= SHOWN_LABELS:
            return ""
        if not all(map(_may_be_shown, self._met)):
            return ""
        return f"; such labels here: {', '.join(sorted(self._met))}"

    def _part(self, fields: Fields) -> NDArray[np.uint8]:
        classes = np.full(len(fields), UNKNOWN, np.uint8)
        heads, lengths = fields.heads(), fields.lengths
        for word, code in self._codes.items():
            written = _as_written(word)
            if len(written) <= WORD_BYTES:
                same = heads == np.uint64(int.from_bytes(written, "little"))
                classes[same & (lengths == len(written))] = code
        left = np.flatnonzero((classes == UNKNOWN) & (lengths > 0))
        if left.size:
            classes[left] = self._others(fields.take(left))
        return classes

    def _others(self, fields: Fields) -> NDArray[np.uint8]:
        """The classes of labels that are no short word of the study's."""
        classes = np.full(len(fields), UNKNOWN, np.uint8)
        texts, lengths = fields.padded(), fields.lengths
        for word, code in self._codes.items():
            written = _as_written(word)
            if len(written) <= WIDEST:
                classes[(lengths == len(written)) & (texts == written)] = code
        rest = (classes == UNKNOWN) & (lengths > 0)
        long, short = np.flatnonzero(rest & (lengths > WIDEST)), rest & (lengths <= WIDEST)
        classes[long] = [self._code(fields.text(row)) for row in long.tolist()]
        alike, which = np.unique(texts[short], return_inverse=True)
        codes = [self._code(text.decode().replace('""', '"')) for text in alike.tolist()]
        classes[short] = np.array(codes, np.uint8)[which]
        return classes

    def _code(self, text: str) -> int:
        code = self._codes.get(text, UNKNOWN)
        if code == UNKNOWN and is_number(text):
            code = self._numbers.get(float(text), UNKNOWN)
        if code == UNKNOWN:
            self._meet([text])
        return code

    def _meet(self, texts: list[str]) -> None:
        if len(self._met) <= SHOWN_LABELS:
            self._met.update(texts)


def _as_written(word: str) -> bytes:
    """A word as it stands between quotes."""
    return word.replace('"', '""').encode()


def _same_number(words: Iterable[str]) -> bool:
    return all(map(is_number, words)) and len({float(word) for word in words}) == 1


def _may_be_shown(text: str) -> bool:
    """Short and printable, and no number that could be a score."""
    if not text.isprintable() or len(text) > LONGEST_SHOWN or FRACTION.search(text):
        return False
    if text.lstrip("+-").isdecimal():
        return abs(int(text)) < LARGEST_SHOWN
    return not any(character.isdigit() for character in text) or text[0].isalpha()
