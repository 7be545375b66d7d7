"""The refined AUROC against all pairs on every grid, one after the other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, run, run_all

WIDTHS = ("0.5", "0.1", "0.02", "0.001")
TEXTS = tuple(f"auroc_refined:width={width}" for width in WIDTHS)
TOO_WIDE = "undefined: even on all bins of the study the bounds are further apart than the width"


def expected(study: Study, width: Fraction) -> str:
    """Grid by grid, from two bins on: the first whose bounds are close enough."""
    scores, labels = np.array(study.scores), np.array(study.labels)
    if labels.all() or not labels.any():
        return "undefined: a class is missing"
    bins = 2
    while bins <= study.options.scale.number:
        places = np.minimum((scores * bins).astype(int), bins - 1)
        tied = sum(int((places[labels == 0] == one).sum()) for one in places[labels == 1])
        if Fraction(tied, int(labels.sum()) * int((1 - labels).sum())) <= width:
            auroc = pooled.auroc(places.tolist(), labels.tolist())
            assert auroc is not None
            exact = pooled.auroc(scores.tolist(), labels.tolist())
            assert exact is not None
            assert abs(auroc - exact) <= width / 2
            return f"bins {bins}, auroc {pooled.rounded(auroc, study.options.decimals)}"
        bins *= 2
    return TOO_WIDE


def check_all(studies: list[Study]) -> set[str]:
    told = set()
    for study, outcome in zip(studies, run_all(studies), strict=True):
        wanted = {text: expected(study, Fraction(text.split("=")[1])) for text in TEXTS}
        wanted = {statistic(text).text: value for text, value in wanted.items()}
        found = {statistic(text).text: value for text, value in outcome.results.items()}
        assert found == wanted
        told |= {value.partition(",")[0] for value in found.values()}
    return told


def test_drawn_studies_stop_at_the_first_grid_that_is_fine_enough() -> None:
    told = check_all(drawn_studies(10, 101, [TEXTS], 9, (2, 16, 256, 1024)))
    assert TOO_WIDE in told
    assert len(told) > 5


@pytest.mark.soak
def test_five_hundred_studies_stop_at_the_first_grid_that_is_fine_enough() -> None:
    assert len(check_all(drawn_studies(500, 102, [TEXTS], 12, (2, 16, 64, 1024, 1 << 14)))) > 10


def test_more_bins_of_the_study_change_nothing_where_fewer_are_enough() -> None:
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 2, 400)
    owner = Owner(np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1), labels)
    results = [
        run(
            Study((owner,), Options(metrics=TEXTS[1:3], decimals=6, resolution=f"bins:{bins}"))
        ).results
        for bins in (256, 4096)
    ]
    assert results[0] == results[1]


def test_words_that_no_study_gives_and_a_width_of_nothing_are_refused() -> None:
    one = statistic(TEXTS[0])
    for words in ([21, 5], [1, 10**4 + 1]):
        with pytest.raises(RemoteProtocolError):
            one.decode(words, 4)
    for width in ("0", "1"):
        with pytest.raises(OptionRefused):
            statistic(f"auroc_refined:width={width}")
