"""The calendar of a schedule: each release with its days, the own list, and the own result."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ppaurora.parties.reports.model import Sheet
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study

NOTHING = "-"
SAVED = "saved"
DAYS = ("opens, 00:00 UTC", "closes, 00:00 UTC")


def calendar_sheet(
    agreed: Study, at: float, sent: Mapping[str, str], results: Collection[str]
) -> Sheet:
    """Every release of an agreement at the time `at`: closed, open, or to come.

    `sent` says in words which lists of this site were sent, by release; `results` are the releases
    whose result it has.
    """
    schedule = agreed.schedule
    rows = []
    for period in schedule.periods:
        opens, closes = schedule.opens(period), schedule.closes(period)
        state = "to come" if at < opens else "open" if at < closes else "closed"
        rows.append(
            (
                period.name,
                state,
                _date(opens),
                _date(closes),
                sent.get(period.name, NOTHING),
                SAVED if period.name in results else NOTHING,
            )
        )
    columns = ("release", "state", *DAYS, "your list, sent", "your result")
    return Sheet("calendar", "All releases", columns, tuple(rows))


def _date(at: float) -> str:
    """The day that begins at this time."""
    return day(at).partition(" ")[0]
