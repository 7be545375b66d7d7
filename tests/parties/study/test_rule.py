"""When a study may start, and how far a computation says it is."""

from __future__ import annotations

from dataclasses import replace

from ppaurora.parties.requests.messages import Holding
from ppaurora.parties.study.rule import common_roster, too_few, waits_for
from ppaurora.parties.study.study import Rule
from tests.parties.sample import study

ANN = Holding("ann", b"a" * 16, 60)
BEN = Holding("ben", b"b" * 16, 40)


def test_only_uploads_that_both_hold_alike_count() -> None:
    other = replace(BEN, upload=b"c" * 16)
    longer = replace(ANN, samples=61)
    assert common_roster([BEN, ANN], [ANN, BEN]) == (ANN, BEN)
    assert common_roster([ANN, BEN], [ANN, other]) == (ANN,)
    assert common_roster([longer], [ANN]) == ()


def test_the_least_numbers_must_be_reached() -> None:
    assert "1 of at least 2 owners" in too_few(study(), 1, 1000)
    assert "99 of at least 100 samples" in too_few(study(), 2, 99)
    assert too_few(study(), 2, 100) == ""


def test_when_it_starts() -> None:
    assert waits_for(study(), [ANN, BEN], asked=False) == ""
    three = replace(study(), rule=Rule(least_samples=50), participants=study().participants[:2])
    assert waits_for(three, [ANN], asked=True) != ""
    some = study(rule=Rule(least_owners=1, least_samples=50))
    assert "1 of 2 owners have not uploaded" in waits_for(some, [ANN], asked=False)
    assert waits_for(some, [ANN], asked=True) == ""
    patient = study(rule=Rule(start="request"))
    assert "ppaurora compute" in waits_for(patient, [ANN, BEN], asked=False)
    assert waits_for(patient, [ANN, BEN], asked=True) == ""
