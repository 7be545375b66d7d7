"""An owner whose rows have two scores prepares one upload of both lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.protocols.lists.same_rows import same_rows
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from tests.parties.participant.test_participant import ANN, TABLE, kept
from tests.parties.sample import study

PAIRED = {"against": ("rival",), "metrics": ("auroc_differs",)}
SECOND = np.random.default_rng(3).random(len(TABLE)).round(2)
BOTH = Labelled(TABLE.scores, TABLE.labels, extra={"rival": SECOND})


def test_the_shares_add_up_to_both_sorted_lists_and_the_row_numbers() -> None:
    prepared = Participant(ANN, study(**PAIRED)).prepare(BOTH)
    keys = [encode(column, TABLE.labels, PROBABILITIES) for column in (TABLE.scores, SECOND)]
    words = prepared.shares[Role.P0].words() + prepared.shares[Role.P1].words()
    assert np.array_equal(words, same_rows(keys))
    assert (prepared.samples, prepared.size) == (50, 32 + 3 * 8 * 50)


def test_the_order_of_the_rows_does_not_matter(tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(len(TABLE))
    shuffled = Labelled(TABLE.scores[order], TABLE.labels[order], extra={"rival": SECOND[order]})
    first, second = (kept(tmp_path, **PAIRED).prepare(table) for table in (BOTH, shuffled))
    assert first.upload == second.upload
    assert first.shares[Role.P1].to_bytes() == second.shares[Role.P1].to_bytes()


def test_a_list_has_as_many_scores_as_the_study_takes() -> None:
    with pytest.raises(DataError, match='takes the column "rival" of each sample'):
        Participant(ANN, study(**PAIRED)).prepare(TABLE)
    with pytest.raises(DataError, match='takes no column "rival"'):
        Participant(ANN, study()).prepare(BOTH)


def test_second_scores_that_cannot_be_encoded_are_refused() -> None:
    wrong = Labelled(TABLE.scores, TABLE.labels, extra={"rival": SECOND + 1})
    with pytest.raises(DataError, match="not between 0 and 1") as caught:
        Participant(ANN, study(**PAIRED)).prepare(wrong)
    assert "another range" in caught.value.advice
