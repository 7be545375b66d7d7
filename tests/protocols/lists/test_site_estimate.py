"""SiteEstimates as words: back from them, and what is left out."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from ppaurora.protocols.lists.site_estimate import (
    FLOOR,
    LOW_BITS,
    MOST_VARIANCE,
    VARIANCE_BITS,
    SiteEstimate,
    from_words,
    limits,
    logit,
    to_words,
)

ESTIMATES = {
    "an ordinary one": (Decimal("1.25"), Fraction(1, 30)),
    "the farthest one with the largest variance": (Decimal(-64), Fraction(MOST_VARIANCE)),
    "one whose variance is below the least": (Decimal(64), Fraction(1, 1 << 30)),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_an_estimate_comes_back_from_its_words_within_their_limits(name: str) -> None:
    θ, v = ESTIMATES[name]
    one = SiteEstimate.of(θ, v)
    assert one is not None
    words = to_words(one)
    assert from_words(tuple(words)) == one
    assert all(0 <= word <= most < 1 << 63 for word, most in zip(words, limits(), strict=True))
    assert Fraction(one.v, 1 << VARIANCE_BITS) == max(v, Fraction(1, 1 << 24)) or v == Fraction(
        1, 30
    )
    weight = (words[3] << LOW_BITS) + words[4]
    assert abs(Fraction(weight) - Fraction(1 << 42 + VARIANCE_BITS, one.v)) <= Fraction(1, 2)


def test_an_owner_without_an_estimate_weighs_nothing() -> None:
    words = to_words(None)
    assert from_words(tuple(words)) is None
    assert words[0] == words[3] == words[4] == 0
    assert words[2] == 0 < FLOOR


@pytest.mark.parametrize("v", [Fraction(0), Fraction(-1), MOST_VARIANCE + Fraction(1, 10**9)])
def test_a_variance_that_weighs_too_much_or_nothing_is_left_out(v: Fraction) -> None:
    assert SiteEstimate.of(Decimal(1), v) is None


def test_an_area_of_0_or_1_has_no_logit_and_a_half_has_that_of_0() -> None:
    assert logit(Fraction(0), Fraction(1, 9)) is None
    assert logit(Fraction(1), Fraction(1, 9)) is None
    assert logit(Fraction(1, 2), Fraction(1, 100)) == SiteEstimate.of(Decimal(0), Fraction(16, 100))
