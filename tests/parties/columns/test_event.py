"""The column of events takes the place of the labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ppaurora.parties.columns.column import column_kinds
from ppaurora.parties.columns.event import EventColumn
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.participant import Participant
from tests.parties.columns.test_time import TIMED
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study


def test_it_is_the_only_kind_that_does() -> None:
    assert [name for name, kind in column_kinds().items() if kind.is_label] == ["event"]


def test_its_words_are_the_labels() -> None:
    labels = np.array([1, 0, 1], np.uint8)
    options = study(**TIMED).options
    assert EventColumn(column=" died ").column == "died"
    assert EventColumn(column="died").keys(labels, labels, options, b"").tolist() == [1, 0, 1]


def test_a_list_in_memory_has_it_as_its_labels_and_not_once_more() -> None:
    times = np.arange(50.0)
    Participant(ANN, study(**TIMED)).prepare(replace(TABLE, extra={"days": times}))
    twice = replace(TABLE, extra={"days": times, "died": TABLE.labels})
    with pytest.raises(DataError, match='takes no column "died"'):
        Participant(ANN, study(**TIMED)).prepare(twice)
