"""The test that all AUROCs are equal, against Cramer's rule over all pairs, scipy and itself."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.stats import chi2

from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn_models import OfAllPairs, rows_of
from tests.protocols.studies import Owner, Study, run

SERVERS, RECEIVER = "auroc_equal", "auroc_equal:by=receiver"
ASKED = [(SERVERS, RECEIVER), (RECEIVER,)]
MOST_DECIMALS = 9
UNDEFINED = f"undefined: {statistic(SERVERS).undefined}"


def p_of(chi_square: str, df: int) -> str:
    """The p-value by scipy."""
    p = chi2.sf(float(chi_square.split()[-1]), df)
    return "less than 0.0001" if p < 0.0001 else f"{p:#.4g}"


def told(text: str, df: int) -> str | None:
    """The chi-square that a result tells, None where it is undefined."""
    if text == UNDEFINED:
        return None
    [row] = rows_of(text)
    assert row["df"] == str(df)
    assert row["p"] == p_of(row["chi_square"], df)
    return row["chi_square"]


def check(study: Study, results: dict[str, str]) -> None:
    exact = OfAllPairs.of(study)
    df = study.options.models - 1
    found = exact.chi_square if exact else None
    if SERVERS in results:
        shown = told(results[SERVERS], df)
        if found is None:
            assert shown is None
        elif found >= Fraction("9999.9995"):
            assert shown == "at least 10000"
        else:
            assert shown == rounded(found, 3)
    if RECEIVER in results:
        shown = told(results[RECEIVER], df)
        if found is None:
            assert shown is None
        elif shown is not None and shown != "at least 10000":
            # as many decimals as it tells are right
            decimals = len(shown.partition(".")[2])
            word = (2 * found * 10**decimals + 1) // 2
            assert Fraction(shown) * 10**decimals == word
        elif shown is None:
            # fewer decimals than a matrix of so small variances asks for
            assert study.options.decimals <= 3 or found > 1000 or is_nearly_singular(exact)


def is_nearly_singular(exact: OfAllPairs | None) -> bool:
    assert exact is not None
    S = np.array([[float(one) for one in row] for row in exact.matrix])
    L = np.c_[-np.ones(len(S) - 1), np.eye(len(S) - 1)]
    return bool(np.linalg.cond(L @ S @ L.T) > 1e4)


def of_models(models: list[list[float]], labels: list[int], text: str) -> str:
    owner = Owner(models[0], labels, models[1:])
    against = tuple(f"m{place}" for place in range(1, len(models)))
    [found] = run(Study((owner,), Options(metrics=(text,), against=against))).results.values()
    return found


LABELS = [1, 1, 1, 0, 0, 0, 1, 0]
FIRST = [0.9, 0.4, 0.6, 0.5, 0.2, 0.1, 0.3, 0.7]
SECOND = [0.3, 0.4, 0.9, 0.5, 0.2, 0.1, 0.6, 0.8]
THIRD = [0.1, 0.9, 0.2, 0.3, 0.5, 0.4, 0.6, 0.7]


def test_models_that_rank_alike_have_no_chi_square() -> None:
    for text in (SERVERS, RECEIVER):
        assert of_models([FIRST, SECOND, FIRST], LABELS, text) == UNDEFINED
        assert of_models([FIRST, FIRST], LABELS, text) == UNDEFINED
        assert of_models([FIRST, SECOND], [1, 0, 0, 0, 0, 0, 0, 0], text) == UNDEFINED


def test_the_order_of_the_models_makes_no_difference() -> None:
    one = of_models([FIRST, SECOND, THIRD], LABELS, SERVERS)
    assert one == of_models([THIRD, FIRST, SECOND], LABELS, SERVERS) != UNDEFINED


def test_the_samples_that_the_servers_hold_are_bounded_by_the_determinant() -> None:
    most = [
        most_samples(Options(metrics=(SERVERS,), against=tuple("abc"[:others])))
        for others in (1, 2, 3)
    ]
    assert most == [2_496_765, 2_496_765, MOST_OF_FOUR]
    assert most_samples(Options(metrics=(RECEIVER,), against=tuple("abcdefghijklmno"))) == 2_496_765


MOST_OF_FOUR = 75_428
