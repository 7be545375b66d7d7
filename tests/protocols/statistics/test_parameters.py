"""Parameters are read exactly, refused with what is meant, and printed back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.parameters import (
    choice,
    decimal,
    flag,
    number,
    read_parameters,
    settings,
    usage,
    whole,
    written_parameters,
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One parameter of each kind."""

    than: Fraction = number("what it is compared with")
    level: Fraction = number("of the interval", "0.95", closed=False)
    at: tuple[Fraction, ...] = number("thresholds", "0.5", least="-10", most="10", several=True)
    bins: int = whole("how many bins", 10, least=2, most=1024)
    method: str = choice("the scale", "delong", ("delong", "logit"))
    standardized: bool = flag("as McClish")


def read(text: str) -> Sample:
    return Sample(**read_parameters(Sample, "sample", text))  # type: ignore[arg-type]


def test_what_is_not_said_has_its_default() -> None:
    assert read("than=0.5") == Sample(
        Fraction(1, 2), Fraction(19, 20), (Fraction(1, 2),), 10, "delong", False
    )


def test_every_kind_is_read_exactly() -> None:
    sample = read("than=0.1,level=0.999,at=-1.5/0/2,bins=1024,method=logit,standardized=true")
    assert sample.than == Fraction(1, 10)
    assert sample.at == (Fraction(-3, 2), Fraction(0), Fraction(2))
    assert (sample.bins, sample.method, sample.standardized) == (1024, "logit", True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "without than"),
        ("than=0.5,levle=0.9", 'Did you mean "level"'),
        ("than=0.5,zzz=1", "It takes than, level, at, bins, method, standardized"),
        ("than=0.5,method=logti", 'Did you mean "logit"'),
        ("than=0.5,method=x", "method is delong or logit"),
        ("than=1.1", "than is a number from 0 to 1"),
        ("than=1e-1", "than is a number from 0 to 1"),
        ("than=nan", "than is a number"),
        ("than=½", "than is a number"),
        ("than=0_1", "than is a number"),
        ("than=" + "0." + "1" * 30, "at most 18 digits"),
        ("than=0.5,level=1", "level is between 0 and 1"),
        ("than=0.5,bins=1", "bins is a whole number from 2 to 1024"),
        ("than=0.5,bins=2.0", "bins is a whole number"),
        ("than=0.5,bins=-2", "bins is a whole number"),
        ("than=0.5,standardized=yes", "standardized is true or false"),
        ("than=0.5,at=1/1.0", "names no value twice"),
        ("than=0.5,at=1//2", "at is a number"),
        ("than=0.5,than=0.6", "says than twice"),
        ("than", "does not read key=value"),
        ("than=", "does not read key=value"),
        ("than=0.5,", "does not read key=value"),
        ("than= 0.5", "than is a number"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_is_wanted(text: str, told: str) -> None:
    with pytest.raises(OptionRefused) as caught:
        read(text)
    assert told in str(caught.value)
    assert caught.value.option == "metrics"


numbers = st.integers(0, 10**6).map(lambda millionths: Fraction(millionths, 10**6))


@given(
    numbers,
    numbers.filter(lambda value: 0 < value < 1),
    st.lists(numbers.map(lambda value: value * 20 - 10), min_size=1, max_size=4, unique=True),
    st.integers(2, 1024),
    st.sampled_from(["delong", "logit"]),
    st.booleans(),
)
def test_what_is_written_reads_back(than, level, at, bins, method, standardized) -> None:  # type: ignore[no-untyped-def]
    sample = Sample(than, level, tuple(at), bins, method, standardized)
    assert read(written_parameters(sample)) == sample


def test_only_what_differs_from_the_usual_is_written() -> None:
    assert written_parameters(read("than=0.50,bins=10,level=0.90")) == "than=0.5,level=0.9"


def test_the_usage_shows_all_parameters() -> None:
    assert usage(Sample, "sample") == (
        "sample:than=...,level=0.95,at=0.5,bins=10,method=delong,standardized=false"
    )


@dataclass(frozen=True, slots=True)
class WithOptional:
    """Parameters that need not be given and have no usual value."""

    least: int | None = whole("the least", least=1, optional=True)
    share: Fraction | None = number("a share", optional=True)


def test_an_optional_parameter_is_none_unless_it_is_given() -> None:
    none = WithOptional(**read_parameters(WithOptional, "sample", ""))  # type: ignore[arg-type]
    assert (none.least, none.share, written_parameters(none), settings(none)) == (
        None,
        None,
        "",
        {},
    )
    one = WithOptional(**read_parameters(WithOptional, "sample", "least=3"))  # type: ignore[arg-type]
    assert (one.least, written_parameters(one)) == (3, "least=3")
    assert settings(one) == {"least": ("3", "the least")}
    assert usage(WithOptional, "sample") == "sample:least=...,share=..."


def test_a_fraction_that_is_no_decimal_is_not_written() -> None:
    with pytest.raises(ValueError, match="no decimal fraction"):
        decimal(Fraction(1, 3))
