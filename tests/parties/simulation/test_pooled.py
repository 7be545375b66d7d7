"""The pooled values that a simulation shows are those of the definitions, to the last decimal."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.options import Options
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
            PROBABILITIES,
        )
        for one in rows
    ]
    flat = [row for one in rows for row in one]
    scores, labels = [score for score, _ in flat], [label for _, label in flat]
    for name, found in pooled_values(
        Options(metrics=tuple(reference.METRICS), decimals=d), keys
    ).items():
        assert str(found) == reference.released(name, scores, labels, d)
