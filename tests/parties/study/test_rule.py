"""The rule by which a study may start, and the progress of a computation."""

from __future__ import annotations

from dataclasses import replace

from ppaurora.parties.study.rule import (
    StoredUpload,
    absent,
    breaks_rule,
    common_roster,
    sizes_refused,
    waits_for,
)
from ppaurora.parties.study.study import Rule
from tests.parties.sample import study

ANN = StoredUpload("ann", b"a" * 16, 60)
BEN = StoredUpload("ben", b"b" * 16, 40)


def test_only_uploads_that_both_hold_alike_count() -> None:
    other = replace(BEN, upload=b"c" * 16)
    longer = replace(ANN, samples=61)
    assert common_roster([BEN, ANN], [ANN, BEN]) == (ANN, BEN)
    assert common_roster([ANN, BEN], [ANN, other]) == (ANN,)
    assert common_roster([longer], [ANN]) == ()


def test_the_least_numbers_must_be_reached() -> None:
    two = study(rule=Rule(least_owners=2))
    assert "1 of at least 2 owners" in sizes_refused(two, {"ann": 1000})
    assert "99 of at least 100 samples" in sizes_refused(two, {"ann": 50, "ben": 49})
    assert sizes_refused(two, {"ann": 50, "ben": 50}) == ""


def test_no_list_may_be_short_or_dominate_and_all_together_not_too_many() -> None:
    two = study(rule=Rule(least_owners=2, most_samples=1000))
    assert "ben has 19 of at least 20 samples" in sizes_refused(two, {"ann": 90, "ben": 19})
    assert "ann has more than 80% of all" in sizes_refused(two, {"ann": 81, "ben": 20})
    assert sizes_refused(two, {"ann": 80, "ben": 20}) == ""
    assert "1001 samples are more than" in sizes_refused(two, {"ann": 501, "ben": 500})
    assert sizes_refused(two, {"ann": 500, "ben": 500}) == ""


def test_a_complete_study_leaves_nobody_out_whoever_asks() -> None:
    complete = study(rule=Rule(least_owners=1, least_samples=50, most_share=1.0))
    on_request = study(rule=replace(complete.rule, start="request"))
    assert "1 of 2 owners has not uploaded" in breaks_rule(complete, [ANN])
    assert "1 of 2 owners has not uploaded" in waits_for(complete, [ANN], asked=True)
    assert breaks_rule(on_request, [ANN]) == waits_for(on_request, [ANN], asked=True) == ""
    assert absent(complete, ["ann"]) == ["ben"]
    assert absent(complete, ["ben", "ann"]) == []


def test_when_it_starts() -> None:
    assert waits_for(study(), [ANN, BEN], asked=False) == ""
    patient = study(rule=Rule(least_owners=2, start="request"))
    assert "ppaurora compute" in waits_for(patient, [ANN, BEN], asked=False)
    assert waits_for(patient, [ANN, BEN], asked=True) == ""
