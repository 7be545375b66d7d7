"""Until which day keys are good, in days of UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.key_days import day_at, expired, nears_its_end, valid_until

LAST = date(2028, 11, 22)
KEY = replace(Identity.generate().public, good_until=LAST)


def test_a_key_is_good_on_the_whole_of_its_last_day() -> None:
    assert day_at(1_858_550_399) == date(2028, 11, 22)
    assert day_at(1_858_550_400) == date(2028, 11, 23)
    assert not expired(KEY, date(2028, 11, 22))
    assert expired(KEY, date(2028, 11, 23))
    assert not expired(replace(KEY, good_until=None), date(9999, 1, 1))


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2028, 8, 23), ""),
        (date(2028, 8, 24), "is good until 2028-11-22, in 90 days"),
        (LAST, "is good until 2028-11-22, in 0 days"),
        (date(2028, 11, 23), "was good until 2028-11-22, and is no longer accepted"),
    ],
)
def test_warnings_begin_90_days_before(day: date, said: str) -> None:
    assert nears_its_end(KEY, day) == said
    assert nears_its_end(replace(KEY, good_until=None), day) == ""


@pytest.mark.parametrize(
    "text", ["", "2", "y", "-1y", "0x2d", "51y", "99999999999y", "2026-11-21", "2028-13-01", "²d"]
)
def test_times_that_are_none_or_of_no_use_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        valid_until(text, date(2026, 11, 22))


def test_a_time_is_a_span_or_a_day() -> None:
    today = date(2026, 11, 22)
    assert valid_until("2y", today) == date(2028, 11, 21)
    assert valid_until("0d", today) == today
    assert valid_until("2026-12-31", today) == date(2026, 12, 31)
