"""Numbers in a stated writing are those of plain decimals, or refused; nothing is guessed."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import numbers
from ppaurora.parties.sources.columns.written import PLAINLY, Written

COMMA = Written(decimal_comma=True)
PERCENT = Written(percent=True)
GERMAN = Written(decimal_comma=True, percent=True, thousands=".")


def read(written: Written, *texts: str) -> list[float | str]:
    """The number of each text, or the kind of its fault."""
    values, faults = numbers(Fields.of(texts), written)
    found: list[float | str] = values.tolist()
    for kind, marked in faults.items():
        for row in marked.nonzero()[0].tolist():
            found[row] = kind.what
    return found


@pytest.mark.parametrize(
    ("written", "text", "value"),
    [
        (COMMA, "0,25", 0.25),
        (COMMA, ",25", 0.25),
        (COMMA, "+2,5e-1", 0.25),
        (COMMA, "1", 1.0),
        (COMMA, "0," + "3" * 60, float("0." + "3" * 60)),
        (PERCENT, "12.5 %", 0.125),
        (PERCENT, "12.5%", 0.125),
        (PERCENT, "12.5", 0.125),
        (PERCENT, "55.1", 0.551),
        (PERCENT, "1e2\u00a0%", 1.0),
        (GERMAN, "1.234,5 %", 12.345),
        (GERMAN, "1234,5", 12.345),
        (Written(thousands=","), "1,234,567.5", 1234567.5),
        (Written(thousands="'"), "-1’234", -1234.0),
        (Written(thousands=" "), "1\u202f234 567", 1234567.0),
    ],
)
def test_what_is_stated_is_read(written: Written, text: str, value: float) -> None:
    assert read(written, text) == [value]
    assert read(written, "0", text, "0") == [0.0, value, 0.0]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (COMMA, "0.25"),
        (COMMA, "0,2,5"),
        (COMMA, "1.000,5"),
        (COMMA, "25 %"),
        (PERCENT, "12,5 %"),
        (PERCENT, "12 % %"),
        (PERCENT, "%"),
        (GERMAN, "12.34,5"),
        (GERMAN, "1.234.5"),
        (GERMAN, "1234.567"),
        (Written(thousands=","), "1,23"),
        (Written(thousands=","), "12345,678"),
    ],
)
def test_what_is_written_otherwise_is_refused(written: Written, text: str) -> None:
    assert read(written, "0", text) == [0.0, "a score that is not written as stated"]


def test_words_and_gaps_are_told_as_ever() -> None:
    for written in (COMMA, GERMAN):
        assert read(written, "", "NaN", "NA", "inf") == [
            "no score",
            "NaN, which is no score,",
            "a word for a missing score",
            "an infinite number",
        ]


def test_percentages_are_rounded_once() -> None:
    dice = random.Random(8)
    for _ in range(500):
        text = f"{dice.randrange(10 ** dice.randrange(1, 19))}e-{dice.randrange(18)}"
        assert read(PERCENT, text) == [float(Decimal(text).scaleb(-2))]


def test_many_rows_are_read_as_one_is() -> None:
    dice = random.Random(9)
    texts = [repr(dice.random()).replace(".", ",") for _ in range(1000)]
    assert read(COMMA, *texts) == [float(text.replace(",", ".")) for text in texts]


def test_marks_that_cannot_be_told_apart_are_refused() -> None:
    for decimal_comma, thousands in ((True, ","), (False, "."), (False, "x"), (False, ",,")):
        with pytest.raises(ConfigurationError, match="--thousands names no mark"):
            Written(decimal_comma, thousands=thousands)
    assert PLAINLY.stated == ()
    assert GERMAN.stated == ("--decimal-comma", "--percent", "--thousands")
