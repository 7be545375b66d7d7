"""Distribution of an owner's scores for that owner alone: its rows in equal parts of the scores."""

from __future__ import annotations

from ppaurora.parties.reports.model import Axis, Chart, Section, Sheet, Track
from ppaurora.parties.sources.looked import Looked
from ppaurora.protocols.lists.tags import Side

TITLE = "How your scores lie (shown to you alone)"


def own_scores(found: Looked) -> Section | None:
    """The parts as a drawing, each class by its own rows, and as a table of counts.

    Of a list without labels all rows are one class; there is nothing to draw where all scores are
    the same, or at another owner.
    """
    parts = found.parts
    if not parts:
        return None
    counts = {
        "positive": [one.positives for one in parts],
        "negative": [one.negatives for one in parts],
    }
    if found.columns.holds == Side.SCORES.word:
        counts = {"rows": counts["negative"]}
    shares = {
        name: [count / max(1, sum(of_class)) for count in of_class]
        for name, of_class in counts.items()
    }
    middles = [one.begin / 2 + one.end / 2 for one in parts]
    drawing = Chart(
        "own-scores",
        "Your scores",
        f"The part of its rows that each class has in each of {len(parts)} equal parts of the "
        "scores; the counts stand in the table below.",
        Axis("score", parts[0].begin, parts[-1].end),
        Axis("part of its rows", 0.0, max(map(max, shares.values()))),
        tuple(
            Track(name, tuple(zip(middles, share, strict=True))) for name, share in shares.items()
        ),
    )
    table = Sheet(
        "own-scores",
        "Rows in each part",
        ("score", *counts),
        tuple(
            (f"{one.begin:g} to {one.end:g}", *(str(of_class[at]) for of_class in counts.values()))
            for at, one in enumerate(parts)
        ),
        frozenset(range(1, 1 + len(counts))),
    )
    return Section("own-scores", TITLE, (drawing, table))
