"""Statistics of the curve from cells are those of the sorted list of the same scores."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.ranking.binned import Binned
from ppaurora.protocols.statistics.parameters import parameters
from ppaurora.protocols.statistics.registry import statistic, statistics
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies, one_of_each_size
from tests.protocols.statistics.examples import BINS as ALL_APART
from tests.protocols.statistics.examples import EXAMPLES, REVERSED, TIED, Example, released_of
from tests.protocols.studies import Owner, Study, released, run_all

EXACT = (
    "auroc_se",
    "auroc_ci:level=0.9,method=delong",
    "auroc_above:than=0.7",
    "pauc:max_fpr=0.3,standardized=true",
    "pauc:min_tpr=0.75",
    "tpauc:min_tpr=0.5,max_fpr=0.5",
)
BY_TURNS = [EXACT[:2], EXACT[2:4], EXACT[4:]]
BINS = (2, 8, 64)


def on_a_grid(study: Study, bins: int) -> Study:
    """The same owners, who count."""
    return replace(study, options=replace(study.options, resolution=f"bins:{bins}"))


def most_samples_on_a_grid(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let statistics divide as for so many samples, whatever the counts are."""
    real = Histogram.prepare

    def prepare(*args: Any) -> Binned:
        return replace(real(*args), n=most)

    monkeypatch.setattr(Histogram, "prepare", prepare)


def measured(study: Study) -> tuple[int, int]:
    """The hops and payload bytes of a study whose results nobody reads."""

    def program(party: Party, *lists: Shared) -> tuple[int, int]:
        evaluate(party, study.options, lists, sizes=study.sizes)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return party.hops, sent

    at = run_local(program, *study.shares())
    return max(hops for hops, _ in at), sum(sent for _, sent in at)


@pytest.mark.parametrize("decimals", [2, 15])
def test_divisions_take_the_widest_steps_for_all_samples_that_a_grid_holds(
    decimals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost is predicted from the bins, without the number of samples."""
    texts = [
        "accuracy:at=0.5", "auroc", "auroc_ci", "auroc_se", "brier", "ece",
        "log_loss", "mcc:at=0.5", "net_benefit:at=0.5", "observed_expected",
        "pauc:max_fpr=0.5", "scaled_brier", "tpauc:max_fpr=0.5,min_tpr=0.5",
        "youden:at=0.5",
    ]  # fmt: skip
    for text in texts:
        most = statistic(text).most_samples(decimals)
        if not most:
            continue
        options = Options(metrics=(text,), decimals=decimals, resolution="bins:8")
        with monkeypatch.context() as patch:
            most_samples_on_a_grid(patch, most)
            hops, payload = measured(Study((Owner([0.1, 0.6, 0.9], [0, 1, 1]),), options))
        foretold = [one.spent for one in phase_estimates(options, [3])]
        assert sum(one.hops for one in foretold) == hops, text
        assert sum(one.payload for one in foretold) == payload, text


def floored(study: Study, bins: int) -> Study:
    """The sorted list of scores that stand for their bins."""
    owners = tuple(
        Owner([min(int(Fraction(x) * bins), bins - 1) / bins for x in one.scores], one.labels)
        for one in study.owners
    )
    return replace(study, owners=owners)


def check_all(studies: list[Study]) -> None:
    bins = [BINS[place % len(BINS)] for place in range(len(studies))]
    pairs = list(zip(studies, bins, strict=True))
    of_lists = run_all([floored(*pair) for pair in pairs])
    of_bins = run_all([on_a_grid(*pair) for pair in pairs])
    for exact, counted in zip(of_lists, of_bins, strict=True):
        assert counted.results == exact.results


def test_drawn_studies_have_the_values_of_their_sorted_binned_scores() -> None:
    check_all(one_of_each_size(drawn_studies, 51, BY_TURNS, 5))


@pytest.mark.soak
def test_a_hundred_studies_have_the_values_of_their_sorted_binned_scores() -> None:
    check_all(drawn_studies(100, 52, BY_TURNS, 9))


CELLS = [name for name, kind in statistics().items() if kind.cells]


def test_every_program_for_cells_has_the_parameters_of_the_other() -> None:
    assert len(CELLS) == 10
    for name in CELLS:
        kind = statistics()[name]
        # the logit scale is for lists whose counts fit it
        for other in filter(None, (kind.cells, kind.bounds)):
            assert other.name == name
            own, theirs = (
                [key for key in all if key != "method"]
                for all in (parameters(other), parameters(kind))
            )
            assert own == theirs


WRITTEN = {"pauc": "pauc:max_fpr=0.5", "tpauc": "tpauc:min_tpr=0.5,max_fpr=0.5"}


COMPARING = tuple(name for name in CELLS if statistics()[name].compares_groups)
ONE = "of one list"
TOGETHER = {
    "of groups": tuple(WRITTEN.get(name, name) for name in COMPARING),
    ONE: tuple(WRITTEN.get(name, name) for name in CELLS if name not in COMPARING),
}
"""Texts that may stand in one study."""


GRID: dict[str, str] = {"resolution": f"bins:{ALL_APART}"}
COUNTED = {"resolution": "decimals:4", "table": "counted"}
"""Sixteenths have four decimals, of which there are 10,001 cells."""


@pytest.mark.parametrize(
    ("texts", "of", "table"),
    [
        pytest.param(
            texts,
            of,
            table,
            # in CI the grid of all lists, of groups of two, and the many cells of the first list
            marks=[pytest.mark.weekly] * (place > (table == GRID) * (3 if kind == ONE else 1)),
        )
        for kind, texts in TOGETHER.items()
        for place, of in enumerate(EXAMPLES)
        for table in (GRID, COUNTED)
    ],
)
def test_cells_that_tell_all_scores_apart_give_the_value_of_the_sorted_list(
    texts: tuple[str, ...], of: Example, table: dict[str, str]
) -> None:
    values = released_of(texts, of)
    # two samples of each class in a group are enough, and these have them
    assert of not in (TIED, REVERSED) or "undefined" not in str(values)
    # on a grid those with bounds are others
    asked = tuple(text for text in texts if table == COUNTED or not statistic(text).bounds)
    expected = {text: one for text, one in values.items() if text.partition("@")[0] in asked}
    assert released_of(asked, of, **table) == expected


def test_a_statistic_of_sorted_lists_is_refused_where_scores_are_counted() -> None:
    for table in ({"resolution": "bins:16"}, {"resolution": "decimals:2", "table": "counted"}):
        with pytest.raises(OptionRefused, match="aupr, which needs the scores sorted"):
            Options(metrics=("aupr",), **table)
    with pytest.raises(OptionRefused, match="auroc_refined, which is computed from bins"):
        Options(metrics=("auroc_refined",))
    with pytest.raises(OptionRefused, match="2000001 scores"):
        Options(metrics=("auroc",), resolution="decimals:6", range=(0, 2), table="counted")


def test_two_thousand_million_samples_have_delongs_error() -> None:
    """A2 and B2 reach 2^92, the variance's denominator 2^182."""
    options = Options(
        metrics=("auroc_se", "auroc_ci:method=delong"),
        decimals=6,
        resolution="bins:4",
    )
    assert all(one.fits(MOST_SAMPLES, 6) for one in options.statistics)
    p, q = [9 * 10**8, 1, 10**8, 5], [10**8, 0, 7 * 10**8, 0]
    q[3] = MOST_SAMPLES - sum(p) - sum(q)
    at = run_local(
        lambda party, own: evaluate(party, options, [own], sizes=[MOST_SAMPLES]),
        share(np.array(p + q, np.uint64)),
    )
    told = released(options, at).results
    P, N = sum(p), sum(q)
    a = [Fraction(2 * sum(q[k + 1 :]) + q[k], 2 * N) for k in range(4)]
    b = [Fraction(2 * sum(p[:k]) + p[k], 2 * P) for k in range(4)]
    area = sum(Fraction(n) * x for n, x in zip(p, a, strict=True)) / P
    variance = sum(n * (x - area) ** 2 for n, x in zip(p, a, strict=True)) / (P - 1) / P
    variance += sum(n * (x - area) ** 2 for n, x in zip(q, b, strict=True)) / (N - 1) / N
    one = 10**6
    error = (isqrt(int(4 * one**2 * variance)) + 1) // 2
    assert told["auroc_se"] == f"0.{error:06d}"
    assert told["auroc_ci:method=delong"].split()[0] == f"0.{int(area * one + Fraction(1, 2)):06d}"
    assert error > 0


def test_an_unasked_product_is_told_as_a_fault_of_the_statistic() -> None:
    pipeline = Options(metrics=("auroc",), resolution="bins:2").pipeline
    *_, data = run_local(
        lambda party, own: pipeline.prepare(party, [own], [4], frozenset()),
        share(np.ones(4, np.uint64)),
    )
    with pytest.raises(LocalProtocolError, match="did not ask for it"):
        _ = data.PN


def test_the_ledger_says_that_an_interval_tells_the_class_count_roughly() -> None:
    text = "auroc_ci:method=delong"
    [told] = ledger(Options(metrics=(text,), resolution="bins:4096"), [1000] * 4).learns.receivers
    assert told.startswith(f"{text}: the released decimals, which with the number of")
    [one] = Options(metrics=(text,), resolution="bins:4096").statistics
    assert one.most_samples(4) == MOST_SAMPLES
