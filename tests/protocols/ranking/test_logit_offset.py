"""The intercept beside a slope of 1, digit by digit, against bisection in 50 digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import log

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.mpc.wide_shares import reconstruct_wide
from ppaurora.protocols.ranking import logit_offset
from ppaurora.protocols.ranking.logit_offset import (
    DIGITS,
    LEAST,
    MOST,
    OFFSET_BITS,
    OTHERS,
    Intercept,
    offset,
)
from ppaurora.protocols.release import recalibration
from ppaurora.protocols.statistics.of_logits import MOST_GROUPS
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES

Counts = list[int]
UNIT = 2.0**-OFFSET_BITS
FARTHEST = log(2 * MOST_GROUPS - 1)
"""The logit of the middle of the highest group."""


def found_by_all(x: list[float], positives: Counts, samples: Counts) -> tuple[Intercept, int]:
    """The intercept at P0, and the information in units of 2^-62."""
    groups = [Decimal(one) for one in x]
    p0, p1, helper = run_local(
        lambda party, *own: offset(party, groups, *own),
        share(np.array(positives, np.uint64)),
        share(np.array(samples, np.uint64)),
    )
    assert (p0.value, p0.found) == (p1.value, p1.found)
    assert helper.found == 0
    [information] = reconstruct_wide(p0.information.words, p1.information.words)
    return p0, information


def exact(x: list[float], positives: Counts, samples: Counts) -> tuple[Decimal, Decimal]:
    """The intercept and the information there, by halving an interval 150 times."""
    with localcontext() as context:
        context.prec = 50
        groups = [(Decimal(one), count) for one, count in zip(x, samples, strict=True) if count]

        def shares(a: Decimal) -> list[Decimal]:
            return [1 / (1 + (-a - one).exp()) for one, _ in groups]

        low, high, P = Decimal(-40), Decimal(40), sum(positives)
        for _ in range(150):
            middle = (low + high) / 2
            expected = sum(
                (count * σ for (_, count), σ in zip(groups, shares(middle), strict=True)),
                Decimal(0),
            )
            low, high = (low, middle) if expected > P else (middle, high)
        information = sum(
            (count * σ * (1 - σ) for (_, count), σ in zip(groups, shares(low), strict=True)),
            Decimal(0),
        )
        return +low, information


def hard(rng: np.random.Generator) -> tuple[list[float], Counts, Counts]:
    """2 to 16 groups, scores off by any factor, down to a single sample of a class."""
    parts = int(rng.choice([2, 4, 16]))
    n = int(rng.choice([2, 10, 200, 100_000, 10**7, MOST_SAMPLES]))
    rates = rng.dirichlet(np.full(parts, rng.choice([0.1, 1, 10])))
    samples = rng.multinomial(n, rates)
    shares = rng.random(parts) ** rng.choice([1, 4, 40])
    positives = np.minimum(rng.poisson(np.minimum(samples * shares, 1e9)), samples)
    if rng.random() < 0.3:
        at = int(rng.choice(np.flatnonzero(samples)))
        positives = np.where(np.arange(parts) == at, 1, 0)
        if rng.random() < 0.5:
            positives = samples - positives
    if not positives.any() or (positives == samples).all():
        at = int(np.argmax(samples))
        positives = np.zeros(parts, int)
        positives[at] = max(1, samples[at] // 2)
    x = rng.uniform(-FARTHEST, FARTHEST, parts).tolist()
    return x, positives.tolist(), samples.tolist()


def check(x: list[float], positives: Counts, samples: Counts) -> None:
    (line, information), (a, exactly) = (
        found_by_all(x, positives, samples),
        exact(x, positives, samples),
    )
    assert line.found
    worst = sum(samples) / float(exactly)
    within = UNIT * 1.01 + worst * 2.0**-57
    assert abs(float(line.value - a * 2**OFFSET_BITS)) * UNIT <= within
    relative = float(information / (exactly * 2**62)) - 1
    assert abs(relative) <= 2 * UNIT + worst * 2.0**-55
    clear = recalibration.offset(x, positives, samples)
    assert clear is not None
    assert clear.intercept == pytest.approx(float(a), abs=1e-13 + worst * 1e-15)
    assert clear.error == pytest.approx(float(exactly) ** -0.5, rel=1e-12 + worst * 1e-15)


@pytest.mark.parametrize("count", [4, pytest.param(12, marks=pytest.mark.weekly)])
def test_the_intercept_is_that_of_fifty_digits(count: int) -> None:
    rng = np.random.default_rng(31)
    for _ in range(count):
        check(*hard(rng))


@pytest.mark.soak
def test_three_hundred_hard_data_sets_have_the_intercept_of_fifty_digits() -> None:
    rng = np.random.default_rng(32)
    for _ in range(300):
        check(*hard(rng))


@pytest.mark.parametrize("side", [-1, 1])
def test_the_farthest_intercept_is_found(side: int) -> None:
    """One sample of a class among 2^31 - 1, all with the scores that speak most for the other."""
    positives = 1 if side < 0 else MOST_SAMPLES - 1
    x = [-side * FARTHEST]
    check(x, [positives], [MOST_SAMPLES])
    line, _ = found_by_all(x, [positives], [MOST_SAMPLES])
    assert abs(line.value * UNIT - side * (log(MOST_SAMPLES - 1) + FARTHEST)) < 1e-6
    assert 31 < abs(line.value * UNIT) < 32


def test_scores_apart_as_far_as_can_be_have_an_error_within_the_stated_range() -> None:
    _, information = found_by_all([-FARTHEST, FARTHEST], [0, 1], [1, 1])
    assert (information / 2**62) ** -0.5 == pytest.approx(32768 / (2 * 32767) ** 0.5, rel=1e-9)
    assert 32768 / (2 * 32767) ** 0.5 < 256


@pytest.mark.parametrize(("positives", "at"), [([0, 0], LEAST), ([3, 4], MOST)])
def test_without_a_class_there_is_no_intercept(positives: Counts, at: int) -> None:
    line, _ = found_by_all([-1.0, 1.0], positives, [3, 4])
    assert (line.value, line.found) == (at, 0)
    assert recalibration.offset([-1.0, 1.0], positives, [3, 4]) is None


def test_a_score_that_is_right_has_the_intercept_0_exactly() -> None:
    line, _ = found_by_all([-1.5, 1.5], [1, 3], [4, 4])
    assert line.value == 0


def test_the_proxies_see_the_digits_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, honest = [], logit_offset.open_words

    def spy(party, x):
        words = honest(party, x)
        if party.role is Role.P0:
            opened.append(words.tolist())
        return words

    spy.cost = honest.cost
    monkeypatch.setattr(logit_offset, "open_words", spy)
    line, _ = found_by_all([-2.0, 0.5, 3.0], [3, 5, 9], [10, 10, 10])
    digits = [OTHERS - word for [word] in opened]
    assert len(digits) == DIGITS
    assert line.value == LEAST + sum(
        digit << 6 * place for place, digit in enumerate(reversed(digits))
    )
