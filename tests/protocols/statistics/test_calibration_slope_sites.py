"""The calibration slope across hospitals: against its definition, fit by fit, in fifty digits."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.calibration_slope_sites import CalibrationSlopeSites
from tests.protocols.statistics import test_auroc_sites
from tests.protocols.statistics.test_auroc_sites import ALL, DIGITS, hospitals, summarised, total
from tests.protocols.studies import Owner, Study, checked, run

TEXT = "calibration_slope_sites"
ASKED = tuple(text.replace(test_auroc_sites.TEXT, TEXT) for text in test_auroc_sites.ASKED)
COLUMNS = ("slope", *test_auroc_sites.COLUMNS[1:])
TOO_FEW = f"undefined: {CalibrationSlopeSites.undefined}"
SAMPLE, MOST_DECIMALS = 4, 7
"""Owners find their slopes in doubles, to some 10^-13: the ninth decimal could differ by chance."""
STEPS, POLISHING, TOLERANCE, NEAR, FARTHEST = 60, 3, Decimal("1e-20"), 1e-3, 45
BINS = 1024


def own_estimate(owner: Owner, higher: bool) -> tuple[Decimal, Decimal] | None:
    """Slope and variance by Newton's method with halved steps, from the middles of 1024 bins."""
    groups: dict[Decimal, list[int]] = {}
    for score, label in zip(owner.scores, owner.labels, strict=True):
        f = Fraction(float(score)) if higher else 1 - Fraction(float(score))
        place = min(int(f * BINS), BINS - 1)
        logit = (Decimal(2 * place + 1) / (2 * BINS - 2 * place - 1)).ln()
        counts = groups.setdefault(logit, [0, 0])
        counts[label] += 1
    xs = sorted(groups)
    of_class = [[x for x in xs if groups[x][kind]] for kind in (0, 1)]
    if not all(of_class):
        return None
    negatives, positives = of_class
    if max(negatives) <= min(positives) or max(positives) <= min(negatives):
        return None
    return _fitted([(x, groups[x][1], sum(groups[x])) for x in xs])


def _fitted(groups: list[tuple[Decimal, int, int]]) -> tuple[Decimal, Decimal] | None:
    """The maximum: to fifteen digits with halved steps, and from there to as many as there are."""
    x, k, n = (np.array(column, float) for column in zip(*groups, strict=True))

    def log_likelihood(line: np.ndarray) -> float:
        η = line[0] + line[1] * x
        return -float(k @ np.logaddexp(0, -η) + (n - k) @ np.logaddexp(0, η))

    line = np.zeros(2)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-line[0] - line[1] * x))
        h = np.stack([np.ones_like(x), x])
        move = np.linalg.solve((h * (n * p * (1 - p))) @ h.T, h @ (k - n * p))
        while log_likelihood(line + move) < log_likelihood(line) and np.abs(move).max() > NEAR:
            move = move / 2
        line = line + move
        if np.abs(line).max() > FARTHEST:
            return None
    a, b = map(Decimal, line.tolist())
    for _ in range(POLISHING):
        shares = [1 / (1 + (-a - b * x).exp()) for x, _, _ in groups]
        off = [k - n * p for (_, k, n), p in zip(groups, shares, strict=True)]
        weights = [n * p * (1 - p) for (_, _, n), p in zip(groups, shares, strict=True)]
        xs = [x for x, _, _ in groups]
        g0, g1 = total(off), total([o * own for o, own in zip(off, xs, strict=True)])
        i00, i01, i11 = (
            total([w * own**power for w, own in zip(weights, xs, strict=True)])
            for power in range(3)
        )
        determinant = i00 * i11 - i01 * i01
        move_a, move_b = (i11 * g0 - i01 * g1) / determinant, (i00 * g1 - i01 * g0) / determinant
        a, b = a + move_a, b + move_b
    assert max(abs(move_a), abs(move_b)) < TOLERANCE
    v = i00 / determinant
    return (b, v) if v <= 8 else None


def by_definition(study: Study) -> str:
    with localcontext() as context:
        context.prec = DIGITS
        found = [own_estimate(owner, study.direction == "higher") for owner in study.owners]
    text = summarised(study, found, lambda x: max(min(x, Decimal(50)), Decimal(-50)), COLUMNS)
    return TOO_FEW if text is None else text


def drawn_owner(rng: np.random.Generator, slope: float) -> Owner:
    n = int(rng.integers(2, 101))
    x = rng.normal(0, 1.2, n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-rng.normal(0, 0.5) - slope * x))).astype(int)
    match rng.integers(0, 12):
        case 0:
            scores = np.full(n, 0.5)
        case 1:
            scores = labels / 2 + 0.2
        case 2 | 3:
            scores = rng.integers(0, 4, n) / 3
        case _:
            scores = (1 / (1 + np.exp(-x))).round(3)
    return Owner(scores.tolist(), labels.tolist())


def studies(count: int, seed: int) -> list[Study]:
    """Four to twelve hospitals of the same or of different slopes; some of them without one."""
    rng, found = np.random.default_rng(seed), []
    for place in range(count):
        spread = rng.choice([0.0, 0.3, 1.0])
        owners = tuple(
            drawn_owner(rng, 1 + rng.normal(0, spread)) for _ in range(rng.integers(4, 13))
        )
        options = Options(
            metrics=(ASKED[place % len(ASKED)],),
            decimals=int(rng.integers(1, MOST_DECIMALS + 1)),
            least_cell=1,
        )
        study = Study(owners, options)
        if rng.integers(2):
            turned = [replace(one, scores=[1 - s for s in one.scores]) for one in owners]
            study = Study(tuple(turned), options, "lower")
        found.append(study)
    return found


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the values with the definition; True if there are any."""
    [found] = results.values()
    assert found == by_definition(study), study
    return found != TOO_FEW


def agree(count: int, seed: int) -> int:
    """The number of studies with values; all have those of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_values_of_their_rows() -> None:
    assert agree(SAMPLE, 3) >= SAMPLE // 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_values_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 4 + part) > ALL // 10


def test_hospitals_without_a_slope_are_left_out_and_counted() -> None:
    options = Options(metrics=(TEXT,), decimals=6)
    without = (
        Owner([0.9, 0.8, 0.1, 0.2], [1, 1, 0, 0]),
        Owner([0.5] * 4, [1, 1, 0, 0]),
        Owner([0.5, 0.6], [1, 1]),
        Owner([], []),
    )
    [five] = run(Study(hospitals(5), options)).results.values()
    [nine] = run(Study((*hospitals(5), *without), options)).results.values()
    assert five.endswith("left_out 0")
    assert nine == five.replace("left_out 0", "left_out 4")
    assert run(Study((*hospitals(4), *without), options)).results == {TEXT: TOO_FEW}


def test_limits_beyond_fifty_are_released_as_that() -> None:
    """Slopes of some 20, far apart from slopes of some -20."""
    steep = [0.49] * 500 + [0.51] * 500
    up = Owner(steep, ([0] * 35 + [1] * 15) * 10 + ([0] * 15 + [1] * 35) * 10)
    down = Owner(steep, ([1] * 35 + [0] * 15) * 10 + ([1] * 15 + [0] * 35) * 10)
    study = Study((up, up, up, down, down, down), Options(metrics=(TEXT,), decimals=2))
    [text] = run(study).results.values()
    assert text.endswith("prediction_lower -50.00, prediction_upper 50.00, left_out 0")


def test_all_summaries_of_one_study_share_their_hops() -> None:
    options = Options(metrics=("auroc_sites", "observed_expected_sites", TEXT))
    outcome = run(Study(hospitals(6), options))
    cost = total_cost(options, [40] * 6)
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)
    assert outcome.results[TEXT] == run(Study(hospitals(6), Options(metrics=(TEXT,)))).results[TEXT]


def test_the_ledger_says_who_can_solve_for_whom() -> None:
    [told] = ledger(Options(metrics=(TEXT,)), [1000] * 8).learns.receivers
    assert "one owner alone cannot solve them for another's estimate" in told
    assert "all owners but one together can" in told


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionRefused, match="takes scores as probabilities"):
        Options(metrics=(TEXT,), range=(0, 20))
