"""Decimals read many at once: to the last bit the double that Python reads, or left to Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.sources.columns.decimals import decimals
from ppaurora.parties.sources.columns.fields import Fields

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
