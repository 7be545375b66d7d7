"""The random-effects summary of shared estimates, against the one in the clear in sixty digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, reconstruct, share
from ppaurora.mpc.wide_shares import WideShared, reconstruct_wide
from ppaurora.protocols.lists.site_estimate import (
    FLOOR,
    MOST_SITES,
    MOST_VARIANCE,
    POINT_BITS,
    VARIANCE_BITS,
    SiteEstimate,
    limits,
    to_words,
)
from ppaurora.protocols.ranking.random_effects import (
    BETWEEN_BITS,
    LIMIT_BITS,
    SiteEstimates,
    Summary,
    scaled_quantile_of,
    summary,
    summary_cost,
)
from ppaurora.protocols.release.random_effects import pooled_summary
from tests.further import some_of
from tests.protocols.release.test_random_effects import log_risk_ratios

TAIL = Fraction(1, 40)
FARTHEST_OFF = Decimal("1e-11")


@dataclass(frozen=True)
class Opened:
    """A summary in the clear, and the hops that it took."""

    limits: list[Decimal]
    between: Decimal
    inconsistency: Decimal
    sites: int
    few: int
    hops: int


def opened(words: Sequence[Sequence[int]], tail: Fraction = TAIL) -> Opened:
    columns = [share(np.array(column, np.uint64)) for column in zip(*words, strict=True)]

    def program(party: Party, *own: Shared) -> tuple[Summary, int]:
        before = party.hops
        return summary(party, SiteEstimates(*own), tail), party.hops - before

    (p0, hops), (p1, _), (helper, _) = run_local(program, *columns)
    assert len(helper.limits) == len(p0.limits)

    def wide(one: WideShared, other: WideShared, bits: int = 0) -> list[Decimal]:
        numbers = reconstruct_wide(one.words, other.words)
        signed = [number - (number >> 255 << 256) for number in numbers]
        return [Decimal(number) / (1 << bits) for number in signed]

    [between] = wide(p0.between, p1.between, BETWEEN_BITS)
    [beyond], [about] = wide(p0.beyond, p1.beyond), wide(p0.about, p1.about)
    [sites], [few] = (
        reconstruct(one.words, other.words).tolist()
        for one, other in ((p0.sites, p1.sites), (p0.few, p1.few))
    )
    found = wide(p0.limits, p1.limits, LIMIT_BITS)
    return Opened(found, between, beyond / about if about else about, sites, few, hops)


def agree(estimates: Sequence[SiteEstimate | None], tail: Fraction = TAIL) -> Opened:
    found = opened([to_words(one) for one in estimates], tail)
    there = [one for one in estimates if one is not None]
    expected = pooled_summary(
        [Decimal(one.θ) / (1 << POINT_BITS) for one in there],
        [Decimal(one.v) / (1 << VARIANCE_BITS) for one in there],
        tail,
    )
    assert (found.sites, found.few) == (len(there), 0)
    assert found.hops == summary_cost(len(estimates)).hops
    for one, other in zip(found.limits, expected.limits, strict=True):
        assert abs(one - other) < FARTHEST_OFF
    assert abs(found.between - expected.between) < FARTHEST_OFF * max(1, expected.between)
    assert abs(found.inconsistency - expected.inconsistency) < FARTHEST_OFF
    return found


def test_the_trials_of_the_bcg_vaccine_have_the_published_summary() -> None:
    """As metafor prints it, see tests/protocols/release/test_random_effects.py."""
    θ, v = log_risk_ratios()
    found = agree([SiteEstimate.of(x, Fraction(y)) for x, y in zip(θ, v, strict=True)])
    assert [f"{one:.4f}" for one in (found.limits[0], found.between)] == ["-0.7141", "0.3088"]
    assert f"{100 * found.inconsistency:.2f}" == "92.12"


@pytest.mark.parametrize("seed", some_of(range(12), in_ci=[2, 6, 8, 11]))
def test_drawn_estimates_have_the_summary_in_the_clear(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, spread = int(rng.integers(5, 13)), float(rng.choice([0, 0.2, 1, 4]))
    estimates: list[SiteEstimate | None] = []
    for _ in range(k):
        v = Fraction(float(np.exp(rng.uniform(-9, 1))))
        θ = rng.normal(1, spread) + rng.normal() * float(v) ** 0.5
        estimates.append(SiteEstimate.of(Decimal(float(θ)), v))
    estimates[int(rng.integers(k)) : 0] = [None] * int(rng.integers(3))
    agree(estimates, Fraction(1, int(rng.choice([4, 20, 40, 2000]))))


def test_equal_estimates_have_no_spread() -> None:
    found = agree([SiteEstimate.of(Decimal("0.7"), Fraction(1, 50))] * 6)
    assert found.limits == [found.limits[0]] * 5
    assert (found.between, found.inconsistency) == (0, 0)


EXTREMES = {
    "the largest variances and the farthest estimates": [
        SiteEstimate((-1) ** place * (64 << POINT_BITS), MOST_VARIANCE << VARIANCE_BITS)
        for place in range(6)
    ],
    "the least variances and the farthest estimates": [
        SiteEstimate((-1) ** place * (64 << POINT_BITS), FLOOR) for place in range(6)
    ],
    "one least variance beside the largest": [
        SiteEstimate(place << POINT_BITS - 4, (MOST_VARIANCE << VARIANCE_BITS) if place else FLOOR)
        for place in range(6)
    ],
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_ends_of_what_an_owner_can_share_are_summed_up_like_all_else(name: str) -> None:
    found = opened([to_words(one) for one in EXTREMES[name]])
    expected = pooled_summary(
        [Decimal(one.θ) / (1 << POINT_BITS) for one in EXTREMES[name]],
        [Decimal(one.v) / (1 << VARIANCE_BITS) for one in EXTREMES[name]],
        TAIL,
    )
    for one, other in zip(found.limits, expected.limits, strict=True):
        assert abs(one - other) < Decimal("1e-7")


def test_as_many_sites_as_there_may_be_stay_below_the_largest_number() -> None:
    """All with the largest words that pass the check, every second one at the other end of θ."""
    counted, θ, v, high, low = limits()
    words = [(counted, θ * (place % 2), 0, high, low) for place in range(MOST_SITES)]
    found = opened(words)
    P = Decimal(MOST_SITES // 2) / MOST_SITES
    variance = P * (1 - P) * 128**2
    assert abs(found.limits[0] - (128 * P - 64)) < Decimal("1e-9")
    s = (variance / (MOST_SITES - 1)).sqrt()
    t = Decimal(scaled_quantile_of(MOST_SITES, 1, TAIL)) / 2**44 * Decimal(MOST_SITES - 1).sqrt()
    assert abs(found.limits[2] - found.limits[0] - t * s) < Decimal("1e-7")
    assert v < 1 << 62


@pytest.mark.parametrize("there", some_of(range(5), in_ci=[0, 1, 4]))
def test_fewer_than_five_are_few_and_break_nothing(there: int) -> None:
    estimates = [
        SiteEstimate.of(Decimal(place), Fraction(1, 10 + place)) if place < there else None
        for place in range(6)
    ]
    found = opened([to_words(one) for one in estimates])
    assert (found.sites, found.few) == (there, 1)
    assert found.hops == summary_cost(6).hops
