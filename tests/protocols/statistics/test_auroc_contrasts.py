"""The differences of all pairs of models, against all pairs of samples compared one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.area_limits import places
from tests.protocols.statistics.drawn_models import OfAllPairs, rows_of
from tests.protocols.statistics.test_auroc_models import root
from tests.protocols.statistics.test_contrasts import p_of, signed, z_of
from tests.protocols.statistics.test_delong import FEW, Expected, Z
from tests.protocols.studies import Owner, Study, run

LEVELS = {"auroc_contrasts": "0.95", "auroc_contrasts:level=0.5": "0.5"}
ASKED = [tuple(LEVELS)]


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    exact, decimals, close = OfAllPairs.of(study), study.options.decimals, 0
    names = ("score", *study.options.against)
    for text in results.keys() & LEVELS:
        if exact is None:
            assert results[text] == FEW
            continue
        level, rows = Z[LEVELS[text]], rows_of(results[text])
        pairs = [*combinations(range(len(names)), 2)]
        assert [(row["model"], row["against"]) for row in rows] == [
            (names[r], names[s]) for r, s in pairs
        ]
        for (r, s), row in zip(pairs, rows, strict=True):
            gain, variance = exact.difference(r, s)
            half = level * root(variance)
            limits = max(gain - half, Fraction(-1)), min(gain + half, Fraction(1))
            assert row["difference"] == signed(gain, decimals)
            assert row["z"] == (z := z_of(Expected(gain, variance)))
            assert row["p"] == p_of(z)
            certain = (3 + level) / 2 / 100 ** places(decimals)
            for name, limit in zip(("lower", "upper"), limits, strict=True):
                above = (limit * 10**decimals + Fraction(1, 2)) % 1
                if half and min(above, 1 - above) / 10**decimals <= certain:
                    close += 1
                else:
                    assert row[name] == signed(limit, decimals)
    return close


def test_of_two_models_it_is_the_difference_by_itself() -> None:
    owner = Owner([0.9, 0.3, 0.5, 0.8, 0.2], [1, 0, 1, 0, 0], [0.4, 0.3, 0.2, 0.4, 0.5])
    metrics = ("auroc_difference", "auroc_contrasts")
    found = run(Study((owner,), Options(metrics=metrics, against=("old",)))).results
    [row] = rows_of(found["auroc_contrasts"])
    assert found["auroc_difference"] == (
        f"{row['difference']} ({row['lower']} to {row['upper']}), z {row['z']}, p {row['p']}"
    )
