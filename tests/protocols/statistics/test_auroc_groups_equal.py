"""The chi-square of all groups' AUROCs: against its definition in fractions, and other programs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.auroc_groups_equal import AurocGroupsEqual
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pipelines.test_groups import only
from tests.protocols.statistics import test_auroc_groups
from tests.protocols.statistics.test_auroc_coverage import estimated
from tests.protocols.statistics.test_auroc_groups import area_and_variance
from tests.protocols.studies import Owner, Study, checked, run, sizes_of

TEXT = "auroc_groups_equal"
ASKED = (TEXT,)
NONE = f"undefined: {AurocGroupsEqual.undefined}"
SAMPLE, ALL = 6, 500
NEAR = Fraction(1, 10**6)


def rows_of(study: Study, place: int) -> list[tuple[float, int]]:
    """The rows of a group, higher scores speaking for positives."""
    sign = 1 if study.direction == "higher" else -1
    return [
        (sign * score, label)
        for one in only(study.owners, place)
        for score, label in zip(one.scores, one.labels, strict=True)
    ]


def by_definition(study: Study) -> Fraction | None:
    """Σ (A - mean)²/V."""
    found = [area_and_variance(rows_of(study, place)) for place in range(len(study.options.groups))]
    there = [one for one in found if one is not None]
    if len(there) < len(found) or not all(V for _, V in there):
        return None
    total = sum((1 / V for _, V in there), Fraction(0))
    mean = sum((A / V for A, V in there), Fraction(0)) / total
    return sum(((A - mean) ** 2 / V for A, V in there), Fraction(0))


def check(study: Study, results: dict[str, str]) -> int:
    """Compare the value with the definition; 1 if there is one."""
    [(name, text)] = results.items()
    assert name == TEXT
    wanted = by_definition(study)
    if wanted is None:
        assert text == NONE
        return 0
    found, df, p = (word.split(" ", 1)[1] for word in text.split(", "))
    assert int(df) == len(study.options.groups) - 1
    if wanted >= Fraction(99999995, 10**4):
        assert found == "at least 10000"
        return 1
    # half up; what lies as close to a boundary as the docstring says may be either
    twice = wanted * 2000
    halves = {int(twice + 1 + way * NEAR) // 2 for way in (-1, 1)}
    assert Fraction(found) * 1000 in halves, study
    expected = float(chi2.sf(float(found), int(df)))
    if not p.startswith("less"):
        assert float(p) == pytest.approx(expected, rel=2e-3)
    return 1


def studies(count: int, seed: int) -> list[Study]:
    """Those of the differences between groups."""
    return [
        replace(one, options=replace(one.options, metrics=ASKED))
        for one in test_auroc_groups.studies(count, seed)
    ]


def agree(count: int, seed: int) -> int:
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_chi_square_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > 1


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_chi_square_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 2 + part) > ALL // 20


def grouped(sizes: tuple[int, ...], gaps: tuple[float, ...], seed: int = 3) -> Owner:
    """Groups of these sizes, whose classes are so far apart."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n) % 2 for n in sizes])
    parts = np.repeat(np.arange(len(sizes)), sizes)
    scores = 1 / (1 + np.exp(-rng.normal(np.array(gaps)[parts] * labels, 1)))
    return Owner(scores.round(4).tolist(), labels.tolist(), parts=parts.tolist())


@pytest.mark.parametrize("sizes", [(60, 80), (60, 40, 120), (50, 60, 70, 80, 90)])
def test_it_is_the_quadratic_form_of_contrasts_by_midranks(sizes: tuple[int, ...]) -> None:
    """DeLong's Eq. 5 with a block for each group, in floating point, by another program's ranks."""
    owner = grouped(sizes, tuple(np.linspace(0.3, 1.6, len(sizes))))
    names = tuple("abcde"[: len(sizes)])
    study = Study((owner,), Options(metrics=ASKED, groups=names, least_cell=1))
    areas, variances = [], []
    scores, labels, parts = (np.array(x) for x in (owner.scores, owner.labels, owner.parts))
    for place in range(len(sizes)):
        x, y = (scores[(parts == place) & (labels == kind)] for kind in (1, 0))
        A, V = estimated(x[None], y[None])
        areas.append(A[0])
        variances.append(V[0])
    L = np.hstack([-np.ones((len(sizes) - 1, 1)), np.eye(len(sizes) - 1)])
    gaps, spread = L @ np.array(areas), L @ np.diag(variances) @ L.T
    wanted = float(gaps @ np.linalg.solve(spread, gaps))
    text = run(study).results[TEXT]
    assert text.startswith(f"chi_square {wanted:.3f}, df {len(sizes) - 1}, p ")


def test_of_two_groups_it_is_the_square_of_z() -> None:
    owner = grouped((80, 90), (0.4, 1.2))
    options = Options(metrics=("auroc_groups", TEXT), groups=("a", "b"), least_cell=1)
    results = run(Study((owner,), options)).results
    z = float(results["auroc_groups@b@a"].partition(", z ")[2].partition(",")[0])
    found = float(results[TEXT].removeprefix("chi_square ").partition(",")[0])
    assert found == pytest.approx(z * z, abs=2 * z * 0.0006)


def test_separated_classes_few_samples_and_empty_groups_have_none() -> None:
    options = Options(metrics=ASKED, groups=("a", "b", "c"), least_cell=1)
    fine = grouped((40, 40, 0), (0.5, 1.0, 0))
    for scores, labels in (
        ([0.9, 0.8, 0.1, 0.2], [1, 1, 0, 0]),
        ([0.9, 0.2, 0.3], [1, 0, 0]),
        ([], []),
    ):
        other = Owner(scores, labels, parts=[2] * len(scores))
        assert run(Study((fine, other), options)).results == {TEXT: NONE}


def test_groups_that_are_far_apart_are_told_as_that() -> None:
    rng = np.random.default_rng(2)
    labels = np.tile([0, 1], 1000)
    near = (labels * 0.98 + rng.random(2000) * 0.02).round(5)
    near[:3] = [0.999, 0.5, 0.501]
    owners = tuple(
        Owner(scores.tolist(), labels.tolist(), parts=[place] * 2000)
        for place, scores in enumerate((near, 1 - near))
    )
    options = Options(metrics=ASKED, groups=("a", "b"), least_cell=1)
    text = run(Study(owners, options)).results[TEXT]
    assert text == "chi_square at least 10000, df 1, p less than 0.0001"


@pytest.mark.parametrize(
    "more", [{"merge": "network"}, {"resolution": "decimals:2", "table": "counted"}]
)
def test_the_predicted_cost_is_the_measured_one(more: dict[str, str]) -> None:
    owner = grouped((24, 16, 20), (0.3, 0.8, 1.2))
    owner = replace(owner, scores=[round(score, 2) for score in owner.scores])
    names = ("a", "b", "c")
    options = Options(metrics=(*ASKED, "auroc"), groups=names, least_cell=1, **more)  # type: ignore[arg-type]
    study = Study((owner, owner), options)
    outcome, predicted = run(study), phase_estimates(options, sizes_of(study.owners, options))
    assert sum(one.spent.hops for one in predicted) == outcome.hops
    assert sum(one.spent.payload for one in predicted) == outcome.payload


def test_of_cells_any_number_of_samples_costs_the_same() -> None:
    options = Options(
        metrics=ASKED, groups=("a", "b", "c"), resolution="decimals:2", table="counted"
    )
    small, large = (total_cost(options, [n] * 24) for n in (300, 300_000))
    assert small == large


def test_a_study_without_groups_is_refused() -> None:
    with pytest.raises(OptionRefused, match="has no groups"):
        Options(metrics=ASKED).check_compared()


def test_words_that_no_study_gives_are_refused() -> None:
    one = statistic(TEXT)
    for word in (10**7 + 1, 1 << 63):
        with pytest.raises(RemoteProtocolError):
            one.decode([word], 4)


def test_the_ledger_names_the_chi_square() -> None:
    options = Options(metrics=ASKED, groups=("a", "b"))
    [told] = ledger(options, [100, 100, 100, 100]).learns.receivers[:1]
    assert "the chi-square to 3 decimals" in told
