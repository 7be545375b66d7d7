"""A result as a report: its sections in their order, the warnings first."""

from __future__ import annotations

from collections.abc import Mapping

from ppaurora.parties.reports.model import Bullets, Page, Paragraph, Piece, Section
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.section_guidelines import guidelines_section
from ppaurora.parties.reports.section_methods import methods_section
from ppaurora.parties.reports.section_owners import counted, ledger_section, owners_section
from ppaurora.parties.reports.section_provenance import origin_section
from ppaurora.parties.reports.section_statistics import (
    calibration_section,
    computed_section,
    curves_section,
    is_noisy,
    statistics_section,
)
from ppaurora.protocols.release.values import Released

NOTES = "warnings"
NONE = "None."

NOT_VERIFIED = (
    "not verified: nobody has checked the signatures of this file, so anybody may have changed "
    "it; `ppaurora verify` checks them"
)


def page_of(
    saved: SavedResult,
    digest: str,
    pooled: Mapping[str, Released] | None = None,
    *,
    verified: bool = True,
) -> Page:
    """The report of a result whose file has this SHA-256, and which is `verified` or not.

    `pooled` are the values of the pooled data, which only a simulation knows.
    """
    return Page(
        saved.title or saved.id,
        _subtitle(saved),
        (
            _warnings(saved, pooled, verified=verified),
            statistics_section(saved, pooled),
            curves_section(saved),
            calibration_section(saved),
            owners_section(saved),
            methods_section(saved),
            computed_section(saved),
            ledger_section(saved),
            origin_section(saved, digest),
            guidelines_section(saved),
        ),
    )


def _subtitle(saved: SavedResult) -> str:
    """The subject of the study in one line: model, population, author, date, size."""
    about = (saved.option("about", name) for name in ("model", "population", "author"))
    size = f"{saved.samples} samples of {len(counted(saved))} lists"
    return " · ".join([*(one for one in about if one), saved.fetched[:10], size])


def _warnings(
    saved: SavedResult, pooled: Mapping[str, Released] | None, *, verified: bool
) -> Section:
    """The warnings that a reader needs before any number, missing lists first."""
    lists = [f"refused: the list of {name} was unsound" for name in saved.refused]
    if saved.missing:
        lists.insert(0, f"not in it, though in the study: {', '.join(saved.missing)}")
    if not verified:
        lists.insert(0, NOT_VERIFIED)
    if pooled is not None and any(
        value != pooled[name] and not is_noisy(name, saved.decimals)
        for name, value in saved.values.items()
    ):
        lists.append("the private values differ from the pooled ones: this is a bug")
    numbers = [
        f"{name} is {value.missing}" for name, value in saved.values.items() if value.missing
    ]
    pieces: list[Piece] = [
        Bullets(tuple(texts), brief=brief)
        for texts, brief in ((lists, True), (numbers, False))
        if texts
    ]
    alarming = bool(pieces)
    if saved.summary:
        pieces.append(Paragraph(saved.summary))
    return Section(NOTES, "Notes", tuple(pieces or [Paragraph(NONE)]), alarming=alarming)
