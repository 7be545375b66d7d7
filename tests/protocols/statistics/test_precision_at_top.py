"""The precision at the highest scores, against a list sorted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.protocols.statistics.examples import EXAMPLES, Example, released, text_of


@pytest.mark.parametrize("of", EXAMPLES)
def test_it_counts_the_positives_among_the_first_places(of: Example) -> None:
    rows = sorted(zip(of.sixteenths, of.labels, strict=True), reverse=True)
    shown = []
    for k in (1, 3, 20):
        positives = sum(label for _, label in rows[:k])
        shown.append(f"k {k}, precision " + text_of(Fraction(positives, min(k, len(of.labels)))))
    assert released("precision_at_top:k=1/3/20", of) == "; ".join(shown)
