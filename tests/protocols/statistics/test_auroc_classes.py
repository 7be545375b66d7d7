"""The AUROC of each class against the rest, against all pairs compared one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn_classes import columns_of
from tests.protocols.studies import Study

TEXT = "auroc_classes"
MISSING = "undefined: a class is missing"
ASKED = [(TEXT, "auroc_multiclass:mean=pairs")]


def outcome(
    scores: Sequence[float], classes: Sequence[int], a: int, others: Sequence[int]
) -> Fraction | None:
    """The mean outcome of all pairs of a row of class a and one of others, by these scores."""
    rows = [*zip(scores, classes, strict=True)]
    of_a, of_others = ([x for x, c in rows if c in kind] for kind in ([a], others))
    if not of_a or not of_others:
        return None
    won = sum((x > z) + (x >= z) for x in of_a for z in of_others)
    return Fraction(won, 2 * len(of_a) * len(of_others))


def rests(study: Study) -> list[Fraction | None]:
    """Each class's AUROC against the rest."""
    classes, scores = columns_of(study)
    every = range(len(scores))
    return [outcome(scores[a], classes, a, [b for b in every if b != a]) for a in every]


def check(study: Study, results: dict[str, str]) -> None:
    areas = rests(study)
    if not any(one is not None for one in areas):
        assert results[TEXT] == MISSING
        return
    decimals = study.options.decimals
    cells = ["undefined" if one is None else rounded(one, decimals) for one in areas]
    named = zip(study.options.classes, cells, strict=True)
    rows = [f"class {name}, auroc {cell}" for name, cell in named]
    assert results[TEXT] == "; ".join([*rows, *[MISSING] * (None in areas)])
