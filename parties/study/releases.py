"""The release of a study that somebody means: the one that is named, or the one that is open."""

from __future__ import annotations

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.schedule import Period, day
from ppaurora.parties.study.study import Study

NAME_ONE = "Name one with --release, such as {}."


def release_meant(study: Study, name: str, at: float) -> Study:
    """The release of this name at the time `at`; without a name the one that is open.

    A study without a schedule has none, and stands for itself.
    """
    if not study.scheduled:
        if name:
            raise ConfigurationError(
                f"Study {study.id} has no schedule, and so no release {name}",
                advice="Leave out --release.",
            )
        return study
    schedule = study.schedule
    if name:
        if not schedule.holds(name):
            first, last = schedule.periods[0].name, schedule.periods[-1].name
            raise ConfigurationError(
                f"Study {study.id} has no release {name}: it has those of every {schedule.every} "
                f"from {first} to {last}",
                advice=NAME_ONE.format(first),
            )
        return study.release(name)
    still = schedule.open_at(at)
    if len(still) > 1:
        names = ", ".join(period.name for period in still)
        raise ConfigurationError(
            f"{len(still)} releases of study {study.id} are open: {names}",
            advice=NAME_ONE.format(still[-1].name),
        )
    if not still:
        raise ConfigurationError(
            f"No release of study {study.id} is open. {next_opening(study, at)}",
            advice="To ask about an earlier one, name it with --release.",
        )
    return study.release(still[0].name)


def next_opening(study: Study, at: float) -> str:
    """A sentence: the release that opens next, and when."""
    coming = study.schedule.next_at(at)
    if coming is None:
        return f"All {len(study.schedule.periods)} have opened."
    return f"The next one, of {coming.name}, opens on {day(study.schedule.opens(coming))}."


def open_until(study: Study, period: Period, at: float) -> str:
    """A sentence on the release of this period: until when it takes lists, or since when not."""
    opens, closes = study.schedule.opens(period), study.schedule.closes(period)
    if at < opens:
        return f"release {period.name} opens on {day(opens)}"
    if at < closes:
        return f"release {period.name} is open until {day(closes)}"
    return f"release {period.name} closed on {day(closes)}"


def release_with_id(study: Study, id: str) -> Study:
    """The release of an agreement that has this id, or else the study itself."""
    return next((one for one in study.releases if one.id == id), study)


def release_at(study: Study, at: float) -> Study:
    """The release that opened last at this time, the first one before any has; or the study."""
    if not study.scheduled:
        return study
    opened = study.schedule.opened_at(at)
    return study.release((opened or study.schedule.periods)[-1 if opened else 0].name)


def releases_shown(study: Study, at: float) -> tuple[Study, ...]:
    """The releases that a status is about: those that take lists, or else the last one before."""
    if not study.scheduled:
        return (study,)
    still = study.schedule.open_at(at) or study.schedule.opened_at(at)[-1:]
    return tuple(study.release(period.name) for period in still)
