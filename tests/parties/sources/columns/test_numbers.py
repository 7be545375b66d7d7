"""Numbers in texts: the grammar, stated formats, and the doubles that decimals stand for."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.columns.fields import STEP, Fields
from ppaurora.parties.sources.columns.numbers import (
    EMPTY,
    PLAIN,
    NumberFormat,
    decimals,
    fault_of,
    is_number,
    numbers,
    unusable,
)
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

ODD = [
    "",
    ".",
    "+",
    "e5",
    "1e",
    "1e+",
    "--1",
    "1.2.3",
    "1 2",
    "0x1",
    "1_0",
    "nan",
    "inf",
    "٣",
    "1e5.0",
]


def python_reads(text: str) -> bool:
    """Texts that Python's `float` takes, less those that the grammar leaves out."""
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isfinite(value) and "_" not in text and text.isascii()


@given(st.lists(st.text("0123456789+-.eE", max_size=12), min_size=1, max_size=20))
def test_exactly_what_python_reads_in_this_alphabet_is_a_number(texts: list[str]) -> None:
    values, faults = numbers(Fields.of(texts))
    faulty = np.logical_or.reduce([np.zeros(len(texts), np.bool_), *faults.values()])
    assert (~faulty).tolist() == [python_reads(text) for text in texts]
    for text, value, bad in zip(texts, values.tolist(), faulty.tolist(), strict=True):
        assert bad or value == float(text)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_double_comes_back_as_it_was_written(wanted: list[float]) -> None:
    values, faults = numbers(Fields.of([repr(value) for value in wanted]))
    assert not faults
    assert values.tolist() == wanted


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_number_is_found_alone_and_among_others(text: str) -> None:
    assert not is_number(text)
    assert fault_of(text) is not None
    values, faults = numbers(Fields.of(["0.5", text, "1e-3"]))
    (marked,) = faults.values()
    assert marked.tolist() == [False, True, False]
    assert values[[0, 2]].tolist() == [0.5, 1e-3]


def test_long_numbers_are_rounded_once_like_short_ones() -> None:
    texts = [
        "0." + "3" * 500,
        "0.1000000000000000055511151231257827021181583404541015625",
        "1" * 40,
    ]
    values, faults = numbers(Fields.of(texts))
    assert not faults
    assert values.tolist() == [float(text) for text in texts]


def test_what_is_too_small_is_zero_and_what_is_too_large_is_refused() -> None:
    values, faults = numbers(Fields.of(["1e-400", "1e400"]))
    assert values[0] == 0
    assert [kind.what for kind in faults] == ["a number too large for a double"]


def test_blanks_and_tabs_around_a_number_do_not_count() -> None:
    values, faults = numbers(Fields.of([" 1\t", "\t\t 2", "3" + " " * 500, " " * 500 + "4 "]))
    assert not faults
    assert values.tolist() == [1, 2, 3, 4]


def test_only_blanks_are_no_score() -> None:
    _, faults = numbers(Fields.of(["  ", "", "\t" * 90]))
    assert faults[EMPTY].all()


def test_faults_keep_their_rows_in_a_list_of_many_parts() -> None:
    texts = ["0.5"] * (2 * STEP + 10)
    texts[STEP + 3] = "x"
    values, faults = numbers(Fields.of(texts))
    (marked,) = faults.values()
    assert np.flatnonzero(marked).tolist() == [STEP + 3]
    assert (np.delete(values, STEP + 3) == 0.5).all()


ANY_SCORES = Scale.of("full", ("any",))


@pytest.mark.parametrize(
    ("resolution", "values", "instead"),
    [
        ("decimals:2", [0.25, 0.125, 0.5, 0.1234], "decimals:4"),
        ("decimals:2", [0.25, 1 / 3], "full"),
        ("float32", [0.5, 1 / 3], "full"),
        ("decimals:1", [0.25, 0.12345678], "float32"),
    ],
)
def test_what_the_resolution_does_not_have_is_told_with_one_that_has_it(
    resolution: str, values: list[float], instead: str
) -> None:
    [(kind, marked)] = unusable(np.array(values), Scale.of(resolution)).items()
    fits = Scale.of(resolution).fits(np.array(values))
    assert marked.tolist() == (~fits).tolist()
    assert marked.any()
    assert f": {instead} would hold them" in kind.advice


def test_values_outside_the_range_are_told_apart() -> None:
    values = np.array([0.0, 1.0, np.nan, -np.inf, 1.5, -0.1])
    told = unusable(values, PROBABILITIES)
    assert [np.flatnonzero(marked).tolist() for marked in told.values()] == [[2], [3], [4, 5]]
    nan, infinite, outside = (kind.what for kind in told)
    assert (nan, infinite) == ("NaN, which is no score,", "an infinite number")
    assert "between 0 and 1" in outside
    assert not unusable(np.array([0.0, -3e40, 1e-70]), ANY_SCORES)
    (kind,) = unusable(np.array([1e-300]), ANY_SCORES)
    assert "2^-255 to 2^256" in kind.what
    assert "another range" not in kind.advice


def test_fields_never_show_their_texts() -> None:
    assert "0.5" not in repr(Fields.of(["0.5"]))


COMMA = NumberFormat(decimal_comma=True)

PERCENT = NumberFormat(percent=True)

GERMAN = NumberFormat(decimal_comma=True, percent=True, thousands=".")


def read_in(number_format: NumberFormat, *texts: str) -> list[float | str]:
    """The number of each text, or the kind of its fault."""
    values, faults = numbers(Fields.of(texts), number_format)
    found: list[float | str] = values.tolist()
    for kind, marked in faults.items():
        for row in marked.nonzero()[0].tolist():
            found[row] = kind.what
    return found


@pytest.mark.parametrize(
    ("number_format", "text", "value"),
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
        (NumberFormat(thousands=","), "1,234,567.5", 1234567.5),
        (NumberFormat(thousands="'"), "-1’234", -1234.0),
        (NumberFormat(thousands=" "), "1\u202f234 567", 1234567.0),
    ],
)
def test_what_is_stated_is_read(number_format: NumberFormat, text: str, value: float) -> None:
    assert read_in(number_format, text) == [value]
    assert read_in(number_format, "0", text, "0") == [0.0, value, 0.0]


@pytest.mark.parametrize(
    ("number_format", "text"),
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
        (NumberFormat(thousands=","), "1,23"),
        (NumberFormat(thousands=","), "12345,678"),
    ],
)
def test_what_is_written_otherwise_is_refused(number_format: NumberFormat, text: str) -> None:
    assert read_in(number_format, "0", text) == [0.0, "a score that is not written as stated"]


def test_words_and_gaps_are_told_as_ever() -> None:
    for number_format in (COMMA, GERMAN):
        assert read_in(number_format, "", "NaN", "NA", "inf") == [
            "no score",
            "NaN, which is no score,",
            "a word for a missing score",
            "an infinite number",
        ]


def test_percentages_are_rounded_once() -> None:
    dice = random.Random(8)
    for _ in range(500):
        text = f"{dice.randrange(10 ** dice.randrange(1, 19))}e-{dice.randrange(18)}"
        assert read_in(PERCENT, text) == [float(Decimal(text).scaleb(-2))]


def test_many_rows_are_read_as_one_is() -> None:
    dice = random.Random(9)
    texts = [repr(dice.random()).replace(".", ",") for _ in range(1000)]
    assert read_in(COMMA, *texts) == [float(text.replace(",", ".")) for text in texts]


def test_marks_that_cannot_be_told_apart_are_refused() -> None:
    for decimal_comma, thousands in ((True, ","), (False, "."), (False, "x"), (False, ",,")):
        with pytest.raises(ConfigurationError, match="--thousands names no mark"):
            NumberFormat(decimal_comma, thousands=thousands)
    assert PLAIN.stated == ()
    assert GERMAN.stated == ("--decimal-comma", "--percent", "--thousands")


DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
IN_FRONT = "123456789012345678901234"
"""So that no row lies at the buffer's beginning, where some are left to Python."""


def read(texts: Sequence[str], mark: str = ".") -> dict[str, float]:
    """The texts that are read, and their values."""
    fields = Fields.of([IN_FRONT, *texts])
    values, done = decimals(fields, mark)
    return {
        text: float(value)
        for text, value, one in zip(texts, values[1:], done[1:], strict=True)
        if one
    }


def check(texts: Sequence[str]) -> None:
    """Whatever is read is a decimal, and is what Python reads, the sign of zero too."""
    for text, value in read(texts).items():
        assert DECIMAL.fullmatch(text), text
        assert value.hex() == float(text).hex(), text


DIGITS = st.integers(0, 10**22).map(str)
FORMS = st.tuples(st.sampled_from(["", "+", "-"]), DIGITS, st.integers(0, 22))


@given(st.lists(FORMS, max_size=8))
def test_a_decimal_is_the_double_that_python_reads(forms: list[tuple[str, str, int]]) -> None:
    check([f"{sign}{digits[:-k]}.{digits[-k:]}" for sign, digits, k in forms])


@given(st.lists(st.text("0123456789.,+-eE_ \x00/:xَ٣", max_size=12), max_size=8))
def test_nothing_else_is_read(texts: list[str]) -> None:
    check([text.strip(" \t") for text in texts])


def test_doubles_as_python_writes_them_come_back_to_the_last_bit() -> None:
    rng = np.random.default_rng(5)
    doubles = np.concatenate([rng.random(20_000), rng.normal(size=5000) * 1000])
    texts = [repr(one) for one in doubles.tolist()]
    found = read(texts)
    check(texts)
    assert len(found) > 0.99 * len(texts)


def test_decimals_next_to_the_middle_of_two_doubles_are_rounded_as_python_does() -> None:
    rng = np.random.default_rng(6)
    near = []
    for one in rng.random(5000).tolist():
        middle = (int(one * 2**53) * 2 + 1) * 10**18 // 2**54
        near += [f"0.{middle + more:018d}" for more in (-1, 0, 1)]
    check(near)
    assert len(read(near)) > 0.99 * len(near)


@pytest.mark.parametrize(
    "text",
    ["0", "-0", "1", "+1.", ".5", "-.5", "00.25", "0.1", "12345678", "1234567.123456789012", "7.0"],
)
def test_short_and_long_forms_are_read(text: str) -> None:
    assert read([text])[text].hex() == float(text).hex()


@pytest.mark.parametrize(
    "text",
    ["", ".", "+", "-.", "1.2.3", "--1", "1,5", "1e5", "nan", "0x1", "1_0", "0.1234567:", "1 2"],
)
def test_what_is_no_decimal_is_left(text: str) -> None:
    assert not read([text])


def test_a_decimal_comma_is_read_where_it_is_stated() -> None:
    assert read(["0,25", "0.25", "-1,5"], ",") == {"0,25": 0.25, "-1,5": -1.5}


def test_neither_whole_numbers_nor_letters_warn_of_anything_too_large() -> None:
    with np.errstate(all="raise"):
        check(["99999999.9999999999999999999", "18446744.073709551615", "zzzzzzzz", "9" * 30])


def test_rows_at_the_beginning_of_the_buffer_are_right_or_left() -> None:
    for text in ("0.5", "0.12345678901234567", "1", ".25"):
        [value], [done] = decimals(Fields.of([text]), ".")
        assert not done or float(value) == float(text)
