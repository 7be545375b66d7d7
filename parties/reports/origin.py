"""Where a result comes from: study, session, versions, cost, and the digests to compare."""

from __future__ import annotations

import ppaurora
from ppaurora.parties.reports.model import Facts, Paragraph, Piece, Section, Sheet
from ppaurora.parties.reports.saved import SavedResult, Took

__all__ = ["origin_section"]

UNSIGNED = " (as the proxies told, not signed)"
PROTOCOL = {
    "merge": "How lists were merged",
    "delta": "The merge's delta",
    "ties": "How ties were found",
    "mode": "Mode",
    "bins": "Bins of the grid",
    "assurance": "Assurance",
    "dealings": "Dealings committed in each of three runs, of which all but one were opened",
}
RULE = {
    "least_owners": "fewest owners",
    "least_samples": "fewest samples in all",
    "least_list": "fewest samples of one owner",
    "most_share": "largest part of all samples that one owner may have",
    "most_samples": "most samples in all (0: any number)",
    "start": "starts",
    "keep_days": "days after which the servers delete what is left",
}


def origin_section(saved: SavedResult, digest: str) -> Section:
    """What identifies the study and the session, and what the session took."""
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
                *((PROTOCOL.get(name, name), value) for name, value in saved.protocol.items()),
            )
        ),
        Sheet(
            "rule",
            "The rule that all servers checked before they computed",
            ("Rule", "Value"),
            tuple((RULE.get(name, name), value) for name, value in saved.rule.items()),
        ),
    ]
    if saved.cost is not None:
        pieces += _cost_sheets(saved.cost)
    return Section("origin", "Study, versions, cost and digests", tuple(pieces))


def _assurance(saved: SavedResult) -> list[Piece]:
    """What holds against a server that cheats, in a covert study."""
    if "dealings" not in saved.protocol:
        return []
    dealings = saved.protocol["dealings"]
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
