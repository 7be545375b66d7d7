"""The schedule of a study that is computed again and again: one agreement, many releases.

Time is divided into periods: weeks (from Monday, ISO 8601), months, quarters or years. A period
begins at 00:00 UTC of its first day, wherever the parties are, and ends where the next one begins.
The release of a period is over the samples of that period. It opens for uploads when the period has
ended, and closes so many periods later (one where nothing else is said). So if the lists of one
period have to be there before the next one ends, one release is open at any time.

Everything here follows from the schedule and a time, in seconds since 1970 as clocks count them:
without leap seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Self

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.option import OptionSet, option
from ppaurora.protocols.release.privacy import Privacy

WEEK, MONTH, QUARTER, YEAR = EVERY = ("week", "month", "quarter", "year")
FORMS = {WEEK: "2026-w05", MONTH: "2026-01", QUARTER: "2026-q1", YEAR: "2026"}
"""The names of periods, by an example each."""
_NAMES = {
    WEEK: re.compile(r"([0-9]{4})-w([0-9]{2})"),
    MONTH: re.compile(r"([0-9]{4})-([0-9]{2})"),
    QUARTER: re.compile(r"([0-9]{4})-q([1-4])"),
    YEAR: re.compile(r"([0-9]{4})()"),
}
YEARS = range(1970, 3000)
MOST_RELEASES = 520
MOST_OPEN = 12
LONGEST_NAME = max(map(len, FORMS.values()))
MONTHS = {MONTH: 1, QUARTER: 3, YEAR: 12}


@dataclass(frozen=True, slots=True)
class Period:
    """A week, month, quarter or year, by its first day.

    >>> Period.named("month", "2024-02").after(1).start
    datetime.date(2024, 3, 1)
    >>> Period.named("week", "2020-w53").name, Period.named("week", "2020-w53").after(1).name
    ('2020-w53', '2021-w01')
    """

    every: str
    start: date

    @classmethod
    def named(cls, every: str, name: str) -> Self:
        """The period of this name; raises `ValueError` if it names none."""
        found = _NAMES[every].fullmatch(name)
        if found is None or int(found[1]) not in YEARS:
            raise ValueError(name)
        year, place = int(found[1]), int(found[2] or 1)
        if every == WEEK:
            return cls(every, date.fromisocalendar(year, place, 1))
        return cls(every, date(year, 1 + (place - 1) * MONTHS[every], 1))

    @property
    def name(self) -> str:
        """The name of the period, and of its release."""
        if self.every == WEEK:
            year, week, _ = self.start.isocalendar()
            return f"{year:04}-w{week:02}"
        names = {
            MONTH: f"{self.start.year:04}-{self.start.month:02}",
            QUARTER: f"{self.start.year:04}-q{1 + self.start.month // 3}",
            YEAR: f"{self.start.year:04}",
        }
        return names[self.every]

    def after(self, count: int) -> Period:
        """The period so many later."""
        if self.every == WEEK:
            return Period(self.every, self.start + timedelta(weeks=count))
        months = 12 * self.start.year + self.start.month - 1 + count * MONTHS[self.every]
        return Period(self.every, date(months // 12, 1 + months % 12, 1))

    @property
    def begins(self) -> float:
        """The time at which it begins: 00:00 UTC of its first day."""
        return datetime.combine(self.start, datetime.min.time(), UTC).timestamp()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(OptionSet):
    """The periods of a study's releases; of a study without `every` there is one result only.

    >>> monthly = Schedule(every="month", first="2026-01", releases=12)
    >>> [period.name for period in monthly.periods][-2:]
    ['2026-11', '2026-12']
    >>> [one.name for one in monthly.open_at(datetime(2026, 3, 31, 23, 59, tzinfo=UTC).timestamp())]
    ['2026-02']
    """

    every: str = option(
        "",
        "how often the study is computed again, over new lists",
        table="schedule",
        choices=("", *EVERY),
        detail="week, month, quarter or year; without it there is one result",
        applies=lambda schedule: bool(schedule.every),
    )
    first: str = option(
        "",
        "the first period of which there is a release",
        table="schedule",
        detail=f"such as {', '.join(FORMS.values())}",
        applies=lambda schedule: bool(schedule.every),
        without="It is of a schedule: say every.",
    )
    releases: int = option(
        12,
        "releases in all",
        table="schedule",
        least=1,
        most=MOST_RELEASES,
        applies=lambda schedule: bool(schedule.every),
        without="It is of a schedule: say every.",
    )
    open_for: int = option(
        1,
        "periods for which lists are taken, from the end of the release's own period",
        table="schedule",
        least=1,
        most=MOST_OPEN,
        applies=lambda schedule: bool(schedule.every),
        without="It is of a schedule: say every.",
    )

    def check(self) -> None:
        """Refuse a first period that is none."""
        if not self.every:
            return
        try:
            self.period(self.first)
        except ValueError:
            raise OptionRefused(
                "first",
                f'names "{self.first}", which is no {self.every}',
                advice=f"Write it as {FORMS[self.every]}, from the year {YEARS[0]} on.",
            ) from None

    def period(self, name: str) -> Period:
        """The period of this name, of the schedule or not; raises `ValueError` if it is none."""
        return Period.named(self.every, name)

    @property
    def periods(self) -> tuple[Period, ...]:
        """Every period of which there is a release, in order."""
        if not self.every:
            return ()
        first = self.period(self.first)
        return tuple(first.after(count) for count in range(self.releases))

    def holds(self, name: str) -> bool:
        """True if a release of the schedule has this name."""
        return name in (period.name for period in self.periods)

    def opens(self, period: Period) -> float:
        """The time from which the period's release takes uploads: the period is over."""
        return period.after(1).begins

    def closes(self, period: Period) -> float:
        """The time from which it takes no more."""
        return period.after(1 + self.open_for).begins

    def opened_at(self, at: float) -> tuple[Period, ...]:
        """The periods whose releases have opened by this time, whether or not they have closed."""
        return tuple(period for period in self.periods if self.opens(period) <= at)

    def open_at(self, at: float) -> tuple[Period, ...]:
        """The periods whose releases take uploads at this time."""
        return tuple(period for period in self.opened_at(at) if at < self.closes(period))

    def next_at(self, at: float) -> Period | None:
        """The period whose release opens next; None if all have opened."""
        return next((period for period in self.periods if at < self.opens(period)), None)

    def all_together(self, each: Privacy) -> Privacy:
        """The privacy loss of all releases, of which `each` costs that much.

        They are added up: who is in several periods is in the lists of all of them.
        """
        return Privacy.together([each] * max(1, self.releases if self.every else 1))


def day(at: float) -> str:
    """A time for people, in UTC.

    >>> day(Period.named("month", "2024-03").begins)
    '2024-03-01 00:00 UTC'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
