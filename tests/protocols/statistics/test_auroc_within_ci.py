"""The interval of the AUROC within hospitals: against the placements one by one."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics import test_auroc_within
from tests.protocols.studies import Owner, Study, checked, interval, released, run

TEXT = "auroc_within_ci"
ASKED = (TEXT, f"{TEXT}:level=0.5", f"{TEXT}:level=0.99")
SAMPLE, ALL, DIGITS = 10, 500, 60
MOST_DECIMALS = 8
UNDEFINED = "undefined: no owner has both classes"


def of_owner(owner: Owner, higher: bool) -> tuple[int, int, Fraction]:
    """Twice the won pairs, all pairs, and their variance, from the pairs each row wins."""
    sign = 1 if higher else -1
    of_class: tuple[list[float], list[float]] = ([], [])
    for score, label in zip(owner.scores, owner.labels, strict=True):
        of_class[label].append(sign * float(score))
    negatives, positives = (np.array(own) for own in of_class)
    twice = (positives[:, None] > negatives).astype(int) + (positives[:, None] >= negatives)
    P, N = twice.shape
    won = int(twice.sum())
    if not P * N:
        return 0, 0, Fraction(0)
    if min(P, N) == 1:
        return won, P * N, Fraction(won, 2) * (P * N - Fraction(won, 2))
    variance = Fraction(0)
    for axis, size, other in ((1, P, N), (0, N, P)):
        V = [Fraction(int(own), 2 * other) for own in twice.sum(axis=axis)]
        mean = sum(V, Fraction(0)) / size
        variance += sum(((own - mean) ** 2 for own in V), Fraction(0)) / (size - 1) / size
    return won, P * N, variance * (P * N) ** 2


def by_definition(study: Study) -> str:
    [one] = study.options.statistics
    decimals = study.options.decimals
    found = [of_owner(owner, study.direction == "higher") for owner in study.owners]
    pairs = sum(own for _, own, _ in found)
    if not pairs:
        return UNDEFINED
    area = Fraction(sum(won for won, _, _ in found), 2 * pairs)
    variance = sum((own for _, _, own in found), Fraction(0)) / pairs**2
    root = Fraction(isqrt(int(variance * 100**DIGITS)), 10**DIGITS)
    half = root * Fraction(scaled_quantile((1 - one.level) / 2, DIGITS), 10**DIGITS)
    numbers = area, max(area - half, Fraction(0)), min(area + half, Fraction(1))
    words = [int((2 * number * 10**decimals + 1) // 2) for number in numbers]
    scale = 10**decimals
    return interval(*(f"{word // scale}.{word % scale:0{decimals}d}" for word in words))


def studies(count: int, seed: int) -> list[Study]:
    found = []
    for place, one in enumerate(test_auroc_within.studies(count, seed)):
        more = test_auroc_within.RANGES[place % len(test_auroc_within.RANGES)]
        asked = (ASKED[place % len(ASKED)],)
        decimals = min(one.options.decimals, MOST_DECIMALS)
        options = Options(metrics=asked, decimals=decimals, **more)
        found.append(Study(one.owners, options, one.direction))
    return found


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the interval with that of the placements; True if there is one."""
    [found] = results.values()
    assert found == by_definition(study), study
    return found != UNDEFINED


def agree(count: int, seed: int) -> int:
    """The number of studies with an interval; all have that of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_interval_of_their_placements() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 3


@pytest.mark.soak
def test_five_hundred_studies_have_the_interval_of_their_placements() -> None:
    assert agree(ALL, 2) > ALL // 3


def test_of_one_hospital_it_is_the_interval_of_delong() -> None:
    rng = np.random.default_rng(2)
    only = Owner(rng.random(40).round(1).tolist(), rng.integers(0, 2, 40).tolist())
    options = Options(metrics=("auroc_ci:method=delong", TEXT), decimals=8)
    found = run(Study((only, Owner([0.5, 0.6], [1, 1])), options)).results[TEXT]
    alone = run(Study((only,), options)).results
    assert found == alone[TEXT] == alone["auroc_ci:method=delong"]


def test_the_value_is_that_of_the_statistic_without_an_interval() -> None:
    of = test_auroc_within.hospitals((0, 0.1, 0.2), (0.5, 0.3, 0.2))
    options = Options(metrics=("auroc_within", TEXT), decimals=6)
    outcome = run(Study(of, options))
    assert outcome.results[TEXT].split()[0] == outcome.results["auroc_within"]
    cost = total_cost(options, [60] * 3)
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)


def test_where_every_hospital_is_separated_it_has_no_width_and_says_so() -> None:
    owners = (Owner([0.9, 0.8, 0.1], [1, 1, 0]), Owner([0.4, 0.3, 0.1], [1, 0, 0]))
    [text] = run(Study(owners, Options(metrics=(TEXT,)))).results.values()
    assert text == "1.0000 (1.0000 to 1.0000, no width)"


def test_the_most_samples_have_the_interval_of_their_spread() -> None:
    """One pair in four is lost, in two hospitals of a billion rows."""
    options = Options(metrics=(TEXT,), decimals=MOST_DECIMALS)
    [one] = options.statistics
    assert one.fits(MOST_SAMPLES, MOST_DECIMALS)
    half = MOST_SAMPLES // 4
    pairs = half * half
    spread = pairs * pairs // 64
    words = [half, half, 2 * pairs - pairs // 2, spread >> 60, spread & (1 << 60) - 1, 0]
    at = run_local(
        lambda party, *own: evaluate(party, options, own, sizes=[2 * half] * 2),
        *(share(np.array(words, np.uint64)) for _ in range(2)),
    )
    # two spreads over (2·pairs)²
    root = Fraction(isqrt(10**40 * spread // (2 * pairs**2)), 10**20)
    z = Fraction(scaled_quantile(Fraction(1, 40), 20), 10**20)
    ends = [Fraction(3, 4) + sign * z * root for sign in (0, -1, 1)]
    texts = [f"{float(end):.8f}" for end in ends]
    assert released(options, at).results == {TEXT: interval(*texts)}


def test_the_ledger_says_who_learns_the_last_hospitals_interval() -> None:
    [told] = ledger(Options(metrics=(TEXT,)), [1000] * 4).learns.receivers
    assert "all owners but one together learn the AUROC of the last one's rows and its" in told


@pytest.mark.parametrize("decimals", [1, 4, MOST_DECIMALS])
def test_eight_hospitals_take_as_much_at_any_size(decimals: int) -> None:
    options = Options(metrics=(TEXT,), decimals=decimals)
    assert total_cost(options, [1000] * 8) == total_cost(options, [10**7] * 8)
    assert statistic(TEXT).words(decimals) == 3
