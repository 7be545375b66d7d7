"""The people in a report: whose lists are in the result, who is missing, who learnt what."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ppaurora.parties.reports.model import Bullets, Paragraph, Piece, Section, Sheet
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.protocols.release.values import Table
from ppaurora.protocols.statistics.left_out import LeftOut

WHO = {
    "P0": "P0, one of the two proxies",
    "P1": "P1, the other proxy",
    "helper": "The helper",
    "receivers": "The receivers of the result",
    "owners": "The owners of the lists",
    "onlookers": "Onlookers on the network",
}
NOTHING = "nothing"
BEYOND = "What the numbers tell beyond themselves"


def owners_section(saved: SavedResult) -> Section:
    """Every owner of the study with the length of its list, and whether it is in the result."""
    there = counted(saved)
    rows = [
        (
            name,
            str(size),
            _share(size, saved.samples) if name in there else "none",
            "yes" if name in there else "no: the list was unsound",
        )
        for name, size in sorted(saved.owners.items(), key=lambda one: in_order(one[0]))
    ]
    why = "no: nothing was uploaded, or it was refused before"
    rows += [(name, "none", "none", why) for name in sorted(saved.missing, key=in_order)]
    columns = ("Owner", "Samples", "Part of all", "In the result")
    many = "owner" if len(there) == 1 else "owners"
    pieces: list[Piece] = [
        Paragraph(f"{saved.samples} samples of {len(there)} {many}: {', '.join(there)}", brief=True)
    ]
    if (rows_left_out := left_out(saved)) is not None:
        told = f"{rows_left_out} rows without score or label were left out by their owners, in all."
        pieces.append(Paragraph(told, brief=True))
    numbers = frozenset({1, 2})
    pieces.append(Sheet("owners", "The owners and their lists", columns, tuple(rows), numbers))
    return Section("owners", "Owners", tuple(pieces))


def ledger_section(saved: SavedResult) -> Section:
    """The section on what each has learnt beyond its own input and the result."""
    pieces: list[Piece] = [
        Paragraph(
            "Every list went out in two shares, each of them random by itself. Beyond its own "
            "input and what is public (the study, who took part, the lengths of the lists), each "
            "has learnt the following and nothing else, under the assumption below."
        )
    ]
    pieces += [_learnt(WHO.get(who, who), items) for who, items in saved.learns.items()]
    if saved.warnings:
        pieces.append(Bullets(tuple(saved.warnings), BEYOND))
    pieces.append(Paragraph(f"This holds where {saved.assumption}."))
    pieces.append(Paragraph(f"Beyond that, {saved.deviation}."))
    return Section("ledger", "Who has learnt what", tuple(pieces))


def counted(saved: SavedResult) -> list[str]:
    """The owners whose lists are in the values."""
    return sorted((name for name in saved.owners if name not in saved.refused), key=in_order)


def left_out(saved: SavedResult) -> str | None:
    """The number of rows that the owners left out, in all; None where it is not released."""
    value = saved.values.get(LeftOut.name)
    return value.rows[0][0] if isinstance(value, Table) and value.rows else None


def in_order(name: str) -> list[tuple[int, str]]:
    """A key by which people order names: site-2 before site-10.

    >>> sorted(["site-10", "site-2"], key=in_order)
    ['site-2', 'site-10']
    """
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _learnt(who: str, items: Sequence[str]) -> Bullets:
    return Bullets(tuple(items) or (NOTHING,), who)


def _share(size: int, samples: int) -> str:
    return f"{100 * size / samples:.1f} %" if samples else "none"
