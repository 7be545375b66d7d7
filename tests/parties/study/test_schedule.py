"""The calendar of releases against Python's own: month ends, leap years, ISO weeks, UTC."""

from __future__ import annotations

import calendar
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.canonical import content_hash
from ppaurora.parties.study.learnt import study_ledger
from ppaurora.parties.study.releases import (
    next_opening,
    open_until,
    release_at,
    release_meant,
    release_with_id,
    releases_shown,
)
from ppaurora.parties.study.schedule import EVERY, FORMS, Period, Schedule
from ppaurora.parties.study.study import MOST_LETTERS_OF_AGREEMENT, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.release.privacy import Privacy
from tests.parties.sample import study

MONTHLY = Schedule(every="month", first="2026-01", releases=6)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def monthly(**changes: object) -> Study:
    return study(schedule=replace(MONTHLY, **changes))  # type: ignore[arg-type]


def names(periods: tuple[Period, ...]) -> list[str]:
    return [period.name for period in periods]


@pytest.mark.parametrize("every", EVERY)
def test_every_second_lies_in_one_period_and_names_are_read_as_they_are_written(every: str) -> None:
    period = Period.named(every, FORMS[every])
    for _ in range(600):
        after = period.after(1)
        assert Period.named(every, period.name) == period
        assert after.begins > period.begins
        assert after.after(-1) == period
        assert period.begins % 86400 == 0
        period = after


def test_months_have_the_days_that_the_calendar_gives_them() -> None:
    for year in (1999, 2000, 2023, 2024, 2100, 2400):
        for month in range(1, 13):
            period = Period.named("month", f"{year}-{month:02}")
            days = (period.after(1).begins - period.begins) / 86400
            assert days == calendar.monthrange(year, month)[1]
    assert Period.named("month", "2024-02").after(1).begins == at("2024-03-01")
    assert Period.named("month", "2023-12").after(2).name == "2024-02"


def test_weeks_are_those_of_iso_8601_through_every_year_of_53() -> None:
    day = datetime(2015, 1, 1, tzinfo=UTC)
    while day.year < 2033:
        year, week, weekday = day.isocalendar()
        period = Period.named("week", f"{year}-w{week:02}")
        assert period.begins == (day - timedelta(days=weekday - 1)).timestamp()
        day += timedelta(days=1)
    assert Period.named("week", "2026-w53").after(1).name == "2027-w01"


def test_quarters_and_years_begin_where_their_first_month_does() -> None:
    for quarter, month in ((1, 1), (2, 4), (3, 7), (4, 10)):
        period = Period.named("quarter", f"2026-q{quarter}")
        assert period.begins == Period.named("month", f"2026-{month:02}").begins
        assert period.name == f"2026-q{quarter}"
    assert Period.named("year", "2026").after(2).begins == at("2028-01-01")


@pytest.mark.parametrize(
    ("every", "name"),
    [
        ("month", "2026-13"),
        ("month", "2026-00"),
        ("month", "2026-1"),
        ("month", "2026-01 "),
        ("month", "２０２６-01"),
        ("month", "1969-12"),
        ("month", "2026-q1"),
        ("quarter", "2026-q5"),
        ("week", "2026-w54"),
        ("week", "2027-w53"),
        ("week", "2026-w00"),
        ("year", "3000"),
        ("year", ""),
    ],
)
def test_what_is_no_period_is_refused(every: str, name: str) -> None:
    with pytest.raises(OptionRefused, match="which is no"):
        Schedule(every=every, first=name)


def test_a_release_opens_with_the_first_second_after_its_period_and_closes_with_the_next() -> None:
    for moment, still in (
        ("2026-01-31T23:59:59", []),
        ("2026-02-01T00:00:00", ["2026-01"]),
        ("2026-02-28T23:59:59", ["2026-01"]),
        ("2026-03-01T00:00:00", ["2026-02"]),
        ("2026-07-31T23:59:59", ["2026-06"]),
        ("2026-08-01T00:00:00", []),
    ):
        assert names(MONTHLY.open_at(at(moment))) == still, moment
    wide = replace(MONTHLY, open_for=3)
    assert names(wide.open_at(at("2026-04-30"))) == ["2026-01", "2026-02", "2026-03"]
    assert names(wide.open_at(at("2026-09-30"))) == ["2026-06"]
    assert names(MONTHLY.opened_at(at("2026-03-15"))) == ["2026-01", "2026-02"]


def test_the_time_zone_of_a_party_makes_no_difference() -> None:
    honolulu, auckland = timezone(timedelta(hours=-10)), timezone(timedelta(hours=13))
    moment = datetime(2026, 2, 1, tzinfo=UTC)
    times = {moment.astimezone(zone).timestamp() for zone in (UTC, honolulu, auckland)}
    assert [names(MONTHLY.open_at(time)) for time in times] == [["2026-01"]]
    # at midnight in Auckland the month is not over yet
    assert MONTHLY.open_at(datetime(2026, 2, 1, tzinfo=auckland).timestamp()) == ()


def test_the_next_release_is_named_until_all_have_opened() -> None:
    assert "of 2026-01, opens on 2026-02-01 00:00 UTC" in next_opening(monthly(), 0.0)
    assert "of 2026-03, opens on 2026-04-01 00:00 UTC" in next_opening(monthly(), at("2026-03-01"))
    assert next_opening(monthly(), at("2026-07-01")) == "All 6 have opened."


def test_a_schedule_goes_into_the_file_and_a_study_without_one_stays_as_it_was() -> None:
    plain, asked = study(), monthly()
    assert "schedule" not in plain.content()
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["schedule"] == {
        "every": "month", "first": "2026-01", "releases": 6, "open_for": 1,
    }  # fmt: skip
    for wrong in ({"first": "2026-01"}, {"releases": 3}, {"open_for": 2}):
        with pytest.raises(OptionRefused, match="has no meaning in this study"):
            Schedule(**wrong)  # type: ignore[arg-type]


def test_a_release_is_a_study_of_its_own_and_follows_from_its_agreement() -> None:
    agreement = monthly()
    releases = agreement.releases
    assert [one.period for one in releases] == names(MONTHLY.periods)
    assert len({agreement.hash, *(one.hash for one in releases)}) == 7
    for one in releases:
        assert one.agreement == agreement
        assert (one.scheduled, one.releases) == (False, ())
        assert Study.restore(one.canonical(), "x") == one
        assert one.hash == content_hash(one.content())
        assert release_with_id(agreement, one.id) == one
    changed = replace(agreement, title="another")
    assert not {one.hash for one in changed.releases} & {one.hash for one in releases}
    assert release_with_id(agreement, "sepsis-1.2031-01") == agreement


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"period": "2026-07", "id": "sepsis-1.2026-07"}, "names no release"),
        ({"period": "2026-01"}, "names no release"),
        ({"period": "2026-01", "id": ".2026-01"}, "short name"),
        ({"period": "2026-01", "schedule": Schedule()}, "names no release"),
        ({"id": "x" * (MOST_LETTERS_OF_AGREEMENT + 1)}, "finds no room"),
        ({"follows": "ab" * 32}, "no owners are added"),
    ],
)
def test_a_file_that_is_no_release_and_no_agreement_is_refused(
    changed: dict[str, object], why: str
) -> None:
    with pytest.raises(ConfigurationError, match=why):
        Study.parse(study_text(replace(monthly(), **changed)), "x")  # type: ignore[arg-type]


def test_the_release_that_is_meant_is_the_named_one_or_the_only_open_one() -> None:
    agreement = monthly()
    assert release_meant(agreement, "", at("2026-03-15")).period == "2026-02"
    assert release_meant(agreement, "2026-05", at("2026-03-15")).period == "2026-05"
    assert release_meant(study(), "", 0.0) == study()
    for one, name, moment, why in (
        (agreement, "", "2026-01-15", "No release of study sepsis-1 is open"),
        (agreement, "", "2027-01-15", "All 6 have opened"),
        (agreement, "2026-07", "2026-03-15", "it has those of every month from 2026-01 to 2026-06"),
        (study(), "2026-01", "2026-03-15", "has no schedule"),
        (monthly(open_for=2), "", "2026-03-15", "2 releases of study sepsis-1 are open"),
    ):
        with pytest.raises(ConfigurationError, match=why):
            release_meant(one, name, at(moment))


def test_a_status_is_of_the_releases_that_are_open_or_else_of_the_last() -> None:
    assert [one.period for one in releases_shown(monthly(), at("2026-03-15"))] == ["2026-02"]
    assert [one.period for one in releases_shown(monthly(), at("2028-01-01"))] == ["2026-06"]
    assert releases_shown(monthly(), 0.0) == ()
    assert releases_shown(study(), 0.0) == (study(),)
    assert release_at(monthly(), 0.0).period == "2026-01"
    assert release_at(monthly(), at("2028-01-01")).period == "2026-06"
    period = MONTHLY.periods[0]
    told = [
        open_until(monthly(), period, at(day)) for day in ("2026-01-01", "2026-02-01", "2027-01-01")
    ]
    assert [one.split()[2] for one in told] == ["opens", "is", "closed"]


def test_all_releases_together_cost_the_sum_and_the_ledger_says_so() -> None:
    each = Privacy(Fraction(1, 2), Fraction(1, 10**9))
    assert MONTHLY.all_together(each) == Privacy(Fraction(3), Fraction(6, 10**9))
    assert Schedule().all_together(each) == each
    noisy = study(metrics=("auroc_dp:epsilon=0.5,least_class=50",), schedule=MONTHLY)
    told = study_ledger(noisy).learns.receivers
    assert any(one.startswith("all releases together: ε = 3,") for one in told)
    plain = study_ledger(study())
    assert study_ledger(monthly()).learns.P0[:-1] == plain.learns.P0
    assert "at most 6 releases, one a month" in study_ledger(monthly()).learns.receivers[-1]
    assert "fewer than 5 rows differ" in study_ledger(monthly()).warnings[-1]
