"""Until which day keys are good, and when to say that this day comes near.

A day is one of UTC, and a key is good on the whole of it. A clock that has jumped ahead can keep a
key from being used, until it is right again; nothing is ever deleted because of such a day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from ppaurora.mpc.keys import PublicKey
from ppaurora.parties.errors import ConfigurationError

WARNED_DAYS = 90
MOST_YEARS = 50
SPANS = {"d": 1, "m": 30, "y": 365}


def day_at(seconds: float) -> date:
    """The day in UTC, so many seconds after the beginning of 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def days_left(public: PublicKey, day: date) -> int | None:
    """The days for which the key is valid after `day`, negative after its end; None for ever."""
    return None if public.good_until is None else (public.good_until - day).days


def expired(public: PublicKey, day: date) -> bool:
    """Return whether the key is no longer valid on `day`."""
    left = days_left(public, day)
    return left is not None and left < 0


def nears_its_end(public: PublicKey, day: date) -> str:
    """The key's end in words, if it is near or past; empty while it is far away."""
    left = days_left(public, day)
    if left is None or left > WARNED_DAYS:
        return ""
    if left < 0:
        return f"was good until {public.good_until}, and is no longer accepted"
    return f"is good until {public.good_until}, in {left} days"


def valid_until(text: str, today: date) -> date:
    """The last day of a key that is to be good for 2y, 18m or 90d, or until a day given as such.

    >>> valid_until("90d", date(2026, 11, 22))
    datetime.date(2027, 2, 20)
    >>> valid_until("2028-11-22", date(2026, 11, 22))
    datetime.date(2028, 11, 22)
    """
    try:
        if text[-1:] in SPANS and text[:-1].isdecimal():
            day = today + timedelta(days=int(text[:-1]) * SPANS[text[-1]])
        else:
            day = date.fromisoformat(text)
    except (ValueError, OverflowError):
        raise ConfigurationError(
            f'"{text}" is no time for which a key may be good',
            advice="Give 2y, 18m or 90d, or the last day as 2028-11-22.",
        ) from None
    if not today <= day <= today + timedelta(days=365 * MOST_YEARS):
        raise ConfigurationError(
            f"A key that is good until {day} is of no use",
            advice=f"Give a day from today on, at most {MOST_YEARS} years ahead.",
        )
    return day
