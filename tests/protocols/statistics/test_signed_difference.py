"""A difference with its limits and z, in words and back, and z by three parties."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import widen
from ppaurora.mpc.shares import Shared, reconstruct, share
from ppaurora.protocols.ranking.area_limits import PlainLimits
from ppaurora.protocols.statistics.signed_difference import (
    LARGEST_Z,
    of_words,
    signed_z,
    signed_z_cost,
    undefined_words,
    words_of,
)

LIMITS = PlainLimits(Fraction(1, 40))
BOUND = 1 << 40


def told(difference: Fraction, variance: Fraction, most: int = 1) -> str:
    return str(of_words("a", words_of(difference, variance, LIMITS, 4, most), 4, "", "", most))


def test_a_difference_is_read_as_it_was_written() -> None:
    assert told(Fraction(-1, 8), Fraction(1, 100)).startswith("-0.1250 (-0.3210 to 0.0710)")
    assert "z -1.250" in told(Fraction(-1, 8), Fraction(1, 100))
    assert told(Fraction(3, 2), Fraction(1), most=2).startswith("1.5000 (-0.4600 to 2.0000)")


def test_limits_end_where_differences_do_and_large_z_are_told_as_that() -> None:
    assert told(Fraction(9, 10), Fraction(1, 25)).startswith("0.9000 (0.5080 to 1.0000)")
    assert "at least 100" in told(Fraction(1, 2), Fraction(0))
    assert "z 0.000" in told(Fraction(0), Fraction(0))


def test_a_difference_that_does_not_exist_says_why() -> None:
    value = of_words("a", undefined_words(4), 4, "a class is missing", "")
    assert str(value) == "undefined: a class is missing"


@pytest.mark.parametrize("place", range(4))
def test_words_that_no_computation_yields_are_refused(place: int) -> None:
    words = words_of(Fraction(1, 2), Fraction(1, 4), LIMITS, 4)
    words[place] = 2 * max(10**4, LARGEST_Z) + 1
    with pytest.raises(RemoteProtocolError, match="do not make a result"):
        of_words("a", words, 4, "", "")


def test_three_parties_find_the_z_of_several_differences_at_once() -> None:
    """z = 100·sqrt(squared/scaled) with the sign of a third number, cut off at 100."""
    rng = np.random.default_rng(3)
    squared = [*rng.integers(0, 1 << 30, 20).tolist(), 0, 5, 0]
    scaled = [*rng.integers(1, 1 << 36, 20).tolist(), 7, 0, 0]
    signed = [*rng.choice([-3, 3], 20).tolist(), 3, -3, 0]
    columns = [np.array(one, np.int64).astype(np.uint64) for one in (squared, scaled, signed)]

    def program(party, *own):  # type: ignore[no-untyped-def]
        wide = [widen(party, one) for one in own]
        few = widen(party, Shared.public(party.role, [0]))
        before = party.hops
        return signed_z(party, *wide, few, BOUND), party.hops - before

    p0, p1, _ = run_local(program, *map(share, columns))
    found = reconstruct(p0[0].words, p1[0].words).astype(np.int64) - LARGEST_Z
    for word, top, bottom, sign in zip(found.tolist(), squared, scaled, signed, strict=True):
        if bottom == 0 or top >= bottom:
            size = LARGEST_Z if top else 0
        else:
            # round half up of 10^5·sqrt(top/bottom)
            size = (isqrt(4 * top * LARGEST_Z**2 // bottom) + 1) // 2
        assert word == (size if sign >= 0 else -size)
    assert p0[1] <= signed_z_cost(BOUND, len(squared)).hops + 1
