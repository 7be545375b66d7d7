"""Words of what one row adds to a sum: against fractions, and the owners' own sums."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.grid.row_sums import BITS_ONCE, BITS_WEIGHTED, BY_LABEL, RowWords, kinds
from ppaurora.protocols.grid.sums import MOST_EACH, ROOM, WORDS, Sum, sums_of

ODD = [0.0, 1.0, 0.5, 0.1, 0.3, 1 / 3, 2.0**-8, 2.0**-68, 5e-324, 1 - 2.0**-53, 0.9999, 1e-9]
BOTH = [RowWords.of(1), RowWords.of(5)]


def added(which: Sum, score: float, label: int, higher: bool) -> Fraction:
    """The numbers that a row adds, as the sums are defined."""
    f = Fraction(score) if higher else 1 - Fraction(score)
    expected = f * (1 - f)
    return {
        Sum.SCORES: f,
        Sum.SQUARES: (label - f) ** 2,
        Sum.EXCESS: (label - f) ** 2 - expected + ROOM,
        Sum.SPREAD: expected * (1 - 2 * f) ** 2,
    }[which]


@pytest.mark.parametrize("words", BOTH)
@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("which", Sum)
def test_a_row_adds_what_the_sum_of_its_score_says(
    which: Sum, higher: bool, words: RowWords
) -> None:
    scores = np.array([*ODD, *np.random.default_rng(3).random(40)])
    found = words.whole(which, scores, higher)
    assert len(found) == kinds(which)
    scale = words.unit(which).scale
    for label in (0, 1):
        own = [Fraction(one, scale) for one in found[label % len(found)]]
        for score, value in zip(scores.tolist(), own, strict=True):
            if which is Sum.LOGS:
                [exact] = sums_of(
                    which, np.array([score]), np.array([label]), np.array([0]), 1, higher
                )
                assert abs(value - exact) <= Fraction(1, 2 * scale) + Fraction(1, 1 << 133)
            else:
                assert abs(value - added(which, score, label, higher)) <= Fraction(1, 2 * scale)


@pytest.mark.parametrize(
    ("which", "few", "bits"),
    [
        (Sum.SCORES, [1.0, 2.0**-68 + 2.0**-120], BITS_ONCE),
        (Sum.SQUARES, [2.0**-8 + 2.0**-60, 2.0**-37 + 2.0**-60], BITS_ONCE),
        (Sum.EXCESS, [2.0**-39, 0.5 + 2.0**-39], BITS_ONCE),
        (Sum.SPREAD, [2.0**-30, 0.5 + 2.0**-30], BITS_ONCE),
        (Sum.SCORES, [2.0**-50 + 2.0**-102], BITS_WEIGHTED),
        (Sum.SQUARES, [2.0**-28 + 2.0**-51], BITS_WEIGHTED),
    ],
)
def test_nothing_is_rounded_of_the_scores_that_are_named(
    which: Sum, few: list[float], bits: int
) -> None:
    words = RowWords(bits)
    found = words.whole(which, np.array(few), True)
    for label, own in enumerate(found):
        for score, one in zip(few, own, strict=True):
            assert Fraction(one, words.unit(which).scale) == added(which, score, label, True)


@pytest.mark.parametrize("words", BOTH)
@pytest.mark.parametrize("which", Sum)
def test_words_make_the_number_again_and_none_is_beyond_its_limit(
    which: Sum, words: RowWords
) -> None:
    numbers = [one for own in words.whole(which, np.array(ODD), True) for one in own]
    split = words.split(which, numbers)
    limits, unit = words.limits(which), words.unit(which)
    assert len(split) == len(limits) == words.count(which) == WORDS - (which is Sum.EXCESS)
    for place, number in enumerate(numbers):
        own = [int(one[place]) for one in split]
        assert all(0 <= one <= most for one, most in zip(own, limits, strict=True))
        total = 0
        for one in own:
            total = (total << unit.apart) + one
        assert total == number
    # as many as there may be stay below 2^63
    assert max(limits[1:]) * words.most < 1 << 63
    assert limits[0] * words.most < 1 << 63
    assert Fraction(limits[0] << unit.apart * (len(limits) - 1), unit.scale) <= MOST_EACH[which]


def test_what_a_row_adds_depends_on_the_label_where_it_says_so() -> None:
    assert {which for which in Sum if kinds(which) == 2} == BY_LABEL
    assert RowWords.of(1).whole(Sum.SQUARES, np.zeros(0), True) == [[], []]
