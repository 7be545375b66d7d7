"""The sorted list with the negatives first among tied scores: what owners share, what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, judged
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import NegativesFirst

OPTIONS = Options(metrics=("average_precision_dp:epsilon=1,least_class=1",))
LISTS = ([(3, 1), (3, 0), (2, 1), (2, 1)], [(3, 0), (1, 1)], [])
"""Scores and labels of three owners."""


def uploads(pipeline: NegativesFirst) -> list[np.ndarray]:
    return [
        pipeline.upload([np.array([2 * score + label for score, label in rows], np.uint64)])
        for rows in LISTS
    ]


def test_an_owner_shares_its_keys_with_exchanged_labels_descending() -> None:
    pipeline = OPTIONS.pipeline
    assert isinstance(pipeline, NegativesFirst)
    assert [one.tolist() for one in uploads(pipeline)] == [[7, 6, 4, 4], [7, 2], []]


def checked(
    pipeline: NegativesFirst,
    party: Party,
    lists: Sequence[Shared],
    sizes: Sequence[int],
    places: Sequence[int],
) -> Findings:
    """The findings on the lists at these places."""
    return pipeline.check(party, [lists[k] for k in places], [sizes[k] for k in places])


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_the_sorted_list_has_the_negatives_first_and_its_groups(merge: str) -> None:
    pipeline = Options(metrics=OPTIONS.metrics, merge=merge).pipeline
    sizes = [len(rows) for rows in LISTS]

    def program(party: Party, *lists: Shared) -> list[Shared]:
        findings = partial(checked, pipeline, party, lists, sizes)
        assert judged(party, lists, findings, Verdicts({})) == [True] * 3
        data = pipeline.prepare(party, lists, sizes, pipeline.inputs)
        return [data.labels.y, data.labels.TP, data.labels.N, data.groups.con, data.groups.B]

    at = run_local(program, *map(share, uploads(pipeline)))
    found = [open_locally([one[k] for one in at]).tolist() for k in range(5)]
    # two negatives and a positive at 3, two positives at 2, one at 1
    assert found == [
        [1, 1, 0, 0, 0, 0],
        [1, 2, 2, 2, 2, 2],
        [4],
        [0, 0, 1, 0, 1, 1],
        [0, 0, 0, 2, 2, 2],
    ]


def test_in_the_clear_the_classes_are_as_they_are() -> None:
    data = OPTIONS.pipeline.plaintext(uploads(OPTIONS.pipeline))
    assert (data.P, data.N) == (4, 2)
    assert data.steps == ((0, 1, 0, 3), (1, 3, 3, 5), (3, 4, 5, 6))
