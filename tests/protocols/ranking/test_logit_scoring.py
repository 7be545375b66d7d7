"""The private regression against scoring in more digits; its steps whatever the data."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.ranking.logit_scoring import LINE_BITS, Regression, grouped, scored
from tests.protocols.release.test_recalibration import exact, hard


def fitted(x: np.ndarray, positives: np.ndarray, samples: np.ndarray) -> Regression:
    logits = [Decimal(float(one)) for one in x]

    def program(party: Party, positives: Shared, samples: Shared, n: int) -> Regression:
        return scored(party, grouped(party, logits, positives, samples, n))

    n = int(samples.sum())
    found: list[Regression] = run_local(
        lambda party, *both: program(party, *both, n),
        share(positives.astype(np.uint64)),
        share(samples.astype(np.uint64)),
    )
    assert found[0] == found[1]
    assert found[2].found == 0
    return found[0]


def check_fits(count: int, seed: int) -> tuple[int, int]:
    """The number that have a line, and of those that are found, none off by 10^-10."""
    rng, there, told = np.random.default_rng(seed), 0, 0
    for _ in range(count):
        data = hard(rng)
        expected, found = exact(*data), fitted(*data)
        there += expected is not None
        if found.found and expected is not None:
            told += 1
            numbers = [one / (1 << LINE_BITS) for one in (found.intercept, found.slope)]
            assert numbers == pytest.approx(expected[:2], abs=1e-10)
    return there, told


def test_the_line_is_within_a_ten_thousand_millionth_of_the_maximum() -> None:
    there, told = check_fits(8, 3)
    assert told > 4
    assert told == there


@pytest.mark.soak
def test_two_hundred_hard_data_sets_have_the_line_of_more_digits() -> None:
    there, told = check_fits(200, 4)
    print(f"{there} have a line, {told} of them are found")
    assert there > 100
    assert told == there


def test_two_thousand_million_samples_do_not_run_over() -> None:
    x = np.log([1 / 32767, 1 / 3, 3, 32767.0])
    samples = np.array([5 * 10**8] * 3 + [6 * 10**8])
    positives = np.array([10**7, 10**8, 3 * 10**8, 59 * 10**7])
    expected, found = exact(x, positives, samples), fitted(x, positives, samples)
    assert expected is not None
    assert found.found
    numbers = [one / (1 << LINE_BITS) for one in (found.intercept, found.slope)]
    assert numbers == pytest.approx(expected[:2], abs=1e-10)
