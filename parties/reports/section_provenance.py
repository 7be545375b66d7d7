"""The section on a result's provenance: study, session, versions, cost, digests."""

from __future__ import annotations

import ppaurora
from ppaurora.parties.reports.model import Facts, Paragraph, Piece, Section, Sheet
from ppaurora.parties.reports.saved import SavedResult, Took
from ppaurora.parties.study.parts import OPTION_SETS

UNSIGNED = " (as the proxies told, not signed)"
TITLES = {
    (option.table, option.key): option.title
    for kind in OPTION_SETS
    for option in kind.options().values()
}


def origin_section(saved: SavedResult, digest: str) -> Section:
    """The section that identifies the study and the session, with the session's cost."""
    pieces: list[Piece] = [
        Paragraph(f"study {saved.hash[:16]}; {_cost_text(saved.cost)}", brief=True),
        *_assurance(saved),
        Facts(
            (
                ("Study", saved.id),
                ("Study hash", saved.hash),
                ("Session", saved.session),
                ("Fetched (not signed)", saved.fetched),
                ("Software of the servers", f"ppaurora {saved.software}"),
                ("Software of this report", f"ppaurora {ppaurora.__version__}"),
                ("SHA-256 of the result file", digest),
            )
        ),
        Sheet(
            "options",
            "The options that all parties agreed on",
            ("Option", "Choice", "What it is"),
            tuple(
                (f"{table}.{key}", value, TITLES.get((table, key), ""))
                for table, chosen in saved.options.items()
                for key, value in chosen.items()
            ),
        ),
    ]
    if saved.cost is not None:
        pieces += _cost_sheets(saved.cost)
    return Section("origin", "Study, versions, cost and digests", tuple(pieces))


def _assurance(saved: SavedResult) -> list[Piece]:
    """The guarantee against a server that cheats, in a covert study."""
    dealings = saved.option("protocol", "dealings")
    if dealings is None:
        return []
    text = (
        "Computed three times, with the roles of the servers rotated, and all three gave the same. "
        f"Where one server cheats, a wrong number passes with probability 1/{dealings} at most."
    )
    return [Paragraph(text, brief=True)]


def _cost_sheets(took: Took) -> list[Piece]:
    links = tuple((name, _bytes(count)) for name, count in took.links.items())
    phases = tuple(
        (server, name, f"{seconds:.3f}", str(hops))
        for server, several in took.phases.items()
        for name, seconds, hops in several
    )
    return [
        Sheet(
            "links",
            f"Sent over each link, both ways{UNSIGNED}",
            ("Link", "Sent"),
            links,
            frozenset({1}),
        ),
        Sheet(
            "phases",
            f"The phases of the computation at the proxies{UNSIGNED}",
            ("Server", "Phase", "Seconds", "Hops"),
            phases,
            frozenset({2, 3}),
        ),
    ]


def _cost_text(took: Took | None) -> str:
    if took is None:
        return "bytes, hops and time not told: they depend on the data"
    return f"{_bytes(took.bytes)}, {took.hops} hops, {took.seconds:.2f} s{UNSIGNED}"


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.1f} kB"
