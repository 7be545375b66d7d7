"""The AUROCs of several models with their limits, against all pairs compared one by one."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.area_limits import places
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn_models import OfAllPairs, rows_of
from tests.protocols.statistics.test_delong import FEW, Z
from tests.protocols.studies import Owner, Study, run

LEVELS = {"auroc_models": "0.95", "auroc_models:level=0.5": "0.5"}
ASKED = [tuple(LEVELS)]
DIGITS = 60


def root(square: Fraction) -> Fraction:
    return Fraction(isqrt(int(square * 100**DIGITS)), 10**DIGITS)


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    exact, decimals, close = OfAllPairs.of(study), study.options.decimals, 0
    names = ("score", *study.options.against)
    for text in results.keys() & LEVELS:
        if exact is None:
            assert results[text] == FEW
            continue
        level = Z[LEVELS[text]]
        rows = rows_of(results[text])
        assert [row["model"] for row in rows] == list(names)
        for place, row in enumerate(rows):
            area, half = exact.areas[place], level * root(exact.matrix[place][place])
            limits = max(area - half, Fraction(0)), min(area + half, Fraction(1))
            assert row["auroc"] == rounded(area, decimals)
            certain = (2 + level) / 2 / 100 ** places(decimals)
            for name, limit in zip(("lower", "upper"), limits, strict=True):
                above = (limit * 10**decimals + Fraction(1, 2)) % 1
                if half and min(above, 1 - above) / 10**decimals <= certain:
                    close += 1
                else:
                    assert row[name] == rounded(limit, decimals)
    return close


def test_the_first_model_has_the_interval_that_it_has_alone() -> None:
    owner = Owner([0.9, 0.3, 0.5, 0.8, 0.2], [1, 0, 1, 0, 0], [[0.1, 0.3, 0.2, 0.4, 0.5]] * 2)
    alone = run(Study((owner,), Options(metrics=("auroc_ci:method=delong",)))).results
    against = ("b", "c")
    together = run(Study((owner,), Options(metrics=("auroc_models",), against=against))).results
    first, *others = rows_of(together["auroc_models"])
    assert alone["auroc_ci:method=delong"] == (
        f"{first['auroc']} ({first['lower']} to {first['upper']})"
    )
    assert [row["model"] for row in others] == ["b", "c"]
    assert others[0]["auroc"] == others[1]["auroc"] == "0.0000"
