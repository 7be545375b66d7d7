"""Which columns of a table are asked for: by name, each name once, and never two in one column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.source import Columns

__all__ = ["NAME_FOLDS", "check_unique", "find", "looks_like_a_value", "place_of"]

MOST_LISTED = 20
LONGEST_LISTED = 40
VALUE = re.compile(r"\s*[+-]?([0-9]*[.,][0-9].*|[0-9]+([eE].*)?\s*)", re.DOTALL)
NAME_THEM = "Name the right ones with --score COLUMN and --label COLUMN."
NAME_SECOND = "Name the right one with --against COLUMN."
NAME_FOLDS = "The study's file names the column of identifiers; rename yours, or agree on another."


def find(columns: Columns, names: Sequence[str], source: str) -> tuple[int, ...]:
    """The places of the label and the score among the names of the columns.

    Behind them that of the second score, where one is asked for. Case and outer blanks do not
    count, so names that differ in nothing else are one name twice.
    """
    score, label = (place_of(asked, names, source) for asked in (columns.score, columns.label))
    if score == label:
        raise DataError(
            f'{source}: score and label are both asked for in column "{_shown(names[score])}"',
            advice=NAME_THEM,
        )
    if not columns.against:
        return label, score
    against = place_of(columns.against, names, source, NAME_SECOND)
    if against in (score, label):
        raise DataError(
            f'{source}: the second scores are asked for in column "{_shown(names[against])}", '
            f"which holds the {'scores' if against == score else 'labels'}",
            advice=NAME_SECOND,
        )
    return label, score, against


def check_unique(names: Sequence[str], source: str) -> None:
    """Refuse names that a query cannot tell apart: SQL ignores case."""
    counted = Counter(map(_plain, names))
    twice = next((name for name in names if counted[_plain(name)] > 1), None)
    if twice is not None:
        raise DataError(
            f'{source} names column "{_shown(twice)}" more than once (case and blanks around '
            "a name do not count), which a query cannot tell apart",
            advice="Rename all but one of them.",
        )


def looks_like_a_value(name: str) -> bool:
    """Whether a name reads like a number, so that it may be a score and is not repeated."""
    return VALUE.fullmatch(name) is not None


def place_of(asked: str, names: Sequence[str], source: str, advice: str = NAME_THEM) -> int:
    """The place of the one column of this name; case and outer blanks do not count."""
    alike = [place for place, name in enumerate(names) if _plain(name) == _plain(asked)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        places = " and ".join(str(place + 1) for place in alike)
        raise DataError(
            f'{source} names column "{_shown(asked)}" more than once (columns {places}; '
            "case and blanks around a name do not count)",
            advice="Rename all but the one that is meant.",
        )
    if any(map(looks_like_a_value, names)):
        raise DataError(
            f"{source} has no header: its first line holds numbers",
            advice="Put a first line with the columns' names, for example: score,label",
        )
    listing = f"{len(names)} others"
    if len(names) <= MOST_LISTED:
        listing = ", ".join(_shown(name) or "(a column without a name)" for name in names)
    raise DataError(f'{source} has no column "{_shown(asked)}"; it has: {listing}', advice=advice)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _shown(name: str) -> str:
    """A name as it may be printed: one line, no control characters, not too long."""
    plain = "".join(one if one.isprintable() else " " for one in name).strip()
    return plain if len(plain) <= LONGEST_LISTED else plain[: LONGEST_LISTED - 1] + "…"
