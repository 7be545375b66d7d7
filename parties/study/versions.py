"""Versions of one study: what a new one changes, and whether it does nothing but add owners.

A version that adds owners names the hash of the one before it. Everything else is equal: whoever
agreed to the one has agreed to the other, except to the company.
"""

from __future__ import annotations

from collections.abc import Mapping

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.canonical import Content, Value, differences
from ppaurora.parties.study.study import ParticipantEntry, Study

PARTICIPANTS = "participants"
FOLLOWS = "follows"


def changes(old: Study, new: Study) -> list[str]:
    """The differences between two studies, a sentence for each option or participant."""
    mine, theirs = old.content(), new.content()
    names = [name for name in differences(mine, theirs) if name not in (PARTICIPANTS, FOLLOWS)]
    sentences = [f"{name}: {_value(mine, name)} becomes {_value(theirs, name)}" for name in names]
    return sentences + _participants_changed(old, new)


def why_not_follows(old: Study, new: Study) -> list[str]:
    """The reasons why `new` is not `old` with more owners; none if it is."""
    reasons = []
    if new.follows != old.hash.hex():
        reasons.append(f'"follows" must be the hash of the version before, {old.hash.hex()}')
    names = differences(old.content(), new.content())
    reasons += [f"{name} may not change" for name in names if name not in (PARTICIPANTS, FOLLOWS)]
    before, after = _by_name(old), _by_name(new)
    for name, content in before.items():
        if name not in after:
            reasons.append(f"participant {name} may not be left out")
        elif after[name] != content:
            reasons.append(f"participant {name} may not change")
    for participant in new.participants:
        if participant.name not in before and not participant.uploads:
            reasons.append(f"participant {participant.name} only receives, and may not be added")
    if not added_owners(old, new):
        reasons.append("it adds no owner")
    return reasons


def check_only_adds_owners(old: Study, new: Study) -> None:
    """Refuse a version that does more than add owners."""
    if reasons := why_not_follows(old, new):
        raise ConfigurationError(
            f"This version of study {new.id} may only add owners to the one before: "
            f"{'; '.join(reasons)}",
            advice="Correct that, or make a new study with a new id.",
        )


def added_owners(old: Study, new: Study) -> list[str]:
    """The names of the owners that only the new version has."""
    before = _by_name(old)
    return [owner.name for owner in new.owners if owner.name not in before]


def _by_name(study: Study) -> dict[str, Content]:
    return {participant.name: participant.content() for participant in study.participants}


def _participants_changed(old: Study, new: Study) -> list[str]:
    before, after = _by_name(old), _by_name(new)
    return [
        *(f"participant {name} is left out" for name in before if name not in after),
        *(
            f"participant {name}: {option} becomes {_value(after[name], option)}"
            for name in before
            if name in after
            for option in differences(before[name], after[name])
        ),
        *(
            f"participant {participant.name} is added: {_does(participant)}"
            for participant in new.participants
            if participant.name not in before
        ),
    ]


def _does(one: ParticipantEntry) -> str:
    verbs = (("uploads", one.uploads), ("receives", one.receives))
    return " and ".join(verb for verb, true in verbs if true)


def _value(content: Content, name: str) -> str:
    """The value of the option of this full name, as a person writes it."""
    value: Value = content
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return "nothing"
        value = value[part]
    return str(value)
