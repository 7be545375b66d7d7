"""The pooled values that a simulation shows are those of the definitions, to the last decimal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.simulation.pooled import _sum, pooled_values
from ppaurora.protocols.lists.encoding import encode
from ppaurora.protocols.statistics.catalogue import METRICS
from tests.protocols import pooled as reference

lists = st.lists(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]), st.integers(0, 1)), max_size=12
    ),
    min_size=1,
    max_size=4,
)


@given(lists, st.integers(1, 9))
def test_every_metric_is_the_one_defined(rows: list[list[tuple[float, int]]], d: int) -> None:
    keys = [
        encode(
            np.array([score for score, _ in one]),
            np.array([label for _, label in one], np.uint8),
            code="unit",
            direction="higher",
        )
        for one in rows
    ]
    flat = [row for one in rows for row in one]
    scores, labels = [score for score, _ in flat], [label for _, label in flat]
    for found in pooled_values(keys, tuple(METRICS), d):
        exact: Fraction | None = getattr(reference, found.metric)(scores, labels)
        if exact is None:
            assert found.value is None
            assert found.reason
        else:
            word = (2 * exact * 10**d + 1) // 2
            assert found.value == f"{word // 10**d}.{word % 10**d:0{d}d}"


def test_rounding_that_hangs_on_the_last_bit_is_decided_by_fractions() -> None:
    # 1/3 + 1/3 + 1/3 is 1, though every bracketed third is below
    assert _sum(lambda: iter([(1, 3)] * 3), 2, 1) == 1
