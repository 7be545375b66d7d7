"""Lists of several classes: their upload, and that no lie about classes gives a wrong number."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import ClassLists
from tests.protocols.studies import Owner, upload_of

OPTIONS = Options(metrics=("auroc_classes",), classes=("a", "b", "c"))
OWNER = Owner(
    [0.9, 0.2, 0.4, 0.3],
    [1, 0, 0, 1],
    [[0.8, 0.3, 0.3, 0.1], [0.1, 0.5, 0.6, 0.7]],
    classes=[0, 1, 2, 0],
)


def verdicts(*uploads: np.ndarray) -> list[bool]:
    def program(party: Party, *own: Shared) -> list[bool]:
        def findings(places):  # type: ignore[no-untyped-def]
            return OPTIONS.pipeline.check(party, [own[at] for at in places], [4] * len(places))

        return judged(party, own, findings, Verdicts({}))

    by_role = run_local(program, *map(share, uploads))
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


def test_the_lists_have_the_labels_of_their_own_classes() -> None:
    assert isinstance(OPTIONS.pipeline, ClassLists)
    lists = upload_of(OWNER, OPTIONS).reshape(5, -1)
    assert [(lists[place] & np.uint64(1)).sum() for place in (0, 1, 3)] == [2, 1, 1]
    for keys in (lists[0], lists[1], lists[3]):
        assert keys.tolist() == sorted(keys.tolist(), reverse=True)


@pytest.mark.parametrize(
    ("row", "more"),
    [(0, 0), (4, 1), (8, 1), (12, 1)],
    ids=["honest", "in none", "in two", "in none, of the third list"],
)
def test_a_row_that_is_in_no_class_or_in_two_is_found(row: int, more: int) -> None:
    good = upload_of(OWNER, OPTIONS)
    bad = good.copy()
    if more:
        # another label at the last place of a list stays in order
        place = {4: 0, 8: 1, 12: 3}[row] * 4 + 3
        bad[place] = int(bad[place]) ^ 1
    found = verdicts(good, bad)
    assert found == [True, not more]


def test_labels_exchanged_between_two_rows_are_found() -> None:
    good = upload_of(OWNER, OPTIONS)
    bad = good.copy()
    # the row numbers of the second list: b's row becomes another one
    numbers = bad[8:12].copy()
    bad[8:12] = numbers[[1, 0, 2, 3]] if (good[4:8] & np.uint64(1))[0] else numbers[[0, 2, 1, 3]]
    rows = np.flatnonzero((good[4:8] & np.uint64(1)) == 1)
    moved = set(bad[8:12][rows].tolist()) != set(good[8:12][rows].tolist())
    assert verdicts(good, bad) == [True, not moved]


def test_an_owner_without_rows_sends_no_words() -> None:
    empty = Owner([], [], [[], []], classes=[])
    assert upload_of(empty, OPTIONS).size == 0
