"""The warning about class counts: what fits every value, counted by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from ppaurora.protocols.release.class_counts import least_candidates, pinned_warnings
from tests.further import some_of


def fewest(n: int, decimals: int, *, ties: bool) -> int:
    """The fewest numbers of positives that fit some value of the AUROC, by enumeration."""
    fitting: dict[int, set[int]] = {}
    for P in range(1, n):
        pairs = (1 + ties) * P * (n - P)
        for k in range(pairs + 1):
            value = int(Fraction(k * 10**decimals, pairs) + Fraction(1, 2))
            fitting.setdefault(value, set()).add(P)
    return min(map(len, fitting.values()))


@pytest.mark.parametrize(
    ("decimals", "ties"),
    some_of(product([1, 2, 3], [True, False]), in_ci=[(1, True), (2, False), (3, True)]),
)
def test_it_warns_where_some_value_leaves_fewer_than_half_of_the_counts(
    decimals: int, ties: bool
) -> None:
    """One list, so that there is one attacker: of n - 1 counts, with both classes."""
    shares = set()
    for n in range(2, 41):
        left = fewest(n, decimals, ties=ties)
        assert left == least_candidates(n, decimals, ties=ties)
        warned = bool(pinned_warnings("auroc", [n], decimals, ties=ties))
        assert warned == (left < Fraction(n - 1, 2)), n
        shares.add(Fraction(left, n - 1))
    if decimals < 3:
        near = {share for share in shares if Fraction(1, 3) <= share < Fraction(1, 2)}
        assert near, "nothing between a third and a half is tried"
        assert any(share >= Fraction(1, 2) for share in shares)
